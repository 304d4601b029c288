// The loop of a collection: what is most wanting, measured by the program in a clone, kept when it has ended.
import { existsSync, readFileSync, rmSync } from "node:fs";
import { loadavg } from "node:os";
import { readSamples } from "../../src/app/samples-file.ts";
import { ReportSchema } from "../../src/model/report.ts";
import { FIT_EFFECT, fitPlants, KINDS, type Levels, plantsOf, serviceOf } from "./kinds.ts";
import { firstEstimate, levelsOf } from "./levels.ts";
import { machineOf } from "./machines.ts";
import { chooseTask, doneOf, fitInto, type Plan, type Task } from "./plan.ts";
import { poolOf, turnCount } from "./pool.ts";
import { type Plant, readStoredRuns, type StoredRun, storeRun } from "./runs.ts";
import { FIT_ROUNDS, nextTrial, observationsOf, sizeFor } from "./size.ts";
import {
  type Change,
  changeTree,
  cloneHead,
  outputOf,
  restoreTree,
  runProgram,
  UNCHANGED,
} from "./working-copy.ts";

const SERVICES: readonly [string, string] = ["axum-api", "gin-api"];

export interface Collection {
  folder: string;
  plan: Plan;
  /** By `performance.now()`. */
  endMs: number;
  /** Ends it; the run that is going on is not kept. */
  abort: AbortSignal;
}

export async function collect({ folder, plan, endMs, abort }: Collection): Promise<void> {
  const clone = cloneHead();
  // What comes before the first run is of identical arms: nothing is known of this machine, and nothing need be.
  let hasMeasured = false;
  while (!abort.aborted) {
    const runs = readStoredRuns(folder);
    const machine = hasMeasured ? runs.slice(-1).map(machineOf)[0] : null;
    const here = runs.filter((run) => machineOf(run) === machine);
    const done = doneOf(runs, turnCount(poolOf(runs)));
    const task = chooseTask(plan, done, turnCount(poolOf(here)) >= FIT_ROUNDS);
    if (task === null) {
      console.error("all that the plan wants is there");
      return;
    }
    const leftMinutes = (endMs - performance.now()) / 60_000;
    const fitting = fitInto(task, leftMinutes, runs, plan);
    if (fitting === null) {
      console.error(`${leftMinutes.toFixed(1)} minutes are too few for the next run`);
      return;
    }
    await perform(fitting, here, { clone, folder, abort });
    hasMeasured = true;
  }
}

interface Place {
  clone: string;
  folder: string;
  abort: AbortSignal;
}

/** `runs`: those of this machine, which alone say what a plant comes to on it. */
async function perform(task: Task, runs: readonly StoredRun[], place: Place): Promise<void> {
  if (task.kind === "pool") {
    await measureAndKeep(place, "pool", { ...UNCHANGED, looks: [task.rounds] });
    return;
  }
  const { gate: kind, nth } = task;
  const levels = levelsOf(poolOf(runs), runs);
  const unsized = KINDS[kind]?.sized === true ? nextFit(runs, levels) : null;
  if (unsized !== null) {
    // One step of sizing, then everything is looked at again.
    await measureAndKeep(place, "fit", { ...UNCHANGED, ...unsized, looks: [FIT_ROUNDS] });
    return;
  }
  const service = serviceOf(nth, SERVICES);
  const faults = plantsOf(kind, service, {
    levels,
    sizeOf: (service, effect) => {
      const size = sizeFor(effect, observationsOf(runs, service, firstEstimate));
      if (size === null) throw new Error(`no size of +${effect} for ${service}: bug`);
      return size;
    },
  });
  const only = KINDS[kind]?.scope === "echo" ? service : null;
  const p99Promise = KINDS[kind]?.p99Promise ?? null;
  const rebuilt = KINDS[kind]?.rebuilt === true;
  await measureAndKeep(place, kind, { ...UNCHANGED, faults, only, p99Promise, rebuilt });
}

/** Two steps for each service; from then on the gates themselves add to what is known. */
const FIT_STEPS = 2;

function nextFit(
  runs: readonly StoredRun[],
  levels: Levels,
): { faults: Plant[]; only: string } | null {
  for (const service of SERVICES) {
    const observed = observationsOf(runs, service, firstEstimate);
    const isKnown = observed.length >= FIT_STEPS && sizeFor(FIT_EFFECT, observed) !== null;
    if (isKnown) continue;
    const latencyUs = nextTrial(FIT_EFFECT, levels.p99Us[service] ?? 0, observed.at(-1) ?? null);
    const sizeOf = (): number => latencyUs;
    return { faults: fitPlants(service, { levels, sizeOf }), only: service };
  }
  return null;
}

/** What a signal cut short is not kept. */
async function measureAndKeep(
  { clone, folder, abort }: Place,
  kind: string,
  change: Change & { faults: readonly Plant[] },
): Promise<void> {
  const { faults: plants, only } = change;
  const isGate = KINDS[kind] !== undefined;
  const load = loadavg()[0] ?? 0;
  console.error(
    `\n== ${kind} ${only ?? ""} ${plants.map(({ service, faults }) => `${service}: ${faults}`).join("; ")}`,
  );
  rmSync(outputOf(clone, ""), { recursive: true, force: true });
  changeTree(clone, change);
  const { exitCode, minutes } = await runProgram(clone, {
    command: isGate ? "gate" : "measure",
    abort,
  });
  restoreTree(clone);
  if (abort.aborted) return;
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
      verdict: isGate ? verdictOf(clone) : null,
      load: Number(load.toFixed(2)),
    },
    samples,
  );
}

/** The program's own words. */
function verdictOf(clone: string): StoredRun["verdict"] {
  const { verdict } = ReportSchema.parse(
    JSON.parse(readFileSync(outputOf(clone, "report.v1.json"), "utf8")),
  );
  const regressed = verdict.comparisons
    .filter(({ level, state }) => level === "gate" && state === "regressed")
    .map(({ id }) => id);
  return { state: verdict.state, regressed };
}
