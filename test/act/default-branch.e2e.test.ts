// What runs on the default branch, under act: baselines proposed by a pull request, the night, and
// the baselines again after something was merged. Real workflows, real bundle, real builds.
import { beforeEach, expect, type TestContext, test } from "vitest";
import { needsAct } from "./act.ts";
import { checkCalls, checkRead } from "./steady.ts";
import { World } from "./world.ts";

beforeEach((context: TestContext) => needsAct(context));

test("a first baseline, a good night, a slower service and its baseline", async () => {
  const world = await World.create();
  const proposals = () => world.github.world.pullRequests.filter(({ state }) => state === "open");

  const first = await world.run("baseline-update", "workflow_dispatch");
  expect(first.outcome.jobs, first.outcome.log).toEqual({ update: "success" });
  await checkCalls("baseline-first", first.calls);
  const [proposal] = proposals();
  expect(proposal).toMatchObject({ author: "github-actions[bot]", base: { ref: "main" } });
  await checkRead("baseline-first", proposal?.body);

  world.merge(proposal?.number ?? 0);
  const baseline = world.baseline();
  expect(baseline.service).toBe("hello");
  await world.openIssue({
    number: 50,
    title: "Tailgate nightly: full went wrong",
    body: "<!-- tailgate:nightly key=default -->\n\nAs it was left last night.",
    labels: ["tailgate"],
  });
  const night = await world.run("perf-nightly", "schedule");
  expect(night.outcome.jobs, night.outcome.log).toEqual({
    stored: "success",
    full: "success",
    "self-test": "success",
    canary: "success",
    issue: "success",
  });
  await checkCalls("night", night.calls);
  expect(night.outcome.steps.canary).toMatchObject({
    gate: "failure",
    red: "success",
  });
  expect(world.github.world.issues).toMatchObject([{ number: 50, state: "closed" }]);
  await checkRead("nightly-closed", world.github.world.issues[0]?.body);
  expect(world.artifacts(night.runId)).toContain("canary/report.v1.json");
  const kept = world.github.world.git.files("refs/heads/tailgate-history");
  expect(kept?.map(({ path }) => path)).toEqual([
    expect.stringMatching(/^runs\/\d{4}\/\d\d\/\d{8}T\d{6}Z-[0-9a-f]{8}\.json$/),
  ]);

  world.commitToMain("answer later", world.slowed(40));
  const payload = world.pushed();
  const second = await world.run("baseline-update", "push", { app: true, payload });
  expect(second.outcome.jobs, second.outcome.log).toEqual({ update: "success" });
  await checkCalls("baseline-moved", second.calls);
  expect(proposals()).toMatchObject([{ author: "tailgate-test[bot]" }]);
  await checkRead("baseline-moved", proposals()[0]?.body);

  const [before] = proposals();
  const third = await world.run("baseline-update", "schedule", { app: true });
  expect(third.outcome.jobs, third.outcome.log).toEqual({ update: "success" });
  await checkCalls("baseline-again", third.calls);
  expect(proposals()).toMatchObject([{ number: before?.number }]);
  expect(world.github.problems()).toEqual([]);
});
