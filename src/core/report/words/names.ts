// How metrics and what they are measured on are called.
import { METRIC_FACTS } from "../../model/metric.ts";
import type { Comparison } from "../../model/verdict.ts";

type Named = Pick<Comparison, "scenario" | "service" | "metric" | "estimator">;

export function subjectName({ scenario, service }: Pick<Named, "scenario" | "service">): string {
  return scenario ?? service;
}

/** `p99 typical`, `RSS after load`. */
export function metricName({ metric, estimator }: Pick<Named, "metric" | "estimator">): string {
  const { label } = METRIC_FACTS[metric];
  return estimator === "launch" || estimator === "windows" ? label : `${label} ${estimator}`;
}

/** `api/echo p99 typical`. */
export function fullName(named: Named): string {
  return `${subjectName(named)} ${metricName(named)}`;
}

/** More are only counted. */
export const MOST_LISTED = 3;

/** The first of them, and how many more. */
export function listed(items: readonly string[]): string {
  const shown = items.slice(0, MOST_LISTED).join(", ");
  const more = items.length - MOST_LISTED;
  return more > 0 ? `${shown} and ${more} more` : shown;
}
