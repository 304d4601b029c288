// From an empty repository to a stored comparison that decides, as docs/baselines.md tells it: the
// examples' workflows, a first baseline, and seven nights of which the fourth has another kernel; and
// to a creep that no single night shows.
import { cpSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { beforeEach, expect, type TestContext, test } from "vitest";
import { createPrng } from "../../src/core/base/prng.ts";
import { recordPath, renderRecord } from "../../src/core/history/layout.ts";
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
runner: { keepAwake: false, explain: false }
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
  rssPeak: { level: info }
  startup: { level: info }
  cpuPer1k: { level: info }
policy: { timeBudget: 150s }
`;

beforeEach((context: TestContext) => needsAct(context));

function repository(configuration = CONFIGURATION): Promise<World> {
  return World.create((project) => {
    project.write("server.mjs", SERVER);
    project.write("tailgate.yml", configuration);
    project.write(".gitignore", "/.tailgate/\n");
    const workflows = { "perf-nightly": "nightly", "baseline-update": "baseline-update" };
    for (const [name, example] of Object.entries({ ...workflows, "perf-gate": "smallest" })) {
      const path = `.github/workflows/${name}.yml`;
      project.write(path, "");
      cpSync(join(ROOT, `docs/examples/${example}.yml`), join(project.root, path));
    }
    const gate = project.read(".github/workflows/perf-gate.yml");
    project.write(
      ".github/workflows/perf-gate.yml",
      gate.replace(/(?<= {8})uses: tailgate\/.*/, "$&\n        with: { compare: stored }"),
    );
  });
}

async function updateBaselines(world: World): Promise<{ metrics: Record<string, number[]> }> {
  const { outcome } = await world.run("baseline-update", "workflow_dispatch");
  expect(outcome.jobs, outcome.log).toEqual({ update: "success" });
  const proposal = world.github.world.pullRequests.find(
    ({ state, head }) => state === "open" && head.ref.startsWith("tailgate/baselines-"),
  );
  world.merge(proposal?.number ?? 0);
  return world.baseline();
}

async function recorded(world: World): Promise<HistoryRecord[]> {
  const { git } = world.github.world;
  const files = git.files("refs/heads/tailgate-history") ?? [];
  const texts = files.map(({ sha }) => git.blob(sha));
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

const HISTORY = "refs/heads/tailgate-history";
const LATENCY = "hello/hello/p99Typical";
const LAST_CALM = 9;
const TODAY = 23;
const commitOf = (night: number): string => night.toString(16).padStart(4, "0").repeat(10);
const creptBy = (night: number): number => Math.log(1.01) * Math.max(0, night - LAST_CALM);

/** Nights after this one, as the workflow would have recorded them. */
async function remember(first: HistoryRecord, world: World): Promise<void> {
  const { next } = createPrng(1);
  const nights = Array.from({ length: TODAY - 1 }, (_, k): HistoryRecord => {
    const night = k + 1;
    const startedAt = new Date(Date.parse(first.run.startedAt) + night * 24 * 3600 * 1000);
    const series = Object.entries(first.series).map(([id, point]) => {
      const estimate = (next() - 0.5) / 25 + (id === LATENCY ? creptBy(night) : 0);
      return [id, { ...point, ratio: { estimate, low: estimate - 0.03, high: estimate + 0.03 } }];
    });
    return {
      ...first,
      run: { ...first.run, id: `night-${night}`, startedAt: startedAt.toISOString() },
      commit: { sha: commitOf(night), parent: commitOf(night - 1), subject: `Change ${night}` },
      series: Object.fromEntries(series),
    };
  });
  const { git } = world.github.world;
  const head = String(git.commitOf(HISTORY));
  const files = nights.map((night) => ({
    path: recordPath(night),
    mode: "100644",
    content: renderRecord(night),
  }));
  const tree = String(git.writeTree(head, files));
  git.moveRef(HISTORY, head, String(git.writeCommit(tree, [head], "three weeks")));
}

test("a creep of 1 % a night is told within three weeks, with its size and first commits", async () => {
  // Every single night passes.
  const world = await repository(CONFIGURATION.replace("margin: 15%", "margin: 40%"));
  const spendNight = async (): Promise<void> => {
    const { outcome } = await world.run("perf-nightly", "schedule");
    expect(outcome.jobs, outcome.log).toEqual({ nightly: "success" });
  };
  world.day = { days: -TODAY, kernel: KERNELS.before };
  await updateBaselines(world);
  await spendNight();
  const [first] = await recorded(world);
  await remember(first as HistoryRecord, world);

  world.day = { days: 0, kernel: KERNELS.before };
  const latencyUs = Math.round(1000 * Math.exp(creptBy(TODAY)));
  const slower = SERVER.replace("latencyUs = 1000", `latencyUs = ${latencyUs}`);
  world.commitToMain("slower once more", { "server.mjs": slower });
  await spendNight();

  const { issues } = world.github.world;
  expect(issues).toMatchObject([{ state: "open" }]);
  const told =
    /- hello\/hello p99: \*\*\+[\d.]+ %\*\* \[\+([\d.]+), \+([\d.]+)\] % little by little from .*\/compare\/(\w+)\.\.\.(\w+)>/.exec(
      issues[0]?.body ?? "",
    );
  const [, low, high, after = "", by = ""] = told ?? [];
  expect(Number(low), issues[0]?.body).toBeLessThan(100 * Math.expm1(creptBy(TODAY)));
  expect(Number(high)).toBeGreaterThan(100 * Math.expm1(creptBy(TODAY)));
  expect(after <= commitOf(LAST_CALM), after).toBe(true);
  expect(by >= commitOf(LAST_CALM + 1), by).toBe(true);
  expect(world.github.problems()).toEqual([]);
}, 300_000);
