// Puts comparisons in the order they are read: grouped by what they are about, the deciding groups first.
import { METRIC_FACTS } from "../model/metric.ts";
import type { Comparison } from "../model/verdict.ts";
import { bySeverity, worstOf } from "./states.ts";

/** All that is said of one scenario (its typical and pooled p99 belong together), or of one service. */
export interface Subject {
  name: string;
  comparisons: Comparison[];
}

export type Level = Comparison["level"];

export function ofLevel(comparisons: readonly Comparison[], level: Level): Comparison[] {
  return comparisons.filter((comparison) => comparison.level === level);
}

/** Groups in order of the worst comparison in each; within a group the configuration's order. */
export function groupBySubject(comparisons: readonly Comparison[]): Subject[] {
  const groups = new Map<string, Comparison[]>();
  for (const comparison of comparisons) {
    const name = subjectName(comparison);
    groups.set(name, [...(groups.get(name) ?? []), comparison]);
  }
  return [...groups]
    .map(([name, members]) => ({ name, comparisons: members }))
    .sort((a, b) => {
      const [worstA, worstB] = [worstOf(a.comparisons), worstOf(b.comparisons)];
      return worstA === undefined || worstB === undefined ? 0 : bySeverity(worstA, worstB);
    });
}

export function subjectName(comparison: Comparison): string {
  return comparison.scenario ?? comparison.service;
}

/** What has values, and the names of what has none: a metric that vanished is named, not dropped. */
export function splitMeasured(comparisons: readonly Comparison[]): {
  measured: Comparison[];
  missing: string[];
} {
  const has = ({ candidate, reference }: Comparison): boolean =>
    candidate !== null || reference !== null;
  return {
    measured: comparisons.filter(has),
    missing: comparisons.filter((comparison) => !has(comparison)).map(metricName),
  };
}

/** `p99 typical`, `RSS after load`. */
export function metricName(comparison: Pick<Comparison, "metric" | "estimator">): string {
  const { label } = METRIC_FACTS[comparison.metric];
  return comparison.estimator === "launch" ? label : `${label} ${comparison.estimator}`;
}
