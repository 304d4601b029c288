// What a bisection works with: the commits of a line, what may be asked of them, and a machine that
// builds and measures. `satellites/bisect/` decides what is measured next.
import type { MetricPolicy } from "./config.ts";

export interface BisectOptions {
  /** `good..bad`; an empty bad one is HEAD. */
  range: string;
  /** Name or id; null: all of the service. */
  scenario: string | null;
  /** Null: any that is proven worse. */
  metric: string | null;
  /** After which no further step begins. */
  forMs: number;
}

export interface BisectCommit {
  id: string;
  /** Foreign text. */
  subject: string;
  /** Lines that it changed in the service's own sources, 0 or more. */
  touched: number;
  /** Of what the service is built and run from: equal keys are the same. Null: it cannot be told. */
  key: string | null;
}

export interface BisectQuestion {
  /** Such as `api/echo p99 typical`. */
  id: string;
  service: string;
  /** Null: of the service itself. */
  scenario: string | null;
  policy: MetricPolicy;
}

export interface BisectResult {
  /** Where it does not name one commit: which exit code tells so. */
  lack: "undecided" | "usage" | "invalid" | null;
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
  /** That was asked for; null: all of the service. */
  scenario: string | null;
  /** Centre of log ratios; NaN without any. */
  estimate(values: readonly number[]): number;
  /** Of bets that log ratios lie above the bound; stakes are full at `scale` from it. */
  wealth(values: readonly number[], bet: { bound: number; scale: number }): number;
  /** As a gate answers by such rounds on a calm machine. */
  answer(question: BisectQuestion, values: readonly number[]): "regressed" | "pass" | "open";
  /** The key is as that of a commit, but by the artifact. `unusable`: why it is not built; foreign text. */
  build(commit: string): Promise<{ unusable: string } | { key: string | null }>;
  /**
   * Fresh rounds of both, of one scenario or all; by question ln(second / first) of each round with a
   * value. `unusable`: why that commit of both cannot be measured; foreign text.
   */
  measure(
    commits: readonly [string, string],
    rounds: number,
    scenario: string | null,
  ): Promise<{ unusable: string; commit: string } | { d: Record<string, number[]> }>;
  /** What `keep` was last given, in a session that is gone on with; null: there is none. */
  earlier: string | null;
  keep(text: string): void;
  /** Of the time that it may take. */
  leftMs(): number;
  note(line: string): void;
}
