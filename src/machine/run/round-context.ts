// What a round is given, and the failure that ends one.
import type { Recipe, Scenario } from "../../core/model/config.ts";
import type { CpuSets } from "../../core/model/host.ts";
import { wholeId } from "../../core/model/mix.ts";
import type { Answer, Arm, DependencyUse, Round, RoundFailure } from "../../core/model/samples.ts";
import type { LoadGenerator } from "../../core/slice/load.ts";
import type { Secrets } from "../../core/text/secrets.ts";
import type { Clock } from "../sys/clock.ts";
import type { readHostCounters } from "./probe/host-counters.ts";
import type { ServiceTarget } from "./service/launch.ts";

/**
 * Scenarios that the reference's own configuration has otherwise, by id; null: it has none of the
 * name. Where it answers the candidate's request wrongly, it is asked its own; where that is wrong
 * too, or there is none, the scenario is new. A service's first round finds that out for all.
 */
export class Unshared {
  readonly #own: ReadonlyMap<string, Scenario | null>;
  /** What the reference is asked instead; null: nothing. */
  readonly #instead = new Map<string, Scenario | null>();

  /** `rounds`: of an earlier session. */
  constructor(own: ReadonlyMap<string, Scenario | null>, rounds: readonly Round[]) {
    this.#own = own;
    for (const { scenario, arms, referenceAsked } of rounds.flatMap(({ scenarios }) => scenarios)) {
      if (referenceAsked !== undefined) this.#instead.set(scenario, own.get(scenario) ?? null);
      if (arms.reference === null) this.#instead.set(scenario, null);
    }
  }

  /** Of a scenario or a part of one. */
  has(id: string): boolean {
    return this.#own.has(wholeId(id));
  }

  /** After a wrong answer the reference is asked its own request; after another one, nothing. */
  turnFrom(id: string): void {
    const own = this.#instead.has(wholeId(id)) ? null : (this.#own.get(id) ?? null);
    this.#instead.set(wholeId(id), own);
  }

  isNew(id: string): boolean {
    return this.#instead.get(wholeId(id)) === null;
  }

  asked(scenario: Scenario): Scenario {
    return this.#instead.get(scenario.id) ?? scenario;
  }
}

export interface RoundContext {
  targets: Partial<Record<Arm, ServiceTarget>>;
  scheme: "sliced" | "alternate";
  scenarios: readonly Scenario[];
  /** Of all rounds of the run. Absent: the arms share every scenario. */
  unshared?: Unshared;
  cpuSets: CpuSets;
  generator: LoadGenerator;
  clock: Clock;
  /** Share of a slice's requests that may fail. */
  errorBudget: number;
  /**
   * Requests that each launch has had when its memory is read, warm-up included; what the slices
   * leave is sent as fast as it is answered. Absent: what the slices are.
   */
  memoryRequests?: number;
  /** Idle memory is judged, so that it is given a moment to come to rest. Default: false. */
  settlesIdle?: boolean;
  /** Monotonic time at which the run began. */
  runStartMs: number;
  /**
   * How long the run measures at most. A round that was begun is ended, unless the service hangs: a
   * start is waited for no longer, and what failed then is not tried again. Absent: as long as it takes.
   */
  timeBudgetMs?: number;
  /** Temporary, for the generator's files. */
  folder: string;
  abort: AbortSignal;
  onProgress(line: string): void;
  /** Hears what a scenario was answered before any load of the first round, when all was asked. */
  onAnswers?: (scenario: string, answers: Partial<Record<Arm, Answer>>) => void;
  /** Of all rounds so far: what no text of the round may hold. Absent: there is none. */
  secrets?: Secrets;
  /** Hears each of them as it becomes known. */
  onSecret?: (value: string) => void;
  /** Hears of each service's process once there is one. */
  onSpawn?: (pid: number) => void;
  /** Hears how a service was told to stop that did not and was killed: that took the whole grace. */
  onKilled?: (stop: Recipe["stop"]) => void;
  /** What the service needs beside itself; absent when it needs nothing. */
  dependencies?: RoundDependencies;
  /**
   * Knows whom to leave out of the machine's counters; in tests it stands in for them: machines
   * that run tests are not quiet.
   */
  readCounters?: typeof readHostCounters;
}

/** What a round asks of the dependencies; `RunningDependencies` is the real one. */
export interface RoundDependencies {
  /** Leaders of their processes, whose CPU time is nobody's disturbance. */
  pids(): number[];
  /** CPU time since they were started, and their memory now. */
  use(): DependencyUse[];
  /** Before each launch of an arm: each begins alike. Null, or why it cannot. */
  reset(arm: Arm): Promise<RoundFailure | null>;
  /** The first that is gone, in words; null while all run. */
  failure(when: string): RoundFailure | null;
}

export function isOver({ clock, runStartMs, timeBudgetMs = Infinity }: RoundContext): boolean {
  return clock.nowMs() - runStartMs >= timeBudgetMs;
}

/** Thrown inside a round, caught by runRound: the round ends, what it measured is kept. */
export class RoundStopped extends Error {
  readonly failure: RoundFailure | null;

  /** Null: stopped by a signal, which is nobody's failure. */
  constructor(failure: RoundFailure | null) {
    super(failure?.text ?? "stopped by a signal");
    this.failure = failure;
  }
}

export function throwIfAborted(abort: AbortSignal): void {
  if (abort.aborted) throw new RoundStopped(null);
}
