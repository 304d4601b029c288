// Which metrics of a report may leave it as numbers.
import { METRIC_FACTS, type Unit } from "../../src/core/model/metric.ts";
import type { Report } from "../../src/core/model/report.ts";
import type { Comparison, ComparisonState } from "../../src/core/model/verdict.ts";

/**
 * Another program sees a number and nothing else: it may have one only of what is decided. What is
 * `inconclusive`, `invalid`, `no-baseline` or `waived` is left out, or carries its state.
 */
const DECIDED: ReadonlySet<ComparisonState> = new Set([
  "pass",
  "improved",
  "worse-within",
  "regressed",
]);

export interface Decided extends Comparison {
  candidate: number;
}

export function isDecided(comparison: Comparison): comparison is Decided {
  return DECIDED.has(comparison.state) && comparison.candidate !== null;
}

/** What is held to a limit is the number of its metric once more. */
export function decidedOf({ verdict }: Report): Decided[] {
  return verdict.comparisons.filter(isDecided).filter(({ against }) => against !== "limit");
}

/** `p99-typical`, `rss`, `rss-limit`: what tells the metrics of a scenario or service apart. */
export function metricName({
  metric,
  estimator,
  against,
}: Pick<Comparison, "metric" | "estimator" | "against">): string {
  const isOnly = estimator === "launch" || estimator === "counts";
  const name = isOnly ? metric : `${metric}-${estimator}`;
  return against === "limit" ? `${name}-limit` : name;
}

/** Without the service's name before it; null for what is of the service. */
export function scenarioName({
  service,
  scenario,
}: Pick<Comparison, "service" | "scenario">): string | null {
  return scenario === null ? null : scenario.slice(service.length + 1);
}

export type Kind = "duration" | "bytes" | "count";

const KINDS: Readonly<Record<Unit, { kind: Kind; ns: number }>> = {
  us: { kind: "duration", ns: 1e3 },
  ms: { kind: "duration", ns: 1e6 },
  bytes: { kind: "bytes", ns: 1 },
  count: { kind: "count", ns: 1 },
  share: { kind: "count", ns: 1 },
};

export const kindOf = ({ metric }: Pick<Comparison, "metric">): Kind =>
  KINDS[METRIC_FACTS[metric].unit].kind;

/** Durations in nanoseconds, all else in its unit. */
export function inNanoseconds({ metric }: Pick<Comparison, "metric">, value: number): number {
  return value * KINDS[METRIC_FACTS[metric].unit].ns;
}

/**
 * The interval of the change, carried over to the candidate's value; null where it has no end on
 * either side.
 */
export function boundsOf({
  candidate,
  estimate,
  interval,
}: Decided): { low: number; high: number } | null {
  if (estimate === null || !interval || interval.low === null || interval.high === null)
    return null;
  return {
    low: candidate * Math.exp(interval.low - estimate),
    high: candidate * Math.exp(interval.high - estimate),
  };
}
