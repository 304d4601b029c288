// Runs by the machine that measured them. Verdicts of several machines may be counted together; rounds of several may not be put into
// one pull request, and what sizes a plant on one says nothing about another. Pure.
import type { StoredRun } from "./runs.ts";

/** As the page calls the machine of a run, and what tells it from another: its idle CPUs too, which make another one of it. */
export function machineOf({ samples }: StoredRun): string {
  const { cpuModel, cpus, memoryGiB, kernel, microcode, keptAwake } = samples.host.fingerprint;
  const idle = { true: "kept awake", occupied: "kept awake by processes", undefined: "halting" };
  return `${cpuModel} (microcode ${microcode}), ${cpus} CPUs, ${idle[`${keptAwake}`]}, ${Math.round(memoryGiB)} GiB, kernel ${kernel}`;
}

/** In the order in which each first comes up. */
export function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const own = groups.get(key);
    if (own === undefined) groups.set(key, [item]);
    else own.push(item);
  }
  return groups;
}
