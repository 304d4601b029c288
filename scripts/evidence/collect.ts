// Measures for the evidence, unattended, as long as it is told to; whatever is most wanting by docs/evidence/plan.json. What a run measured is
// kept when the run has ended, so that stopping at any time loses one run, and the next call goes on from there. Nothing else may
// run on the machine meanwhile.
//
//   node scripts/evidence/collect.ts --for 25m [--into docs/evidence] [--only pool|aa|p99+10|…]
//   node scripts/evidence/collect.ts --status
import { existsSync, readFileSync, rmSync } from "node:fs";
import { loadavg } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { readSamples } from "../../src/app/samples-file.ts";
import { parseDuration } from "../../src/config/units.ts";
import type { Samples } from "../../src/model/samples.ts";
import { judge } from "../../src/verdict/judge.ts";
import { KINDS, type Levels, plantsOf } from "./kinds.ts";
import { firstEstimate, levelsOf } from "./levels.ts";
import { chooseTask, doneOf, type Plan, PlanSchema, type Task } from "./plan.ts";
import { poolOf, turnCount } from "./pool.ts";
import { type Plant, readStoredRuns, type StoredRun, storeRun } from "./runs.ts";
import { FIT_ROUNDS, nextTrial, observationsOf, sizeFor } from "./size.ts";
import {
  type Change,
  changeConfiguration,
  cloneHead,
  outputOf,
  ROOT,
  restoreConfiguration,
  runProgram,
} from "./working-copy.ts";

const SERVICES: readonly [string, string] = ["axum-api", "gin-api"];

const { values } = parseArgs({
  options: {
    for: { type: "string" },
    into: { type: "string", default: join(ROOT, "docs/evidence") },
    only: { type: "string" },
    status: { type: "boolean", default: false },
  },
});
const folder = resolve(values.into);
const stopping = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => stopping.abort());
const plan = planFor(values.only);

function planFor(only: string | undefined): Plan {
  const whole = PlanSchema.parse(
    JSON.parse(readFileSync(join(ROOT, "docs/evidence/plan.json"), "utf8")),
  );
  if (only === undefined) return whole;
  if (only === "pool") return { ...whole, gates: {} };
  const wanted = whole.gates[only];
  if (wanted === undefined) throw new Error(`the plan has no kind ${only}`);
  // One round: the pool is had as soon as anything is.
  return { ...whole, poolRounds: 1, gates: { [only]: wanted } };
}

if (values.status) {
  printStatus(readStoredRuns(folder));
} else if (values.for === undefined) {
  console.error("usage: node scripts/evidence/collect.ts --for 25m | --status");
  process.exitCode = 2;
} else {
  const duration = parseDuration(values.for);
  if (!duration.ok) throw new Error(`--for: expected ${duration.expected}`);
  await collect(performance.now() + duration.value);
}

function printStatus(runs: readonly StoredRun[]): void {
  const done = doneOf(runs, turnCount(poolOf(runs)));
  console.log(`pool: ${done.poolRounds} of ${plan.poolRounds} rounds of each service`);
  for (const [kind, wanted] of Object.entries(plan.gates)) {
    console.log(`${kind}: ${done.gates[kind] ?? 0} of ${wanted} gates`);
  }
}

async function collect(endMs: number): Promise<void> {
  const clone = cloneHead();
  while (!stopping.signal.aborted) {
    const runs = readStoredRuns(folder);
    const done = doneOf(runs, turnCount(poolOf(runs)));
    const task = chooseTask(plan, done, FIT_ROUNDS);
    if (task === null) {
      console.error("all that the plan wants is there");
      return;
    }
    const leftMinutes = (endMs - performance.now()) / 60_000;
    const fitting = fitInto(task, leftMinutes, runs);
    if (fitting === null) {
      console.error(`${leftMinutes.toFixed(1)} minutes are too few for the next run`);
      return;
    }
    await perform(fitting, runs, clone);
  }
}

/** Of a turn of both services, before any has been measured. */
const TURN_MINUTES = 0.6;
/** Of a gate that measures to the end of its time budget. */
const LONGEST_GATE_MINUTES = 17;

/** The task, a shorter run for the pool where time is short, or null. */
function fitInto(task: Task, leftMinutes: number, runs: readonly StoredRun[]): Task | null {
  if (task.kind === "gate" && leftMinutes >= usualMinutes(task.gate, runs)) return task;
  const wanted = task.kind === "pool" ? task.rounds : plan.chunkRounds;
  const rounds = Math.min(wanted, Math.floor(leftMinutes / TURN_MINUTES));
  return rounds >= FIT_ROUNDS ? { kind: "pool", rounds } : null;
}

