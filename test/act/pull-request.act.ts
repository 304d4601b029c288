// A pull request's life under act: measured with a token that can only read, published by the other workflow, brought up to
// date in place; from a fork and in the merge queue too. Real workflows, real bundle, real builds and load.
import { beforeEach, expect, type TestContext, test } from "vitest";
import type { LogEntry } from "../fake-github/server.ts";
import { checkGolden } from "../support/golden.ts";
import { needsAct } from "./act.ts";
import { steadyMarkdown } from "./steady.ts";
import { World } from "./world.ts";

beforeEach((context: TestContext) => needsAct(context));

/** Everything that changed something on GitHub, as `METHOD path`. */
function writes(log: readonly LogEntry[]): string[] {
  return log
    .filter(({ method, path }) => method !== "GET" && path !== "/graphql")
    .map(
      ({ method, path, status }) => `${method} ${path.replace("/repos/acme/app", "")} ${status}`,
    );
}

test("a regression is red and commented on; its repair edits the same comment", async () => {
  const world = await World.create();
  const slow = await world.propose(7, { files: world.slowed(30) });
  const red = await world.gatePullRequest(slow);
  expect(red.outcome.jobs, red.outcome.log).toEqual({ gate: "failure" });
  expect(red.outcome.outputs.gate, red.outcome.log).toMatchObject({ verdict: "regressed" });
  expect(writes(world.github.log)).toEqual([]);
  expect(world.artifacts(red.runId)).toEqual([
    "tailgate",
    "tailgate/tailgate-manifest.json",
    "tailgate/tailgate-samples.json.gz",
  ]);
  checkGolden("act/summary-regressed.md", steadyMarkdown(red.outcome.summaries.gate ?? ""));

  const published = await world.report(red);
  expect(published.jobs, published.log).toEqual({ report: "success" });
  const [comment] = world.github.world.comments;
  expect(comment).toMatchObject({ issue: 7, author: "github-actions[bot]" });
  checkGolden("act/comment-regressed.md", steadyMarkdown(comment?.body ?? ""));
  expect(world.github.world.statuses).toMatchObject([
    { sha: slow.head, state: "failure", context: "tailgate/default" },
  ]);

  const mended = await world.propose(7, { files: world.slowed(0) });
  const green = await world.gatePullRequest(mended);
  expect(green.outcome.jobs, green.outcome.log).toEqual({ gate: "success" });
  checkGolden("act/summary-pass.md", steadyMarkdown(green.outcome.summaries.gate ?? ""));
  const again = await world.report(green);
  expect(again.jobs, again.log).toEqual({ report: "success" });
  expect(world.github.world.comments).toMatchObject([{ id: comment?.id, issue: 7 }]);
  checkGolden("act/comment-pass.md", steadyMarkdown(world.github.world.comments[0]?.body ?? ""));
  expect(world.github.world.statuses).toMatchObject([
    { sha: slow.head, state: "failure" },
    { sha: mended.head, state: "success" },
  ]);
  expect(writes(world.github.log)).toEqual([
    "POST /issues/7/comments 201",
    `POST /statuses/${slow.head} 201`,
    `PATCH /issues/comments/${comment?.id} 200`,
    `POST /statuses/${mended.head} 201`,
  ]);
  expect(world.github.problems()).toEqual([]);
});

test("a fork's pull request is measured without writing, and published from the default branch", async () => {
  const world = await World.create();
  const slow = await world.propose(8, { files: world.slowed(30), fork: "mallory/app" });
  const red = await world.gatePullRequest(slow);
  expect(red.outcome.jobs, red.outcome.log).toEqual({ gate: "failure" });
  expect(writes(world.github.log)).toEqual([]);

  const published = await world.report(red);
  expect(published.jobs, published.log).toEqual({ report: "success" });
  expect(world.github.world.comments).toMatchObject([{ issue: 8 }]);
  checkGolden("act/comment-fork.md", steadyMarkdown(world.github.world.comments[0]?.body ?? ""));
  expect(world.github.world.statuses).toMatchObject([{ sha: slow.head, state: "failure" }]);
  expect(world.github.problems()).toEqual([]);
});

test("the merge queue gets a conclusion and a status, and no comment", async () => {
  const world = await World.create();
  const harmless = await world.propose(9, { files: { "README.md": "A service.\n" } });
  const green = await world.gateMergeGroup(harmless);
  expect(green.outcome.jobs, green.outcome.log).toEqual({ gate: "success" });
  const published = await world.report(green);
  expect(published.jobs, published.log).toEqual({ report: "success" });
  expect(world.github.world.comments).toEqual([]);
  const [run] = world.github.world.runs;
  expect(world.github.world.statuses).toMatchObject([{ sha: run?.headSha, state: "success" }]);
  expect(world.github.problems()).toEqual([]);
});

test("a build that fails is told as what it is, and is no pass", async () => {
  const world = await World.create();
  const broken = await world.propose(10, {
    files: { "main.go": "package main\n\nfunc main() { nothing() }\n" },
  });
  const gate = await world.gatePullRequest(broken);
  expect(gate.outcome.jobs, gate.outcome.log).toEqual({ gate: "failure" });
  const published = await world.report(gate);
  expect(published.jobs, published.log).toEqual({ report: "success" });
  expect(world.github.world.statuses).toMatchObject([{ sha: broken.head }]);
  expect(world.github.world.statuses[0]?.state).not.toBe("success");
  checkGolden("act/comment-broken.md", steadyMarkdown(world.github.world.comments[0]?.body ?? ""));
});

test("a gate that was cancelled before it measured leaves a status that says so", async () => {
  const world = await World.create();
  const change = await world.propose(11, { files: world.slowed(30) });
  const published = await world.report(await world.cancelGate(change));
  expect(published.jobs, published.log).toEqual({ report: "success" });
  expect(world.github.world.statuses).toMatchObject([{ sha: change.head, state: "error" }]);
  checkGolden(
    "act/comment-cancelled.md",
    steadyMarkdown(world.github.world.comments[0]?.body ?? ""),
  );
});
