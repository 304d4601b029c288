// Over the slices of a round: which programs of others used the measured CPUs meanwhile, by the CPU
// time of all processes that are neither ours nor known to be used by what is measured, read twice.
import { type Culprit, MOST_CULPRITS } from "../../core/model/samples.ts";
import { isInContainer } from "../host/container.ts";
import type { ProcStat } from "../host/parse-proc.ts";
import { readOrEmpty } from "../sys/or-null.ts";
import type { HostCounters, KnownUsers } from "./probe/host-counters.ts";
import { hostShares, measuredCpus, readHostCounters } from "./probe/host-counters.ts";
import { membersOf, NO_GROUP, readProcesses } from "./probe/process-tree.ts";
import type { RoundContext } from "./round-context.ts";

export class OtherProgramsWatch {
  readonly #context: Pick<RoundContext, "clock" | "cpuSets" | "readCounters">;
  readonly #known: () => KnownUsers;
  readonly #usedMs = new Map<string, number>();
  /** At the last look; null: nothing is watched. */
  #seen: OtherPrograms | null = null;
  #cpuMs = 0;
  #foreignMs = 0;

  /** `known`: whose CPU time is expected, at the moment it is asked. */
  constructor(
    context: Pick<RoundContext, "clock" | "cpuSets" | "readCounters">,
    known: () => KnownUsers,
  ) {
    this.#context = context;
    this.#known = known;
  }

