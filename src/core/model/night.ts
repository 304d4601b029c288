// What came of a night on the default branch, as its one issue tells it.
import type { UserError } from "../base/errors.ts";
import type { StandingChange } from "./history.ts";
import type { Report } from "./report.ts";

/** How another job of the same run ended. Its outputs are a stranger's text to us. */
export interface EndedJob {
  name: string;
  /** As GitHub has it: `success`, `failure`, `cancelled` or `skipped`. */
  result: string;
  /** Empty: it has no output of that name. */
  verdict: string;
  headline: string;
}

export interface MeasuredNight {
  report: Report;
  /** The file. */
  samples: string;
}

export type Night =
  | ({ kind: "measured" } & MeasuredNight)
  /** It came to no verdict. */
  | { kind: "failed"; error: UserError }
  /** Others measured it. */
  | { kind: "jobs"; jobs: readonly EndedJob[] };

export interface NightFacts {
  night: Night;
  /** Whether its verdict fails, and its report in Markdown; null: nothing was measured here. */
  measured: { fails: boolean; markdown: string } | null;
  standing: readonly StandingChange[];
  /** Its page, below which commits are compared. */
  repositoryUrl: string;
  runUrl: string;
}

export interface NightText {
  /** One line each, most important first; none: all is right. */
  troubles: readonly string[];
  /** Of the troubles. */
  title: string;
  /** Markdown. */
  body: string;
}

/** The jobs that went wrong, or that none did: one that was skipped or cancelled has shown nothing. */
export function summarizeJobs(jobs: readonly EndedJob[]): string {
  const wrong = jobs.filter(({ result }) => result !== "success").map(({ name }) => name);
  return wrong.length === 0 ? "all jobs went well" : `${wrong.join(", ")} went wrong`;
}
