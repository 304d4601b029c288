// A run divided over shards on the command line, each with a folder of its own, and what `merge` makes
// of them. The load is a fake oha's.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { gatedIn, type Project } from "../support/project.ts";
import { leftBehind, samplesOf, tinyProject } from "./tiny.ts";

const OF = 3;

async function measured(project: Project): Promise<void> {
  for (let i = 1; i <= OF; i++) {
    const words = ["--shard", `${i}/${OF}`, "--out", `shards/${i}`, "--seed", "1"];
    const { code, stdout, stderr } = await project.run("measure", ...words);
    expect(code, stdout + stderr).toBe(0);
    expect(stdout).toMatch(/rounds in .*; judge them: tailgate merge, with those of the other/);
  }
}

test("shards of a slower service are merged to its verdict, and one may be lost", async () => {
  const project = tinyProject({ candidate: { api: "slow" } });
  project.write(".gitignore", "/.tailgate/\n/shards/\n");
  await measured(project);
  const whole = await project.run("merge", "shards");
  expect(whole.code, whole.stdout + whole.stderr).toBe(1);
  expect(gatedIn(project.report(), "regressed")).toEqual(["api/hello p99 typical"]);
  const { run, rounds } = samplesOf(project);
  expect(run).toMatchObject({ ended: "share", merged: { of: OF, lost: [] } });
  const indices = rounds.map(({ index }) => index);
  expect(indices).toEqual([...new Set(indices)].sort((a, b) => a - b));
  expect(new Set(indices.map((index) => index % OF)).size).toBe(OF);
  expect(leftBehind(project)).toEqual([]);

  rmSync(join(project.root, "shards/2"), { recursive: true });
  const fewer = await project.run("merge", "shards");
  expect(fewer.code, fewer.stdout + fewer.stderr).toBe(1);
  expect(gatedIn(project.report(), "regressed")).toEqual(["api/hello p99 typical"]);
  expect(fewer.stdout).toContain("Shard 2 of 3 handed nothing over");
  expect(samplesOf(project).rounds).toEqual(rounds.filter(({ index }) => index % OF !== 1));
});

test("what is no shard of the run is refused", async () => {
  const project = tinyProject({ candidate: { api: "slow" } });
  const beyond = await project.run("measure", "--shard", "4/4");
  expect(beyond.code).toBe(2);
  expect(beyond.stderr).toContain(
    "there is no shard 4 of 4\n  the run is divided into 3: at most three measure the same service\nLeave this shard out.",
  );
  const typed = await project.run("measure", "--shard", "third");
  expect(typed.stderr).toContain("expected a part and the number of parts, such as 1/3");
  const nowhere = await project.run("merge", "shards");
  expect(nowhere.code).toBe(2);
  expect(nowhere.stderr).toContain("with the shards' samples");
});
