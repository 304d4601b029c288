// What a baseline update would change: every value old and new, what moved beyond noise, which
// waivers it makes superfluous.
import type { Baseline } from "../../model/baseline.ts";
import type { Waiver } from "../../model/config.ts";
import type { Fault } from "../../model/fault.ts";
import type { Fingerprint } from "../../model/host.ts";
import type { Estimator, Metric } from "../../model/metric.ts";
import type { RunEnd } from "../../model/samples.ts";
import type { JudgedComparison } from "../../model/verdict.ts";

/**
 * `loosened`: worse beyond noise, so that merging accepts more than before. `tightened`: better
 * beyond noise. `steady`: neither is shown. `new`: there was nothing comparable. `dropped`: it is
 * measured no more.
 */
export const MOVES = ["loosened", "tightened", "new", "dropped", "steady"] as const;

export interface ValueChange {
  service: string;
  /** Scenario id; null for a metric of launches. */
  scenario: string | null;
  metric: Metric;
  estimator: Estimator;
  /** Gated or watched; others are shown and cause no update. */
  judged: boolean;
  move: (typeof MOVES)[number];
  /** Median of the launches, in the metric's unit; null: none are stored. */
  old: number | null;
  /** The old one and the change; without one to compare with, a median. Null: none was measured. */
  new: number | null;
  launches: { old: number; new: number };
  /** Hodges-Lehmann estimate of ln(new / old), with its exact interval; null bounds are infinite. */
  estimate: number | null;
  interval: { low: number | null; high: number | null; level: number } | null;
  /**
   * Changes within this are noise: what the machine was seen to wander by or, before that is known,
   * the metric's floor.
   */
  noise: { margin: number; from: "drift" | "floor" } | null;
  /** The waiver that accepts what was loosened. */
  waiver: { waiver: Waiver; holds: "within" | "beyond" } | null;
}

/** Why a service's file is written anew. */
export type UpdateCause = "first" | "incomparable" | "moved" | "stale";

export interface ServiceUpdate {
  service: string;
  cause: UpdateCause;
  /** The cause in one line. */
  text: string;
  /** What takes the old file's place. */
  baseline: Baseline;
  previous: Pick<Baseline, "recordedAt" | "run" | "source"> | null;
  values: ValueChange[];
}

/** Why a run cannot become a baseline. */
export type Refusal =
  | { code: "uncommitted" }
  | { code: "fault"; fault: Fault }
  | { code: "incomplete"; ended: RunEnd }
  /** Rounds with a value, fewer than the first look needs. */
  | { code: "few-launches"; service: string; key: string; launches: number; needed: number }
  | { code: "undecided"; comparison: JudgedComparison };

export interface ProposedUpdate {
  kind: "update";
  runnerClass: string;
  fingerprint: Fingerprint;
  /** Only those whose file changes; one at least. */
  services: ServiceUpdate[];
  /** The run that it is of. */
  run: { id: string; startedAt: string; commit: string; subject: string; rounds: number };
  /** Waivers of regressions that the new baseline holds: they can go. */
  consumed: Waiver[];
}

export type BaselineUpdate =
  | ProposedUpdate
  /** Everything is within noise, and no file is too old. */
  | { kind: "none"; text: string }
  /** The run cannot become a baseline. */
  | { kind: "refused"; refusals: Refusal[] };
