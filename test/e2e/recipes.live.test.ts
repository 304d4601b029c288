// Each repository of docs/examples/ works as it stands: planned, left alone where nothing changed, and
// measured, with a fake oha. What the verdict under real load is, the night asks.
import { expect, test } from "vitest";
import { processesMentioning } from "../support/project.ts";
import { LAUNCHES_SHOWN, RECIPES, repositoryOf, skipWithout } from "./recipes.ts";
import { samplesOf } from "./tiny.ts";

/** One question, that the fewest rounds can answer. */
const BRIEF = {
  slice: { duration: "200ms", pairs: 1 },
  metrics: { slow: { level: "info" }, rss: { level: "info" }, ...LAUNCHES_SHOWN },
  policy: { alpha: "49%", beta: "49%" },
};

test.for(RECIPES)("$folder is planned, and measured", async (recipe, context) => {
  skipWithout(recipe.needs, context);
  const project = repositoryOf(recipe, BRIEF, "fake");
  project.write("README.md", "Better words.\n");

  const plan = await project.run("plan", "--json");
  expect(plan.code, plan.stderr).toBe(0);
  const { scenarios, earliest } = JSON.parse(plan.stdout);
  expect(scenarios.length).toBeGreaterThan(0);

  const idle = await project.run("gate");
  expect(idle.code, idle.stdout + idle.stderr).toBe(0);
  expect(samplesOf(project).rounds).toEqual([]);

  // It ends as soon as it is answered, on a slow machine with its first round.
  const seconds = Math.ceil(120 * Math.max(earliest.minutes.pass, earliest.minutes.regress));
  const flags = ["--measure-unchanged", "--seed", "1", "--time-budget", `${seconds}s`];
  const { stdout, stderr } = await project.run("gate", ...flags);
  const { run, rounds } = samplesOf(project);
  expect(run.state, stdout + stderr).toBe("complete");
  expect(rounds).not.toEqual([]);
  for (const { failure, scenarios: measured } of rounds) {
    expect(failure).toBeNull();
    for (const { arms } of measured) {
      expect(arms.candidate?.pooled?.requests).toBeGreaterThan(0);
      expect(arms.reference?.pooled?.requests).toBeGreaterThan(0);
    }
  }
  expect(["pass", "improved", "regressed", "inconclusive"]).toContain(
    project.report().verdict.state,
  );
  expect(processesMentioning(project.root)).toEqual([]);

  const again = await project.run("judge", ".tailgate/samples.v1.json", "--json");
  expect(JSON.parse(again.stdout)).toEqual(JSON.parse(project.read(".tailgate/report.v1.json")));
});
