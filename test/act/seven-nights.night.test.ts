// From an empty repository to a stored comparison that decides, as docs/baselines.md tells it: the
// examples' workflows, a first baseline, and seven nights of which the fourth has another kernel.
import { cpSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { beforeEach, expect, type TestContext, test } from "vitest";
import type { HistoryRecord } from "../../src/core/model/history.ts";
import { median } from "../../src/core/stats/dispersion.ts";
import { needsAct } from "./act.ts";
import { World } from "./world.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const SERVER = readFileSync(join(import.meta.dirname, "service/server.mjs"), "utf8");
const KERNELS = { before: "6.8.0-1", after: "6.8.0-2" };

/** Margins that leave room for what a machine wanders by, and find what is planted here. */
const CONFIGURATION = `version: 1
seed: 1
runner: { keepAwake: false }
services:
  hello:
    run: node server.mjs {port}
    ready: { log: listening }
scenarios:
  hello: { request: GET /hello, rate: 20000/s, connections: 4, slice: { duration: 60ms, pairs: 1 } }
metrics:
  p99: { margin: 15% }
  p99.pooled: { level: info }
  rss: { margin: 9%, absoluteFloor: 1MiB }
policy: { timeBudget: 150s }
`;

beforeEach((context: TestContext) => needsAct(context));

function repository(): Promise<World> {
  return World.create((project) => {
    project.write("server.mjs", SERVER);
    project.write("tailgate.yml", CONFIGURATION);
    project.write(".gitignore", "/.tailgate/\n");
    const workflows = { "perf-nightly": "nightly", "baseline-update": "baseline-update" };
    for (const [name, example] of Object.entries({ ...workflows, "perf-gate": "smallest" })) {
      const path = `.github/workflows/${name}.yml`;
      project.write(path, "");
      cpSync(join(ROOT, `examples/${example}.yml`), join(project.root, path));
    }
    const gate = project.read(".github/workflows/perf-gate.yml");
    project.write(
      ".github/workflows/perf-gate.yml",
      gate.replace("tailgate/tailgate@v0 }", "tailgate/tailgate@v0, with: { compare: stored } }"),
    );
  });
}

async function updateBaselines(world: World): Promise<{ metrics: Record<string, number[]> }> {
  const { outcome } = await world.run("baseline-update", "workflow_dispatch");
  expect(outcome.jobs, outcome.log).toEqual({ update: "success" });
  const proposal = world.github.world.pullRequests.find(
    ({ state, head }) => state === "open" && head.ref === "tailgate/baselines",
  );
  world.merge(proposal?.number ?? 0);
  return JSON.parse(world.project.read("baselines/default/hello.json"));
}

async function recorded(world: World): Promise<HistoryRecord[]> {
  const { git } = world.github.world;
  const files = (await git.files("refs/heads/tailgate-history")) ?? [];
  const texts = await Promise.all(files.map(({ sha }) => git.blob(sha)));
  return texts.map((text) => JSON.parse(String(text)) as HistoryRecord);
}

/** Of a pull request against stored values. */
async function expectVerdict(world: World, server: string, expected: RegExp): Promise<void> {
  const number = world.github.world.pullRequests.length + 100;
  const proposed = await world.propose(number, { files: { "server.mjs": server } });
  const { outcome } = await world.gatePullRequest(proposed);
  world.project.git("checkout", "--quiet", "main");
  const { verdict, headline } = outcome.outputs.gate?.gate ?? {};
  expect(`${verdict}: ${headline}`, outcome.log).toMatch(expected);
}

test("after seven nights stored values decide, across an update of the kernel", async () => {
  const world = await repository();
  const { before, after } = KERNELS;
  // The last one is today: what lies on the disk must not look forgotten.
  world.day = { days: -7, kernel: before };
  await updateBaselines(world);
  const unchanged = `${SERVER}// Nothing else.\n`;
  await expectVerdict(world, unchanged, /^inconclusive: /);

  let rss = Number.NaN;
  for (let night = 1; night <= 7; night++) {
    world.day = { days: night - 7, kernel: night <= 3 ? before : after };
    // Somebody merges the proposal of the new machine before its first night.
    if (night === 4) rss = median((await updateBaselines(world)).metrics.rss ?? []);
    const { outcome } = await world.run("perf-nightly", "schedule");
    expect(outcome.jobs, outcome.log).toEqual({ nightly: "success" });
  }
  const kernels = (await recorded(world)).map(({ fingerprint }) => fingerprint.kernel);
  expect(kernels).toEqual([...Array(3).fill(before), ...Array(4).fill(after)]);

  const slower = SERVER.replace("latencyUs = 1000", "latencyUs = 1200");
  const larger = `${SERVER}globalThis.kept = Buffer.alloc(${Math.round(rss / 10)}, 1);\n`;
  await expectVerdict(world, unchanged, /^pass: /);
  await expectVerdict(world, slower, /^regressed: .*p99/);
  await expectVerdict(world, larger, /^regressed: .*RSS/);
  expect(world.github.world.issues).toEqual([]);
  expect(world.github.problems()).toEqual([]);
}, 900_000);
