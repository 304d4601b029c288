// A pull request's life under act: measured with a token that can only read, published by the other
// workflow, brought up to date in place; from a fork and in the merge queue too. Real workflows,
// real bundle, real builds.
import { beforeEach, expect, type TestContext, test } from "vitest";
import { needsAct } from "./act.ts";
import { checkCalls, checkRead } from "./steady.ts";
import { World } from "./world.ts";

beforeEach((context: TestContext) => needsAct(context));

test("a regression is red and commented on; its repair edits the same comment", async () => {
  const world = await World.create();
  const slow = await world.propose(7, { files: world.slowed(40) });
  const red = await world.gatePullRequest(slow);
  expect(red.outcome.jobs, red.outcome.log).toEqual({ gate: "failure" });
  expect(red.outcome.outputs.gate?.gate, red.outcome.log).toMatchObject({ verdict: "regressed" });
  expect(red.calls).toEqual([]);
  expect(world.artifacts(red.runId)).toEqual([
    "tailgate",
    "tailgate-report",
    "tailgate-report/report.html",
    "tailgate/samples.v1.json",
    "tailgate/tailgate-manifest.json",
  ]);
  await checkRead("summary-regressed", red.outcome.summaries.gate);

  const published = await world.report(red);
  expect(published.outcome.jobs, published.outcome.log).toEqual({ report: "success" });
  await checkCalls("report-first", published.calls);
  const [comment] = world.github.world.comments;
  expect(comment).toMatchObject({ issue: 7, author: "github-actions[bot]" });
  await checkRead("comment-regressed", comment?.body);
  expect(world.github.world.statuses).toMatchObject([
    { sha: slow.head, state: "failure", context: "tailgate/default" },
  ]);

  // Not what it was before, which would not be measured.
  const { "server.mjs": source } = world.slowed(0);
  const mended = await world.propose(7, { files: { "server.mjs": `${source}// Mended.\n` } });
  const green = await world.gatePullRequest(mended);
  expect(green.outcome.jobs, green.outcome.log).toEqual({ gate: "success" });
  await checkRead("summary-pass", green.outcome.summaries.gate);
  const again = await world.report(green);
  expect(again.outcome.jobs, again.outcome.log).toEqual({ report: "success" });
  await checkCalls("report-again", again.calls);
  expect(world.github.world.comments).toMatchObject([{ id: comment?.id, issue: 7 }]);
  await checkRead("comment-pass", world.github.world.comments[0]?.body);
  expect(world.github.world.statuses).toMatchObject([
    { sha: slow.head, state: "failure" },
    { sha: mended.head, state: "success" },
  ]);
  expect(world.github.problems()).toEqual([]);
});

test("a change of the README alone is reported like any other, in words of its own", async () => {
  const world = await World.create();
  const words = await world.propose(12, { files: { "README.md": "A service.\n" } });
  const gate = await world.gatePullRequest(words);
  expect(gate.outcome.jobs, gate.outcome.log).toEqual({ gate: "success" });
  expect(gate.outcome.outputs.gate?.gate, gate.outcome.log).toMatchObject({ verdict: "pass" });
  await checkRead("summary-unchanged", gate.outcome.summaries.gate);

  const published = await world.report(gate);
  expect(published.outcome.jobs, published.outcome.log).toEqual({ report: "success" });
  await checkCalls("report-first", published.calls);
  const [comment] = world.github.world.comments;
  expect(comment?.body).toContain("unchanged: the same build before and after");
  await checkRead("comment-unchanged", comment?.body);
  expect(world.github.world.statuses).toMatchObject([
    { sha: words.head, state: "success", context: "tailgate/default" },
  ]);
  expect(world.github.problems()).toEqual([]);
});

test("a fork's pull request is measured without writing, and published from the default branch", async () => {
  const world = await World.create();
  const slow = await world.propose(8, { files: world.slowed(40), fork: "mallory/app" });
  const red = await world.gatePullRequest(slow);
  expect(red.outcome.jobs, red.outcome.log).toEqual({ gate: "failure" });
  expect(red.calls).toEqual([]);

  const published = await world.report(red);
  expect(published.outcome.jobs, published.outcome.log).toEqual({ report: "success" });
  await checkCalls("report-fork", published.calls);
  expect(world.github.world.comments).toMatchObject([{ issue: 8 }]);
  await checkRead("comment-fork", world.github.world.comments[0]?.body);
  expect(world.github.world.statuses).toMatchObject([{ sha: slow.head, state: "failure" }]);
  expect(world.github.problems()).toEqual([]);
});

test("the merge queue gets a conclusion and a status, and no comment", async () => {
  const world = await World.create();
  const harmless = await world.propose(9, { files: { "README.md": "A service.\n" } });
  const green = await world.gateMergeGroup(harmless);
  expect(green.outcome.jobs, green.outcome.log).toEqual({ gate: "success" });
  expect(green.calls).toEqual([]);
  const published = await world.report(green);
  expect(published.outcome.jobs, published.outcome.log).toEqual({ report: "success" });
  await checkCalls("report-merge-group", published.calls);
  expect(world.github.world.comments).toEqual([]);
  const [run] = world.github.world.runs;
  expect(world.github.world.statuses).toMatchObject([{ sha: run?.headSha, state: "success" }]);
  expect(world.github.problems()).toEqual([]);
});

test("a build that fails is told as what it is, and is no pass", async () => {
  const world = await World.create();
  const broken = await world.propose(10, {
    files: { "server.mjs": "const server = ;\n" },
  });
  const gate = await world.gatePullRequest(broken);
  expect(gate.outcome.jobs, gate.outcome.log).toEqual({ gate: "failure" });
  const published = await world.report(gate);
  expect(published.outcome.jobs, published.outcome.log).toEqual({ report: "success" });
  await checkCalls("report-broken", published.calls);
  expect(world.github.world.statuses).toMatchObject([{ sha: broken.head }]);
  expect(world.github.world.statuses[0]?.state).not.toBe("success");
  await checkRead("comment-broken", world.github.world.comments[0]?.body);
  expect(world.github.problems()).toEqual([]);
});

test("a gate that was cancelled before it measured leaves a status that says so", async () => {
  const world = await World.create();
  const change = await world.propose(11, { files: world.slowed(40) });
  const published = await world.report(await world.cancelGate(change));
  expect(published.outcome.jobs, published.outcome.log).toEqual({ report: "success" });
  await checkCalls("report-cancelled", published.calls);
  expect(world.github.world.statuses).toMatchObject([{ sha: change.head, state: "error" }]);
  await checkRead("comment-cancelled", world.github.world.comments[0]?.body);
  expect(world.github.problems()).toEqual([]);
});
