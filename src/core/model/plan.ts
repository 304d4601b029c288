// What a run would do and how long it would take, as `plan` tells it.
import type { Config, Dependency, Scenario } from "./config.ts";
import type { RunnerFacts } from "./profile.ts";
import type { OneArm } from "./samples.ts";

export interface RoundTime {
  loadMs: number;
  otherMs: number;
}

export interface TimeToAnswer {
  /** Fewest rounds in which everything can pass, and in which anything can be called worse. */
  rounds: { pass: number; regress: number };
  /** A round of every service. */
  turn: RoundTime;
  /**
   * Minutes in which these are measured, builds aside. Of a regression: of whichever service is
   * slowest, with all its scenarios, while the others pass as soon as they can.
   */
  minutes: { pass: number; regress: number };
}

export interface PlanFacts {
  config: Config;
  /** Started once, before the first round. */
  dependencies: readonly Dependency[];
  /** Of each that is a PostgreSQL. */
  postgresqlSettings: Readonly<Record<string, string>>;
  /** Each with its parts behind it. */
  scenarios: readonly (Scenario & { requestsPerArmRound: number })[];
  /** What one version alone has, or has otherwise. */
  oneArm: OneArm;
  /** Names of all questions, by id. */
  names: ReadonlyMap<string, string>;
  /** Ids of those that may block. */
  hypotheses: readonly string[];
  /** What each service is started by: where that is a package manager's script, what it says. */
  started: ReadonlyMap<string, string>;
  /** Null: nothing is gated. */
  earliest: TimeToAnswer | null;
  /** What a calibration of this class of runner lets expect; null: there was none. */
  runner: RunnerFacts | null;
}