  /** Watches while `work` is done; no load runs when it begins and ends. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.#seen = readOtherPrograms(this.#known());
    const before = this.#readCounters();
    const result = await work();
    this.look();
    this.#seen = null;
    const { cpuSets } = this.#context;
    const after = this.#readCounters();
    const cpuMs = (after.atMs - before.atMs) * measuredCpus(cpuSets).length;
    this.#cpuMs += cpuMs;
    this.#foreignMs += hostShares(before, after, cpuSets).foreign * cpuMs;
    return result;
  }

  /**
   * Takes what was used since the last look, while it watches: of a process that begins and ends
   * between two looks only its parent is seen. Takes some milliseconds: never while load runs.
   */
  look(): void {
    if (this.#seen === null) return;
    const now = readOtherPrograms(this.#known());
    for (const [name, ms] of usedBetween(this.#seen, now)) {
      this.#usedMs.set(name, (this.#usedMs.get(name) ?? 0) + ms);
    }
    this.#seen = now;
  }

  culprits(): Culprit[] {
    const cpuMs = this.#cpuMs;
    const foreign = cpuMs > 0 ? this.#foreignMs / cpuMs : 0;
    return culpritsOf(this.#usedMs, { cpuMs, foreign, hasHidden: isInContainer() });
  }

  #readCounters(): HostCounters {
    const { clock, cpuSets, readCounters = readHostCounters } = this.#context;
    return readCounters(cpuSets, this.#known(), clock.nowMs());
  }
}

/** Of the measured CPUs' time: what is below it is nobody's trouble. */
const NOTABLE_SHARE = 0.02;
/** As the schema bounds it. */
const MAX_COMMAND_LENGTH = 64;
/** The parent of all kernel threads, which nobody can stop. */
const KTHREADD = 2;

/** CPU time of each other process, by its number. */
export type OtherPrograms = ReadonlyMap<number, ProcStat>;

/** Walks /proc: never while load runs. */
export function readOtherPrograms({ service, dependencies }: KnownUsers): OtherPrograms {
  const all = readProcesses();
  // Our own group may be the shell's that started us; descendants are ours alone.
  const ours = membersOf(all, process.pid, NO_GROUP);
  const known = [...service, ...dependencies].map((group) => membersOf(all, group));
  const others = all.filter(
    ({ pid, parent }) =>
      pid !== KTHREADD &&
      parent !== KTHREADD &&
      !ours.has(pid) &&
      known.every((members) => !members.has(pid)),
  );
  return new Map(others.map((other) => [other.pid, other]));
}

/**
 * What a process is called: its own name, but that of its program where it has named itself or its
 * first thread otherwise, as Node.js does. `cmdline`: of /proc/PID/cmdline.
 */
export function programName(command: string, cmdline: string): string {
  const words = cmdline.split("\0");
  const fileOf = (word: string): string => word.slice(word.lastIndexOf("/") + 1);
  const isKnown = words.some((word) => [word, fileOf(word)].some((it) => it.startsWith(command)));
  // Whoever sets a title writes it over the arguments, as a sentence.
  const [program = ""] = (words[0] ?? "").split(" ");
  return isKnown ? command : fileOf(program) || command;
}

/** Milliseconds of CPU time by name, of what was used between the readings. */
export function usedBetween(
  before: OtherPrograms,
  after: OtherPrograms,
  nameOf = ({ pid, command }: ProcStat): string =>
    programName(command, readOrEmpty(`/proc/${pid}/cmdline`)),
): Map<string, number> {
  const isSame = (one: ProcStat, other: ProcStat | undefined): boolean =>
    one.startTicks === other?.startTicks;
  const used = new Map<number, number>();
  const inherited = new Map<number, number>();
  for (const [pid, now] of after) {
    const earlier = before.get(pid);
    const then = earlier !== undefined && isSame(earlier, now) ? earlier : null;
    used.set(pid, timeOf(now) - (then === null ? 0 : timeOf(then)));
    inherited.set(pid, now.endedChildrenCpuMs - (then?.endedChildrenCpuMs ?? 0));
  }
  // What a process had used before the first reading passes to the one that waits for its end: its
  // parent, or the next one above that is left. Where nobody waited, nobody has it.
  for (const [pid, then] of before) {
    if (isSame(then, after.get(pid))) continue;
    let heir = then.parent;
    for (let up = before.get(heir); up !== undefined && !after.has(heir); up = before.get(heir)) {
      heir = up.parent;
    }
    const [own, legacy] = [used.get(heir) ?? 0, inherited.get(heir) ?? 0];
    if (legacy < timeOf(then)) continue;
    used.set(heir, own - timeOf(then));
    inherited.set(heir, legacy - timeOf(then));
  }
  const byName = new Map<string, number>();
  for (const [pid, ms] of used) {
    const user = after.get(pid);
    if (user === undefined || ms <= 0) continue;
    const name = nameOf(user);
    byName.set(name, (byName.get(name) ?? 0) + ms);
  }
  return byName;
}

/** What its ended children used is counted as its own: they came and went between the readings. */
function timeOf({ cpuMs, endedChildrenCpuMs }: ProcStat): number {
  return cpuMs + endedChildrenCpuMs;
}

/**
 * The busiest. `foreign`: the share of the measured CPUs' time, `cpuMs`, that nobody known used.
 * Where processes used more than that, the rest was on CPUs that are not measured, and each is
 * taken to have used its part of both. Where they used less, one that is hidden from us
 * did the rest, if there may be any.
 */
export function culpritsOf(
  usedMs: ReadonlyMap<string, number>,
  { cpuMs, foreign, hasHidden }: { cpuMs: number; foreign: number; hasHidden: boolean },
): Culprit[] {
  const allMs = [...usedMs.values()].reduce((sum, ms) => sum + ms, 0);
  const restMs = hasHidden ? Math.max(0, foreign * cpuMs - allMs) : 0;
  if (allMs + restMs === 0 || cpuMs <= 0) return [];
  const part = Math.min(1, (foreign * cpuMs) / allMs);
  return [...usedMs, [null, restMs] as const]
    .map(([command, ms]) => ({
      command: command === null ? null : command.slice(0, MAX_COMMAND_LENGTH) || "?",
      share: Math.min(1, Math.round(((ms * part) / cpuMs) * 1000) / 1000),
    }))
    .filter(({ share }) => share >= NOTABLE_SHARE)
    .sort((a, b) => b.share - a.share)
    .slice(0, MOST_CULPRITS);
}
