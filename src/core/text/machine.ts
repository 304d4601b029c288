// What is said of a machine's CPUs and of who else used them.
import type { CpuSets } from "../model/host.ts";
import type { Culprit } from "../model/samples.ts";
import { plainLine } from "./escape.ts";
import { formatCpuList, formatShare } from "./format.ts";

export function describeCpuSets({ service, generator, disjoint }: CpuSets): string {
  const sharing = disjoint ? "" : " (shared: the generator disturbs what it measures)";
  return `service ${formatCpuList(service)}, generator ${formatCpuList(generator)}${sharing}`;
}

const MAX_PROGRAM_NAME = 32;
const HIDDEN = "programs outside this container";

/** `rustc used 38 %, node 4 % of the measured CPUs`, of one or more; their names are foreign text. */
export function describeCulprits(culprits: readonly Culprit[]): string {
  const used = culprits.map(({ command, share }, at) =>
    [
      plainLine(command ?? HIDDEN, MAX_PROGRAM_NAME),
      ...(at === 0 ? ["used"] : []),
      formatShare(share),
    ].join(" "),
  );
  return used.length === 0 ? "" : `${used.join(", ")} of the measured CPUs`;
}
