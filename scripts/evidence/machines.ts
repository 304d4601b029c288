// Runs by the machine that measured them. Verdicts of several machines may be counted together; rounds of several may not be put into
// one pull request, and what sizes a plant on one says nothing about another. Pure.
import type { Fingerprint } from "../../src/model/host.ts";
import type { StoredRun } from "./runs.ts";

/** As the page calls a machine, and what tells it from another. */
export function machineName(fingerprint: Fingerprint): string {
  const { cpuModel, cpus, memoryGiB, kernel, microcode } = fingerprint;
  return `${cpuModel} (microcode ${microcode}), ${cpus} CPUs, ${Math.round(memoryGiB)} GiB, kernel ${kernel}`;
}

export const machineOf = ({ samples }: StoredRun): string => machineName(samples.host.fingerprint);

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
