// How metrics and what they are measured on are called.
import { METRIC_FACTS, metricLabel, subjectOf } from "../../model/metric.ts";
import type { Comparison } from "../../model/verdict.ts";
import { formatAmount, formatPair } from "../../text/format.ts";

type NamedMetric = Pick<Comparison, "metric" | "estimator" | "isPss"> &
  Partial<Pick<Comparison, "against">> & { among?: readonly string[] };
type Named = Pick<Comparison, "scenario" | "service"> & NamedMetric;

/** `p99`, `p99 of all requests`, `RSS after load limit`, `slowest answer of any scenario`. */
export function metricName({ metric, estimator, isPss, against, among }: NamedMetric): string {
  const name = isPss ? "PSS after load" : metricLabel({ metric, estimator });
  if (among !== undefined) return `${name} of any scenario`;
  return against === "limit" ? `${name} limit` : name;
}

/** `api/echo p99`. */
export function fullName(named: Named): string {
  return `${subjectOf(named)} ${metricName(named)}`;
}

/** By its id, or the id itself where it is not known. */
export function nameOf(id: string, comparisons: ReadonlyMap<string, Named>): string {
  const comparison = comparisons.get(id);
  return comparison === undefined ? id : fullName(comparison);
}

/**
 * Of what is held to a limit: `p99 of api/echo is 24.1 ms (limit 20 ms)`. `says`: what the
 * digits are to tell; default: on which side of the limit the value is.
 */
export function heldText(
  { candidate, reference, ...one }: Named & Pick<Comparison, "candidate" | "reference">,
  says = (logRatio: number) => String(logRatio > 0),
): string {
  const { unit } = METRIC_FACTS[one.metric];
  const value = formatPair(unit, reference, candidate, says, "candidate");
  return `${metricName({ ...one, against: "alongside" })} of ${subjectOf(one)} is ${value} (limit ${formatAmount(unit, reference)})`;
}

/** More are only counted. */
export const MOST_LISTED = 3;

/** The first of them, and how many more; sentences are parted by `; `. */
export function listed(items: readonly string[], parted = ", "): string {
  const shown = items.slice(0, MOST_LISTED).join(parted);
  const more = items.length - MOST_LISTED;
  return more > 0 ? `${shown} and ${more} more` : shown;
}
