// Runs by the machine that measured them. Verdicts of several machines may be counted together; rounds of several may not be put into
// one pull request, and what sizes a plant on one says nothing about another. Pure.
import type { StoredRun } from "./runs.ts";

/** As the page calls the machine of a run, and what tells it from another: its idle CPUs too, which make another one of it. */
export function machineOf({ samples }: StoredRun): string {
  const { cpuModel, cpus, memoryGiB, kernel, microcode, keptAwake } = samples.host.fingerprint;
  const idle = { true: "kept awake", occupied: "kept awake by processes", undefined: "halting" };
  return `${cpuModel} (microcode ${microcode}), ${cpus} CPUs, ${idle[`${keptAwake}`]}, ${Math.round(memoryGiB)} GiB, kernel ${kernel}`;
}

/** What `render` makes of each machine's share, under the machine's name where there are several. */
export function renderByMachine<T>(
  items: readonly T[],
  nameOf: (item: T) => string,
  render: (own: readonly T[]) => string,
): string {
  const machines = [...Map.groupBy(items, nameOf)];
  return machines
    .map(([machine, own]) =>
      machines.length === 1 ? render(own) : `${machine}:\n\n${render(own)}`,
    )
    .join("\n\n");
}
