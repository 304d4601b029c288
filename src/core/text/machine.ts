// What is said of a machine's CPUs and of who else used them.
import type { CpuSets } from "../model/host.ts";
import { mostFirst } from "../model/parts.ts";
import type { Culprit } from "../model/samples.ts";
import { plainLine } from "./escape.ts";
import { formatCpuList, formatShare } from "./format.ts";

export function describeCpuSets({ service, generator, disjoint }: CpuSets): string {
  const sharing = disjoint ? "" : " (shared: the generator disturbs what it measures)";
  return `service ${formatCpuList(service)}, generator ${formatCpuList(generator)}${sharing}`;
}

/** What took the machine from a run, by the rule that saw it. */
const TOOK: Readonly<Record<string, string>> = {
  "foreign-cpu": "other programs",
  steal: "the hypervisor",
  "slow-cpu": "slow CPUs",
  lag: "a late generator",
  throttled: "a CPU quota",
};

/** `other programs 10, a late generator 1`: in how many slices. */
export function describeRules(byRule: Readonly<Record<string, number>>): string {
  return mostFirst(byRule)
    .map(([rule, n]) => `${TOOK[rule] ?? rule} ${n}`)
    .join(", ");
}

const MAX_PROGRAM_NAME = 32;
const HIDDEN = "programs outside this container";

/** `rustc used 38 %, node 4 % of the measured CPUs`, of one or more; their names are foreign text. */
export function describeCulprits(culprits: readonly Culprit[]): string {
  const used = culprits.map(({ command, share }, at) => {
    const name = plainLine(command ?? HIDDEN, MAX_PROGRAM_NAME);
    return `${name}${at === 0 ? " used" : ""} ${formatShare(share)}`;
  });
  return used.length === 0 ? "" : `${used.join(", ")} of the measured CPUs`;
}
