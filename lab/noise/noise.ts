// What makes a round's p99 ratio uncertain: identical programs in both arms, the same load cut into
// slices of other lengths, on other CPU sets, frozen or not, in the same minutes. Nothing else may
// run meanwhile.
//
//   node lab/noise/noise.ts measure [minutes] [out.jsonl.gz]     default 20 minutes; every request of every slice is kept. Then the tables
//   node lab/noise/noise.ts windows out.jsonl.gz                 the tables again
//   node lab/noise/noise.ts slices A.json,B.json [C.json…]       other estimates of a round from kept samples.v1 files of identical arms: one
//                                                               table for each list, so that what one of them suggests can be
//                                                               confirmed on another
import { appendFileSync, existsSync, mkdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { type ArmSetup, resolveArms, targetsOf } from "../../src/app/gate/arm-setup.ts";
import {
  type PreparedRun,
  type RunPlace,
  withMachine,
  withWorkFolder,
} from "../../src/app/machine/prepared-run.ts";
import { openProject } from "../../src/app/project/project.ts";
import { createPrng } from "../../src/core/base/prng.ts";
import type { Config, Recipe, Scenario } from "../../src/core/model/config.ts";
import type { CpuSets } from "../../src/core/model/host.ts";
import { ARMS, type Arm, type Round } from "../../src/core/model/samples.ts";
import { planRound, type RoundPlan } from "../../src/core/plan/round.ts";
import type { LoadGenerator, LoadRows } from "../../src/core/slice/load.ts";
import { LoadedArm } from "../../src/machine/run/arm.ts";
import { runRound } from "../../src/machine/run/round.ts";
import { systemClock } from "../../src/machine/sys/clock.ts";
import { cacheFolder } from "../../src/machine/sys/files.ts";
import { janitor } from "../../src/machine/sys/janitor.ts";
import type { Line } from "./recording.ts";
import { printSliceTables } from "./slices.ts";
import { printWindowTables } from "./windows.ts";

const root = resolve(import.meta.dirname, "../..");
const SEED = 20_261_121;
const DEFAULT_MINUTES = 20;

/** Four seconds of load for each arm and round, whatever its slices. */
const VARIANTS = [
  { of: "echo", name: "echo~500ms", durationMs: 500, pairs: 4 },
  { of: "echo", name: "echo~250ms", durationMs: 250, pairs: 8 },
  { of: "echo", name: "echo~1s", durationMs: 1000, pairs: 2 },
  { of: "echo", name: "echo~2s", durationMs: 2000, pairs: 1 },
  { of: "echo", name: "echo~2000rps", durationMs: 500, pairs: 4, rateRps: 2000 },
  { of: "process", name: "process~500ms", durationMs: 500, pairs: 4 },
];

/** One for each turn, in this order, over and over: as the gate does it, every other time. */
const SETTINGS = [
  "as the gate",
  "CPUs swapped",
  "as the gate",
  "not frozen",
  "as the gate",
  "any CPU",
];

function variantsOf(config: Config, service: string): Scenario[] {
  return VARIANTS.map(({ of, name, durationMs, pairs, rateRps }) => {
    const scenario = config.scenarios.find((one) => one.service === service && one.name === of);
    if (scenario === undefined) throw new Error(`no scenario ${of} of ${service}`);
    return {
      ...scenario,
      id: `${service}/${name}`,
      name,
      rateRps: rateRps ?? scenario.rateRps,
      // One warm-up for each kind of request, of a length that is no slice's.
      warmupRequests: name.endsWith("~500ms") ? scenario.warmupRequests + 1 : 0,
      slice: { durationMs, pairs },
    };
  });
}

/**
 * Pairs of every variant spread over the whole round, in random order: planRound would leave the
 * many short ones to its end.
 */
function spreadPlan(service: string, index: number, scenarios: readonly Scenario[]): RoundPlan {
  const plan = planRound({
    service,
    index,
    seed: SEED,
    arms: "both",
    scenarios: scenarios.map(({ id, slice }) => ({ id, pairs: slice.pairs })),
  });
  const prng = createPrng((SEED ^ Math.imul(index + 1, 0x9e3779b1)) >>> 0);
  const pairsOf = new Map(scenarios.map(({ id, slice }) => [id, slice.pairs]));
  const keyed = plan.pairs.map((pair) => ({
    pair,
    at: (pair.pair + prng.next()) / (pairsOf.get(pair.scenario) ?? Number.NaN),
  }));
  return { ...plan, pairs: keyed.sort((a, b) => a.at - b.at).map(({ pair }) => pair) };
}

/** oha, with a copy of the rows of all slices, by scenario, in the order they ran. */
interface Recorder extends LoadGenerator {
  /** Null for a slice that failed. */
  rows: Map<string, (LoadRows | null)[]>;
}

function recording(generator: LoadGenerator): Recorder {
  const rows: Recorder["rows"] = new Map();
  return {
    name: generator.name,
    rows,
    run: async (request) => {
      const { scenario, requests } = request;
      const result = await generator.run(request);
      const isSlice =
        requests === Math.round((scenario.rateRps * scenario.slice.durationMs) / 1000);
      if (!isSlice) return result;
      const kept = rows.get(scenario.id) ?? [];
      kept.push(result.kind === "done" ? result.rows : null);
      rows.set(scenario.id, kept);
      return result;
    },
  };
}

function cpuSetsOf(setting: string, { service, generator, disjoint }: CpuSets): CpuSets {
  if (setting === "CPUs swapped") return { service: generator, generator: service, disjoint };
  if (setting !== "any CPU") return { service, generator, disjoint };
  const all = [...new Set([...service, ...generator])].sort((a, b) => a - b);
  return { service: all, generator: all, disjoint: false };
}

const packed = (values: ArrayLike<number>, factor: number): string =>
  Buffer.from(Uint32Array.from(values, (value) => Math.round(value * factor)).buffer).toString(
    "base64",
  );

/**
 * One line of the file: a round without what its launches came to, each slice with its requests.
 */
function lineOf(round: Round, setting: string, recorder: Recorder): Line {
  const scenarios = round.scenarios.map(({ scenario, arms, slices }) => {
    const rows = recorder.rows.get(scenario) ?? [];
    if (rows.length !== slices.length)
      throw new Error(`${scenario}: ${rows.length} of ${slices.length} slices recorded`);
    return {
      scenario,
      whole: arms.candidate.pooled !== null && arms.reference?.pooled != null,
      slices: slices.map((slice, i) => {
        const row = rows[i] ?? null;
        if (row === null) return { slice, releaseUs: "", tenthsUs: "" };
        const { release, end } = row;
        const first = slice.dropped;
        return {
          slice,
          releaseUs: packed(
            release.subarray(first).map((at) => at - (release[first] ?? 0)),
            1,
          ),
          tenthsUs: packed(
            end.subarray(first).map((at, k) => at - (release[first + k] ?? Number.NaN)),
            10,
          ),
        };
      }),
    };
  });
  const { service, index, startedAtMs, endedAtMs, failure } = round;
  return { setting, service, index, startedAtMs, endedAtMs, failure, scenarios };
}

async function measure(minutes: number, path: string): Promise<void> {
  mkdirSync(dirname(path), { recursive: true });
  if (existsSync(path))
    throw new Error(`${path} is of an earlier run: name another file, or move it away`);
  const abort = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => abort.abort());
  const environment = {
    version: "noise",
    workingFolder: root,
    env: process.env,
    cache: cacheFolder(process.env),
    clock: systemClock,
    progress: { stage: () => {}, note: console.error, status: () => {}, secret: () => {} },
    abort: abort.signal,
  };
  const opened = await openProject({}, environment);
  const services = opened.config.services.map(({ name }) => name);
  const scenarios = new Map(services.map((name) => [name, variantsOf(opened.config, name)]));
  const project = {
    ...opened,
    config: { ...opened.config, scenarios: [...scenarios.values()].flat() },
  };
  const arms = await resolveArms(
    { project, compare: "base", baselines: [], arms: "same" },
    environment,
  );
  const setupOf = (arm: Arm): ArmSetup => {
    const setup = arms[arm];
    if (setup === undefined) throw new Error(`no ${arm}: bug`);
    return setup;
  };
  const jobs = ARMS.flatMap((arm) =>
    services.map((service) => ({
      arm,
      service,
      revision: setupOf(arm).revision,
      recipe: setupOf(arm).recipes[service] as Recipe,
    })),
  );
  const plan = {
    project,
    scenarios: project.config.scenarios,
    needed: [],
    jobs,
    arms: { candidate: setupOf("candidate") },
  };
  const wishes = { lockTimeoutMs: 600_000 };
  const freeze = LoadedArm.prototype.freeze;
  await withMachine(plan, wishes, environment, (prepared) =>
    withWorkFolder(prepared, environment, (place) => turns(prepared, place)),
  );
  LoadedArm.prototype.freeze = freeze;

  async function turns(prepared: PreparedRun, { dependencies, folder }: RunPlace): Promise<void> {
    const startedMs = systemClock.nowMs();
    for (let turn = 0; systemClock.nowMs() - startedMs < minutes * 60_000; turn++) {
      const setting = SETTINGS[turn % SETTINGS.length] ?? "";
      for (const service of turn % 2 === 0 ? services : [...services].reverse()) {
        const recorder = recording(prepared.generator);
        LoadedArm.prototype.freeze = setting === "not frozen" ? async () => {} : freeze;
        const own = scenarios.get(service) ?? [];
        const round = await runRound(spreadPlan(service, turn, own), {
          targets: targetsOf(service, arms, prepared.artifacts, dependencies),
          dependencies,
          scheme: "sliced",
          scenarios: own,
          cpuSets: cpuSetsOf(setting, prepared.cpuSets),
          generator: recorder,
          clock: systemClock,
          errorBudget: 0,
          runStartMs: startedMs,
          folder,
          abort: abort.signal,
          onProgress: () => {},
        });
        if (abort.signal.aborted) return;
        // A gzip file may consist of several, one after another.
        appendFileSync(path, gzipSync(`${JSON.stringify(lineOf(round, setting, recorder))}\n`));
        const voids = round.scenarios.flatMap(({ slices }) =>
          slices.filter((slice) => slice.void !== null),
        );
        console.error(
          `turn ${turn + 1}, ${service}, ${setting}: ${((round.endedAtMs - round.startedAtMs) / 1000).toFixed(1)} s, ${voids.length} void, ${((systemClock.nowMs() - startedMs) / 60_000).toFixed(1)} min${round.failure === null ? "" : `, ${round.failure.text}`}`,
        );
      }
    }
  }
}

const [command, ...rest] = process.argv.slice(2);
if (command === "measure") {
  const path = rest[1] ?? join(root, ".tailgate/noise.jsonl.gz");
  await measure(Number(rest[0] ?? DEFAULT_MINUTES), path);
  janitor.cleanUp();
  printWindowTables(path);
} else if (command === "windows" && rest.length === 1) {
  printWindowTables(rest[0] ?? "");
} else if (command === "slices" && rest.length > 0) {
  for (const list of rest) printSliceTables(list.split(","));
} else {
  console.error(
    "usage: node lab/noise/noise.ts measure [minutes] [out] | windows file | slices files…",
  );
  process.exitCode = 2;
}
