// How metrics, what they are measured on, and programs of others are called.
import { METRIC_FACTS } from "../../model/metric.ts";
import type { Culprit } from "../../model/samples.ts";
import type { Comparison } from "../../model/verdict.ts";
import { plainLine } from "../../text/escape.ts";
import { formatShare } from "../../text/format.ts";

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

/** The first three of them, and how many more. */
export function listed(items: readonly string[]): string {
  const shown = items.slice(0, 3).join(", ");
  return items.length > 3 ? `${shown} and ${items.length - 3} more` : shown;
}

const MAX_PROGRAM_NAME = 32;

/** `rustc used 38 %, node 4 % of the measured CPUs`, of one or more; their names are foreign text. */
export function describeCulprits(culprits: readonly Culprit[]): string {
  const used = culprits.map(({ command, share }, at) =>
    [plainLine(command, MAX_PROGRAM_NAME), ...(at === 0 ? ["used"] : []), formatShare(share)].join(
      " ",
    ),
  );
  return used.length === 0 ? "" : `${used.join(", ")} of the measured CPUs`;
}
