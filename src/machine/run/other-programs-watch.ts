// Over the slices of a round: which programs of others used the measured CPUs meanwhile.
import type { Culprit } from "../../core/model/samples.ts";
import { isInContainer } from "../host/container.ts";
import {
  type HostCounters,
  hostShares,
  type KnownUsers,
  measuredCpus,
  readHostCounters,
} from "./probe/host-counters.ts";
import {
  culpritsOf,
  type OtherPrograms,
  readOtherPrograms,
  usedBetween,
} from "./probe/other-programs.ts";
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
