// examples/sharded.yml under act: a plan, two shards on one machine that wait for each other, and one job that judges both.
import { cpSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { beforeEach, expect, type TestContext, test } from "vitest";
import { needsAct } from "./act.ts";
import { checkRead } from "./steady.ts";
import { World } from "./world.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const SERVICE = join(import.meta.dirname, "service");

beforeEach((context: TestContext) => needsAct(context));

test("shards are measured apart and judged together", async (context) => {
  const world = await World.create(context, (project) => {
    for (const file of ["main.go", "go.mod"]) cpSync(join(SERVICE, file), join(project.root, file));
    const configuration = readFileSync(join(SERVICE, "tailgate.yml"), "utf8");
    project.write(
      "tailgate.yml",
      configuration.replace("\nscenarios:", "\n  hola: { variantOf: hello }\nscenarios:"),
    );
    project.write(".gitignore", "/bin/\n/.tailgate/\n");
    // act leaves `strategy.job-index` empty.
    const workflow = readFileSync(join(ROOT, "examples/sharded.yml"), "utf8");
    project.write(
      ".github/workflows/perf-gate.yml",
      workflow.replace("strategy.job-index", "matrix.services"),
    );
  });
  const slow = await world.propose(5, { files: world.slowed(40) });
  const { runId, outcome, calls } = await world.gatePullRequest(slow, "regressed");
  expect(outcome.jobs, outcome.log).toEqual({
    plan: "success",
    measure: "success",
    gate: "failure",
  });
  expect(world.artifacts(runId)).toEqual(
    ["shard-hello", "shard-hola", "tailgate"].flatMap((shard) => [
      shard,
      `${shard}/tailgate-manifest.json`,
      `${shard}/tailgate-samples.json.gz`,
    ]),
  );
  const [comment, ...more] = world.github.world.comments;
  expect(more).toEqual([]);
  expect(calls.at(-1)).toMatch(
    /^(POST \/issues\/#\/comments 201|PATCH \/issues\/comments\/# 200)$/,
  );
  checkRead("comment-sharded", comment?.body);
  checkRead("summary-plan", outcome.summaries.plan);
  checkRead("summary-shard", outcome.summaries.measure);
  checkRead("summary-merge", outcome.summaries.gate);
  expect(comment?.body, outcome.log).toMatch(/REGRESSED[\s\S]*hello\/hello[\s\S]*hola\/hello/);
  expect(world.github.problems()).toEqual([]);
});
