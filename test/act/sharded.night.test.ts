// docs/examples/sharded.yml under act: a plan, three shards on one machine that wait for each other,
// and one job that judges them.
import { cpSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { beforeEach, expect, type TestContext, test } from "vitest";
import { needsAct } from "./act.ts";
import { checkRead } from "./steady.ts";
import { World } from "./world.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const SERVICE = join(import.meta.dirname, "service");

beforeEach((context: TestContext) => needsAct(context));

/** Two services, whose rounds are divided over the shards of docs/examples/sharded.yml. */
async function shardedWorld(): Promise<World> {
  return World.create((project) => {
    cpSync(join(SERVICE, "server.mjs"), join(project.root, "server.mjs"));
    const configuration = readFileSync(join(SERVICE, "tailgate.yml"), "utf8");
    project.write(
      "tailgate.yml",
      configuration.replace("\nscenarios:", "\n  hola: { variantOf: hello }\nscenarios:"),
    );
    project.write(".gitignore", "/.tailgate/\n");
    const workflow = readFileSync(join(ROOT, "docs/examples/sharded.yml"), "utf8");
    project.write(".github/workflows/perf-gate.yml", workflow);
  });
}

test("shards are measured apart and judged together", async () => {
  const world = await shardedWorld();
  const slow = await world.propose(5, { files: world.slowed(40) });
  const { runId, outcome, calls } = await world.gatePullRequest(slow);
  expect(outcome.jobs, outcome.log).toEqual({
    plan: "success",
    measure: "success",
    gate: "failure",
  });
  expect(world.artifacts(runId)).toEqual(
    [
      ...["shard-1", "shard-2", "shard-3", "tailgate"].flatMap((shard) => [
        shard,
        `${shard}/samples.v1.json`,
        `${shard}/tailgate-manifest.json`,
      ]),
      "tailgate-report",
      "tailgate-report/report.html",
    ].sort(),
  );
  const [comment, ...more] = world.github.world.comments;
  expect(more).toEqual([]);
  // What comes after it looks for another comment of ours.
  expect(calls).toContainEqual(
    expect.stringMatching(/^(POST \/issues\/#\/comments 201|PATCH \/issues\/comments\/# 200)$/),
  );
  await checkRead("comment-sharded", comment?.body);
  await checkRead("summary-plan", outcome.summaries.plan);
  await checkRead("summary-shard", outcome.summaries.measure);
  await checkRead("summary-merge", outcome.summaries.gate);
  expect(comment?.body, outcome.log).toMatch(/REGRESSED[\s\S]*hello\/hello[\s\S]*hola\/hello/);
  expect(world.github.problems()).toEqual([]);
});

test("shards without anything to measure are answered all the same", async () => {
  const world = await shardedWorld();
  const words = await world.propose(6, { files: { "README.md": "A service.\n" } });
  const { outcome, calls } = await world.gatePullRequest(words);
  expect(outcome.jobs, outcome.log).toEqual({
    plan: "success",
    measure: "success",
    gate: "success",
  });
  const [comment, ...more] = world.github.world.comments;
  expect(more).toEqual([]);
  expect(calls).toContain("POST /issues/#/comments 201");
  expect(comment?.body, outcome.log).toMatch(
    /hello.*hola.* unchanged: the same build before and after/,
  );
  await checkRead("comment-sharded-unchanged", comment?.body);
  await checkRead("summary-shard-unchanged", outcome.summaries.measure);
  expect(world.github.problems()).toEqual([]);
});