function usualMinutes(kind: string, runs: readonly StoredRun[]): number {
  const earlier = runs.filter((run) => run.kind === kind).map(({ minutes }) => minutes);
  return earlier.length < 3 ? LONGEST_GATE_MINUTES : Math.max(...earlier);
}

async function perform(task: Task, runs: readonly StoredRun[], clone: string): Promise<void> {
  if (task.kind === "pool") {
    await measureAndKeep(clone, "pool", [], { faults: [], looks: [task.rounds] }, []);
    return;
  }
  const { gate: kind, nth } = task;
  const levels = levelsOf(poolOf(runs), runs);
  const unsized = KINDS[kind]?.sized === true ? nextFit(runs, levels) : null;
  if (unsized !== null) {
    // One step of sizing, then everything is looked at again.
    const change = { faults: [unsized], looks: [FIT_ROUNDS] };
    await measureAndKeep(clone, "fit", [unsized], change, ["--service", unsized.service]);
    return;
  }
  const plants = plantsOf(kind, nth, SERVICES, {
    levels,
    sizeOf: (service, effect) => {
      const size = sizeFor(effect, observationsOf(runs, service, firstEstimate));
      if (size === null) throw new Error(`no size of +${effect} for ${service}: bug`);
      return size;
    },
  });
  await measureAndKeep(clone, kind, plants, { faults: plants, looks: null }, []);
}

/** Two steps for each service; from then on the gates themselves add to what is known. */
const FIT_STEPS = 2;
/** Larger than what is planted, so that few rounds tell it from noise. */
const FIT_EFFECT = 0.3;

function nextFit(runs: readonly StoredRun[], levels: Levels): Plant | null {
  for (const service of SERVICES) {
    const observed = observationsOf(runs, service, firstEstimate);
    const isKnown = observed.length >= FIT_STEPS && sizeFor(FIT_EFFECT, observed) !== null;
    if (isKnown) continue;
    const latencyUs = nextTrial(FIT_EFFECT, levels.p99Us[service] ?? 0, observed.at(-1) ?? null);
    const finds = [`${service}/echo p99 typical`];
    return { service, faults: `route=/echo,latency_us=${latencyUs}`, finds, effect: FIT_EFFECT };
  }
  return null;
}

/** What a signal cut short is not kept. */
async function measureAndKeep(
  clone: string,
  kind: string,
  plants: readonly Plant[],
  change: Change,
  args: readonly string[],
): Promise<void> {
  const isGate = KINDS[kind] !== undefined;
  const load = loadavg()[0] ?? 0;
  console.error(
    `\n== ${kind} ${plants.map(({ service, faults }) => `${service}: ${faults}`).join("; ")}`,
  );
  rmSync(outputOf(clone, ""), { recursive: true, force: true });
  changeConfiguration(clone, change);
  const { exitCode, minutes } = await runProgram(clone, {
    command: isGate ? "gate" : "measure",
    args,
    abort: stopping.signal,
  });
  restoreConfiguration(clone);
  if (stopping.signal.aborted) return;
  const path = outputOf(clone, "samples.v1.json");
  if (exitCode === null || !existsSync(path)) {
    throw new Error(`the program ended with ${exitCode} and left no samples`);
  }
  const samples = readSamples(path);
  const name = `${samples.run.startedAt.replace(/\.\d+Z$/, "Z").replaceAll(":", "")}-${kind}`;
  storeRun(
    folder,
    {
      name,
      kind,
      plants: [...plants],
      minutes: Number(minutes.toFixed(2)),
      exitCode,
      verdict: isGate ? verdictOf(clone, samples) : null,
      load: Number(load.toFixed(2)),
    },
    samples,
  );
}

/** The program's own words; that the samples give the same verdict here is checked on the way. */
function verdictOf(clone: string, samples: Samples): StoredRun["verdict"] {
  const { verdict } = JSON.parse(readFileSync(outputOf(clone, "report.v1.json"), "utf8"));
  const again = judge({ samples, baselines: [] });
  if (again.state !== verdict.state) {
    throw new Error(`the program said ${verdict.state}, its samples say ${again.state}`);
  }
  return { state: again.state, regressed: regressedOf(again) };
}

function regressedOf({ comparisons }: ReturnType<typeof judge>): string[] {
  return comparisons
    .filter(({ level, state }) => level === "gate" && state === "regressed")
    .map(({ id }) => id);
}
