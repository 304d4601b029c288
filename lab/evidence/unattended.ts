// Measures one thing after the other, unattended, for as long as it is told: what collectors share.
// A signal stops it with the run that is under way, which is lost; the next call goes on from there.
import { DURATION } from "../../src/core/config/units.ts";
import { janitor } from "../../src/machine/sys/janitor.ts";
import { startBatch } from "../lines.ts";
import { startDisturbance } from "./disturbances.ts";
import type { Task, Wanted } from "./kinds.ts";
import { cloneHead, restoreTree } from "./working-copy.ts";

/** After so many failures in a row the machine is broken, not an edit. */
const MOST_FAILURES = 5;

export interface Asked {
  /** As people write it: `25m`. */
  duration: string;
  /** Runs at most. */
  most: number;
  /** Kinds; empty: any. */
  only: readonly string[];
}

export interface Place {
  /** Of HEAD. */
  clone: string;
  /** Where the runs of this call are kept. */
  batch: string;
  abort: AbortSignal;
}

export interface Collector {
  /** Names of all kinds. */
  kinds: readonly string[];
  /** Of the batches. */
  folder: string;
  /** Null: all is there, or nothing fits into the time left. */
  choose(left: Pick<Wanted, "only" | "leftMinutes" | "failed">): Task | null;
  /** Measures and keeps it. An error leaves it out for the rest of this call, which then exits with 1. */
  measure(task: Task, place: Place): Promise<void>;
}

export async function collect(
  { duration, most, only }: Asked,
  collector: Collector,
): Promise<void> {
  const durationMs = DURATION.parse(duration);
  if (durationMs === null) throw new Error(`--for: expected ${DURATION.expected}`);
  const { kinds, folder } = collector;
  const unknown = only.find((kind) => !kinds.includes(kind));
  if (unknown !== undefined)
    throw new Error(`--only: expected one of ${kinds.join(", ")}, not ${unknown}`);
  const endMs = performance.now() + durationMs;
  const stopping = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => stopping.abort());
  try {
    const place = { clone: cloneHead(), batch: startBatch(folder), abort: stopping.signal };
    await measureAll({ most, only, endMs }, collector, place);
  } finally {
    janitor.cleanUp();
  }
}

/** None that would end after `endMs` by `performance.now()`. */
async function measureAll(
  { most, only, endMs }: { most: number; only: readonly string[]; endMs: number },
  { choose, measure }: Collector,
  place: Place,
): Promise<void> {
  const failed: Task[] = [];
  let inARow = 0;
  for (let run = 0; run < most && !place.abort.aborted; run++) {
    const leftMinutes = (endMs - performance.now()) / 60_000;
    const task = choose({ only, leftMinutes, failed });
    if (task === null) {
      console.error(`all is there, or ${leftMinutes.toFixed(1)} minutes are too few for a run`);
      return;
    }
    try {
      await measure(task, place);
      inARow = 0;
    } catch (error) {
      failed.push(task);
      inARow++;
      process.exitCode = 1;
      console.error(`== ${task.kind} ${task.nth + 1} is left out: ${(error as Error).message}`);
      if (inARow === MOST_FAILURES) throw error;
    }
  }
}

interface Change {
  /** Writes the clone's working tree. */
  change(): void;
  /** A name of disturbances.ts; null: none. */
  disturbance: string | null;
}

/** Runs while the clone is changed, beside a disturbance; then its tree is as HEAD is. */
export async function whileChanged<T>(
  { clone, abort }: Place,
  { change, disturbance }: Change,
  run: () => Promise<T>,
): Promise<T> {
  try {
    change();
    using running = disturbance === null ? null : startDisturbance(disturbance);
    const ran = await run();
    if (!abort.aborted) running?.check();
    return ran;
  } finally {
    restoreTree(clone);
  }
}
