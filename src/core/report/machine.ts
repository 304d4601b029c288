// Where it was measured, in words.
import type { CpuSets, Fingerprint } from "../model/host.ts";
import { formatCount, formatCpuList } from "../text/format.ts";
import type { Facts } from "./kit/blocks.ts";

export function describeMachine(fingerprint: Fingerprint): string {
  const { cpuModel, cpus, memoryGiB, kernel, governor, smt, virtual, keptAwake } = fingerprint;
  return [
    `${cpuModel}, ${cpus} CPUs, ${formatCount(memoryGiB)} GiB`,
    `kernel ${kernel}`,
    `governor ${governor}`,
    `SMT ${smt}`,
    virtual ? "virtual machine" : "bare metal",
    ...(keptAwake === undefined ? [] : [AWAKE[`${keptAwake}`]]),
  ].join(", ");
}

const AWAKE = {
  true: "CPUs kept awake",
  occupied: "CPUs kept awake by processes of the lowest rank",
} as const;

export function machineFacts(fingerprint: Fingerprint, cpuSets: CpuSets, where = ""): Facts {
  return {
    machine: describeMachine(fingerprint) + where,
    "CPU sets": describeCpuSets(cpuSets),
    generator: fingerprint.generator,
  };
}

export function describeCpuSets({ service, generator, disjoint }: CpuSets): string {
  const sharing = disjoint ? "" : " (shared: the generator disturbs what it measures)";
  return `service ${formatCpuList(service)}, generator ${formatCpuList(generator)}${sharing}`;
}
