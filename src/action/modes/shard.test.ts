// From the matrix to one verdict: plan, two shards measured apart, merge.
import { cpSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  CONFIG,
  FakeGitHub,
  freshForEach,
  REGRESSED,
  RUN_ID,
  runStep,
  sampled,
  workspace,
} from "../../../test/support/action.ts";
import { configFromText } from "../../app/config/load.ts";
import type { Samples } from "../../core/model/samples.ts";

freshForEach();

const TWO = configFromText(
  CONFIG.replace(
    "scenarios:",
    '  web: { dir: web, run: "node web.mjs {port}", ready: /healthz }\nscenarios:',
  ),
  "tailgate.yml",
);

/** Of two shards the one that measured this part of the rounds of both services. */
function measured(part: 0 | 1, { api, web }: Record<"api" | "web", Samples>): Samples {
  const renamed: Samples = JSON.parse(JSON.stringify(web).replaceAll('"api', '"web'));
  return {
    ...api,
    config: TWO,
    run: { ...api.run, ended: "share", shard: { index: part + 1, of: 2, part, parts: 2 } },
    rounds: [...api.rounds, ...renamed.rounds]
      .filter(({ index }) => index % 2 === part)
      .map((round, k) => ({ ...round, startedAtMs: k * 10_000, endedAtMs: k * 10_000 + 9000 })),
  };
}

const project = {
  openProject: async () =>
    ({ root: workspace, config: TWO, out: join(workspace, ".tailgate") }) as never,
};

/** Measures one shard and puts what it hands over where download-artifact would. */
async function shard(
  index: 1 | 2,
  samples: Record<"api" | "web", Samples> = { api: sampled(), web: sampled({ seed: 2 }) },
): Promise<void> {
  const { runner } = await runStep({
    event: "pull-request",
    inputs: { shard: `${index}/2` },
    samples: measured(index === 1 ? 0 : 1, samples),
    useCases: project,
  });
  const folder = join(workspace, "shards", `shard-${index}`);
  mkdirSync(folder, { recursive: true });
  cpSync(runner.outputs.artifact ?? "", folder, { recursive: true });
}

const merge = (github = new FakeGitHub()) =>
  runStep({
    event: "pull-request",
    inputs: { mode: "merge", "shards-folder": "shards" },
    useCases: project,
    github,
  });

test("the plan is a matrix of shards, each with its part of the rounds", async () => {
  const plan = async (shards: string) => {
    const { conclusion, runner } = await runStep({
      event: "pull-request",
      inputs: { mode: "plan", shards },
      useCases: project,
    });
    expect(conclusion.state).toBe("success");
    expect(runner.shown).toContain("| 1/");
    expect(runner.shown).toContain(`${conclusion.headline}.`);
    return [conclusion.headline, JSON.parse(runner.outputs.matrix ?? "null")];
  };
  const one = { shard: "1/1", services: "api, web", rounds: "all", artifact: "shard-1" };
  expect(await plan("1")).toEqual(["2 services in 1 shard", { include: [one] }]);
  const include = [1, 2, 3].map((i) => ({
    shard: `${i}/3`,
    services: "api, web",
    rounds: `part ${i} of 3`,
    artifact: `shard-${i}`,
  }));
  expect(await plan("3")).toEqual(["2 services in 3 shards", { include }]);
  expect((await plan("9"))[1].include).toHaveLength(6);
});

test("while shards measure, an earlier commit's comment says so: the plan's job writes it", async () => {
  await shard(1);
  await shard(2);
  const github = new FakeGitHub();
  await merge(github);
  const next = { event: "pull-request", runId: RUN_ID + 1, headSha: "d".repeat(40) } as const;
  const plan = async (more: Record<string, string> = {}) => {
    const inputs = { mode: "plan", shards: "2", ...more };
    const { conclusion } = await runStep({
      ...next,
      inputs,
      useCases: project,
      github,
    });
    expect(conclusion.state).toBe("success");
  };
  await plan({ comment: "never" });
  await plan({ key: "other" });
  github.isReadOnly = true;
  await plan();
  expect(github.comments[0]?.body).not.toContain("⏳");
  github.isReadOnly = false;
  await plan();
  expect(github.comments[0]?.body).toContain("⏳ **Commit `dddddddddd` has no verdict yet.**");
  expect(github.comments).toHaveLength(1);
});

test("both shards: one verdict, one comment, one artifact", async () => {
  const samples = { api: sampled(REGRESSED), web: sampled({ seed: 2 }) };
  await shard(1, samples);
  await shard(2, samples);
  const github = new FakeGitHub();
  const { conclusion, runner } = await merge(github);
  expect(runner.outputs.verdict).toBe("regressed");
  expect(conclusion.state).toBe("failure");
  expect(readdirSync(runner.outputs.artifact ?? "")).toHaveLength(2);
  expect(runner.shown).toMatch(/REGRESSED[\s\S]*pull request[\s\S]*`api\/echo`/);
  expect(github.comments).toHaveLength(1);
  expect(github.comments[0]?.body).toMatch(/REGRESSED[\s\S]*pull request/);
});

test("a shard that is missing costs its rounds, and is named", async () => {
  await shard(1);
  const { runner } = await merge();
  // Half of twenty rounds is enough here.
  expect(runner.outputs.verdict).toBe("pass");
  expect(runner.shown).toContain("Shard 2 of 2 handed nothing over");
});

test("a missing, empty or foreign folder is a user error", async () => {
  expect((await merge()).runner.lines.join("\n")).toContain("actions/download-artifact");
  mkdirSync(join(workspace, "shards/shard-1"), { recursive: true });
  expect((await merge()).conclusion.headline).toContain("no shard to merge");
  writeFileSync(join(workspace, "shards/shard-1/samples.v1.json"), "no JSON");
  const { conclusion, runner } = await merge();
  expect(conclusion.headline).toContain("samples.v1.json is not JSON");
  expect(runner.outputs.verdict).toBe("error");
});
