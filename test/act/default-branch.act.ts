// What runs on the default branch, under act: baselines proposed by a pull request, the night, and the baselines again after
// something was merged. Real workflows, real bundle, real builds and load.
import { beforeEach, expect, type TestContext, test } from "vitest";
import { checkGolden } from "../support/golden.ts";
import { needsAct } from "./act.ts";
import { steadyMarkdown } from "./steady.ts";
import { World } from "./world.ts";

beforeEach((context: TestContext) => needsAct(context));

test("a first baseline, a good night, a slower service and its baseline", async () => {
  const world = await World.create();
  const proposals = () => world.github.world.pullRequests.filter(({ state }) => state === "open");

  const first = await world.run("baseline-update", "workflow_dispatch", "baselines");
  expect(first.outcome.jobs, first.outcome.log).toEqual({ update: "success" });
  const [proposal] = proposals();
  expect(proposal).toMatchObject({ author: "github-actions[bot]", base: { ref: "main" } });
  checkGolden("act/baseline-first.md", steadyMarkdown(proposal?.body ?? ""));

  world.merge(proposal?.number ?? 0);
  const baseline = JSON.parse(world.project.read("baselines/default/hello.json"));
  expect(baseline.service).toBe("hello");
  await world.openIssue({ number: 50, title: "Nightly measurement: full", labels: [NIGHT] });
  const night = await world.run("perf-nightly", "schedule", "issues");
  expect(night.outcome.jobs, night.outcome.log).toEqual({
    full: "success",
    "self-test": "success",
    canary: "success",
    issue: "success",
  });
  expect(night.outcome.steps.canary).toMatchObject({
    gate: "failure",
    "It must be red": "success",
  });
  expect(world.github.world.issues).toMatchObject([{ number: 50, state: "closed" }]);
  checkGolden("act/nightly-closed.md", steadyMarkdown(world.github.world.issues[0]?.body ?? ""));
  expect(world.artifacts(night.runId)).toContain("canary/report.v1.json");

  world.commitToMain("answer later", world.slowed(30));
  const payload = world.pushed();
  const second = await world.run("baseline-update", "push", "baselines", { app: "app", payload });
  expect(second.outcome.jobs, second.outcome.log).toEqual({ update: "success" });
  expect(proposals()).toMatchObject([{ author: "tailgate-test[bot]" }]);
  checkGolden("act/baseline-moved.md", steadyMarkdown(proposals()[0]?.body ?? ""));

  const [before] = proposals();
  const third = await world.run("baseline-update", "schedule", "baselines", { app: "app" });
  expect(third.outcome.jobs, third.outcome.log).toEqual({ update: "success" });
  expect(proposals()).toMatchObject([{ number: before?.number }]);
  expect(world.github.problems()).toEqual([]);
});

const NIGHT = "tailgate-nightly";
