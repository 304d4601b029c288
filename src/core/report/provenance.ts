// What was measured, and where, in words: sources, builds, machine, what runs beside a service.
import type { CpuSets, Fingerprint } from "../model/host.ts";
import type { ArtifactFacts, DependencyFacts, Source } from "../model/samples.ts";
import { formatCount, formatDuration, formatValue } from "../text/format.ts";
import { describeCpuSets } from "../text/machine.ts";
import { type Block, type Facts, tableOf } from "./kit/blocks.ts";

export function shortCommit(commit: string): string {
  return commit.slice(0, 10);
}

/** `9f1c2d3e4a + uncommitted changes, feature/pool "Use a pool"`; the end may be cut. */
export function describeSource({ commit, dirty, label, subject }: Source) {
  const changes = dirty ? " + uncommitted changes," : "";
  const title = subject === "" ? "" : ` "${subject}"`;
  // A reference that was named by its commit has no other name.
  const name = label !== "" && commit.startsWith(label) ? "" : ` ${label}`;
  return [{ code: shortCommit(commit) }, `${changes}${name}${title}`];
}

/** Each service's build, in both arms where they are two builds of one service. */
export function buildTable(artifacts: readonly ArtifactFacts[], arms: "named" | "unnamed"): Block {
  const named = arms === "named";
  return tableOf(
    [
      { title: "service", kind: "name" },
      ...(named ? [{ title: "arm", kind: "text" as const }] : []),
      { title: "build time", kind: "number" },
      { title: "size", kind: "number" },
      { title: "stripped", kind: "number", dropRank: 1 },
      { title: "toolchain", kind: "name", dropRank: 3 },
      { title: "sha256", kind: "name", dropRank: 2 },
    ],
    artifacts.map((artifact) => [
      artifact.service,
      ...(named ? [artifact.arm] : []),
      `${formatDuration(artifact.buildMs)}${artifact.cached ? " (cached)" : ""}`,
      formatValue("bytes", artifact.binaryBytes),
      formatValue("bytes", artifact.strippedBytes),
      artifact.toolchain,
      artifact.sha256.slice(0, 12),
    ]),
  );
}

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
  const machine = describeMachine(fingerprint) + where;
  return { machine, "CPU sets": describeCpuSets(cpuSets), generator: fingerprint.generator };
}

/** Empty: there are none. */
export function describeDependencies(dependencies: readonly DependencyFacts[]): string {
  return dependencies
    .map((facts) => `${facts.name}: ${facts.program}, ${describeIsolation(facts)}`)
    .join("; ");
}

/** What does not say how it is shared is a program, or of a version that shared everything. */
function describeIsolation({ isolation = "shared" }: DependencyFacts): string {
  return isolation === "shared" ? "shared by both" : "a copy for each";
}
