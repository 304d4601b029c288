// Two services against each other, as `tailgate compare` runs them. The load is a fake oha's.
import { expect, test } from "vitest";
import { ServiceComparisonSchema } from "../../src/core/comparison/model.ts";
import { tinyProject } from "./tiny.ts";

test("two services are built and measured each by its own recipe, and compared again from the file", async () => {
  const project = tinyProject({ reference: { light: "good", heavy: "heavy" } });
  const words = ["compare", "heavy", "light", "--rounds", "8", "--json"];
  const { code, stdout, stderr } = await project.run(...words);
  expect(code, stdout + stderr).toBe(0);
  const result = ServiceComparisonSchema.parse(JSON.parse(stdout));
  expect(result).toMatchObject({
    state: "measured",
    services: { candidate: "heavy", reference: "light" },
    run: { rounds: 8, end: "rounds" },
    artifacts: [
      { arm: "candidate", service: "heavy" },
      { arm: "reference", service: "light" },
    ],
  });
  expect(result.scenarios.map(({ name }) => name)).toEqual(["hello"]);
  expect(result.rows.find(({ id }) => id === "rss")?.finding).toBe("higher");
  // One commit, so that builds which differ are no surprise.
  expect(result.host.findings.map(({ id }) => id)).not.toContain("builds");

  const from = ".tailgate/comparison.samples.v1.json";
  const again = await project.run("compare", "--from", from, "--json");
  expect([again.code, again.stdout]).toEqual([0, stdout]);
  expect(project.files(".tailgate")).toEqual(
    expect.arrayContaining(["comparison.v1.json", "comparison.md", "comparison.html"]),
  );
});
