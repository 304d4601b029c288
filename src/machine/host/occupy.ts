// Occupies idle CPUs where the kernel takes no wish for wakefulness: on each a process of the
// lowest rank spins, and gives way to whatever else wants to run. docs/adr/0011 has what that is
// worth, and where it is second best.
import { existsSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { readOrEmpty } from "../sys/files.ts";
import { type ChildGroup, spawnGroup } from "../sys/process.ts";
import { parsePolicy } from "./parse-proc.ts";

interface Occupation {
  /** One process for each CPU. */
  pids: readonly number[];
  /** They are gone at some moment after it. */
  release(): void;
}

/** The one program that a shell lacks: it gives a process the scheduling class SCHED_IDLE. */
const CHRT_PLACES = ["/usr/bin/chrt", "/bin/chrt"] as const;

/** Path of chrt; null: not installed. `root`: as HostOptions. */
export const findChrt = (root = ""): string | null =>
  CHRT_PLACES.find((place) => existsSync(root + place)) ?? null;

const SPIN = "while :; do :; done";
/** Whoever is not root may change one session in 100 ms, on the whole machine. */
const AUTOGROUP_PAUSE_MS = 120;
const AUTOGROUP_ATTEMPTS = 5;
/** Of sched(7). */
const SCHED_IDLE = 5;
/** A busy machine may take seconds to start a process. */
const START_POLLS = 1000;
const POLL_MS = 10;

/** Null when a process does not stay: none is left then. */
export async function occupyIdle(
  cpus: readonly number[],
  chrt: string,
): Promise<Occupation | null> {
  const spinners = cpus.map((cpu) =>
    spawnGroup([chrt, "-i", "0", "/bin/sh", "-c", SPIN], { cpus: [cpu] }),
  );
  const release = (): void => {
    for (const spinner of spinners) spinner.signal("SIGKILL");
  };
  const pids = spinners.flatMap(({ pid }) => pid ?? []);
  for (const pid of pids) await lowerSession(pid);
  const isStarting = (child: ChildGroup): boolean => child.exit() === null && !isOccupying(child);
  for (let poll = 0; poll < START_POLLS && spinners.some(isStarting); poll++) await sleep(POLL_MS);
  if (spinners.every(isOccupying)) return { pids, release };
  release();
  return null;
}

/** taskset comes before chrt: what has its class has its CPU. */
function isOccupying({ pid, exit }: ChildGroup): boolean {
  return exit() === null && parsePolicy(readOrEmpty(`/proc/${pid}/stat`)) === SCHED_IDLE;
}

/**
 * Where the kernel shares CPUs among sessions before it looks at what is in them (autogroup), a
 * session of one spinner would have as much as the service's.
 */
async function lowerSession(pid: number): Promise<void> {
  for (let attempt = 1; attempt <= AUTOGROUP_ATTEMPTS; attempt++) {
    try {
      writeFileSync(`/proc/${pid}/autogroup`, "19");
      return;
    } catch (error) {
      // Anything else: no such file, and CPUs are shared among processes, whose class is enough.
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") return;
      await sleep(AUTOGROUP_PAUSE_MS);
    }
  }
}
