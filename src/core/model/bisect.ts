// What a bisection works with: the commits of a line, what may be asked of them, and a machine that
// builds and measures. `satellites/bisect/` decides what is measured next.

export interface BisectCommit {
  id: string;
  /** Foreign text. */
  subject: string;
  /** Lines that it changed in the service's own sources, 0 or more. */
  touched: number;
  /** Of what the service is built and run from: equal keys are the same. Null: it cannot be told. */
  key: string | null;
}

/** Why a commit cannot be measured. Foreign text. */
export interface Unusable {
  unusable: string;
}

/** By question: ln(second / first) of each round that has a value. */
export interface LogRatios {
  d: Record<string, number[]>;
}

export interface BisectQuestion {
  /** Such as `api/echo p99 typical`. */
  id: string;
  /** Flags by which a command asks it alone. */
  flags: string;
}

/** What a command prints, and for which it ends as it does. */
export interface BisectResult {
  state: BisectState;
  /** The document `tailgate.bisect.v1`. */
  value: object;
  text: string;
}

export interface BisectKernel {
  tool: string;
  /** Equal for the same commits, questions and configuration. */
  identity: string;
  /** The good commit, then the first-parent line up to the bad one: two or more. */
  commits: readonly BisectCommit[];
  /** One or more. */
  questions: readonly BisectQuestion[];
  /** Centre of log ratios; NaN without any. */
  estimate(values: readonly number[]): number;
  /** Of bets that log ratios lie above the bound; stakes are full at `scale` from it. */
  wealth(values: readonly number[], bet: { bound: number; scale: number }): number;
  /** As a gate answers the question by such rounds. */
  answer(question: string, values: readonly number[]): "regressed" | "pass" | "open";
  /** Builds a commit; the key is as that of a commit, but by the artifact. */
  build(commit: string): Promise<Unusable | { key: string | null }>;
  /** Fresh rounds of both commits at once, with the load that `question` needs; null: that of all. */
  measure(
    commits: readonly [string, string],
    rounds: number,
    question: string | null,
  ): Promise<Unusable | LogRatios>;
  /** What `keep` was last given, in an earlier session that is gone on with; null: there is none. */
  earlier: string | null;
  keep(text: string): void;
  /** Of the time that it may take. */
  leftMs(): number;
  note(line: string): void;
}

/**
 * `found`: one commit is named. `one-of`: several, of which all but the last cannot be measured.
 * `no-change`: the bad commit is not shown to be worse. `invalid`: an end of the line cannot be measured.
 */
export type BisectState = "found" | "one-of" | "undecided" | "no-change" | "invalid";
