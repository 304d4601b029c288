// What a waiver covers, and what became of it.

import type { Caution } from "../../model/caution.ts";
import type { Waiver } from "../../model/config.ts";
import { METRIC_FACTS } from "../../model/metric.ts";
import type { JudgedComparison, JudgedWaiver } from "../../model/verdict.ts";
import { formatEstimate } from "../../text/format.ts";
import { asChange } from "./findings.ts";
import { fullName, listed } from "./names.ts";

/** `p99 of echo, up to +15.0 % until 2026-12-31`. */
function describeWaiver(waiver: Waiver): string {
  const { metric, estimator, limit, scenario, service, upTo, expires } = waiver;
  const estimate = estimator === null || estimator === "launch" ? "" : ` ${estimator}`;
  const narrowed = limit ? `${estimate} limit` : estimate;
  const where = [service, scenario].filter((part) => part !== null).join("/");
  return `${METRIC_FACTS[metric].label}${narrowed} of ${where}, up to ${asChange(upTo)} until ${expires}`;
}

export function describeOutcome(
  { waiver, state }: JudgedWaiver,
  comparisons: readonly JudgedComparison[],
): string {
  return `${describeWaiver(waiver)}: ${describeState(state, comparisons)}`;
}

function describeState(
  state: JudgedWaiver["state"],
  comparisons: readonly JudgedComparison[],
): string {
  const changes = listed(comparisons.map((one) => `${fullName(one)} ${formatEstimate(one)}`));
  switch (state) {
    case "used":
      return `accepts ${changes}`;
    case "exceeded":
      return `exceeded by ${changes}`;
    case "unused":
      return "no longer needed, all passes without it";
    case "undecided":
      return comparisons.length === 0
        ? "nothing that it covers was measured"
        : "undecided, as what it covers was not decided";
    case "expired":
      return "expired, so it does not count";
    case "proposed":
      return "brought by this change from a fork, so it does not count before it is merged";
  }
}

export function warnOfWaiver({
  waiver,
  state,
  daysLeft,
}: Extract<Caution, { code: "waiver" }>): string {
  const name = `The waiver of ${describeWaiver(waiver)}`;
  const owner = `its owner is ${waiver.owner}`;
  if (state === "unused") return `${name} is no longer needed: remove it (${owner}).`;
  if (state === "expired") return `${name} has expired: remove it or renew it (${owner}).`;
  const when = daysLeft === 0 ? "today" : daysLeft === 1 ? "tomorrow" : `in ${daysLeft} days`;
  return `${name} ends ${when}; after it the gate fails (${owner}).`;
}
