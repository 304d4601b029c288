// The words of a verdict: one line that says what and where, and what to do next. No markup, no colours: renderers do that.

import { METRIC_FACTS } from "../model/metric.ts";
import type { Samples } from "../model/samples.ts";
import type { Comparison, ComparisonState, VerdictState, WaiverOutcome } from "../model/verdict.ts";
import type { Unanswerable } from "./hypotheses.ts";
import type { MeasurementFault } from "./validity.ts";

/** `+12.3 %` for a log ratio; `−∞`/`+∞` where it is unbounded, `?` for NaN. */
export function percentOf(logRatio: number): string {
  if (Number.isNaN(logRatio)) return "?";
  if (!Number.isFinite(logRatio)) return logRatio > 0 ? "+∞" : "−∞";
  const percent = Math.expm1(logRatio) * 100;
  const digits = Math.abs(percent) >= 100 ? 0 : 1;
  // Rounding first: −0.04 must read +0.0.
  const rounded = Number(percent.toFixed(digits));
  const sign = rounded < 0 ? "−" : "+";
  return `${sign}${Math.abs(rounded).toFixed(digits)} %`;
}

/** `api/echo p99 (typical)`. */
export function nameOf(
  comparison: Pick<Comparison, "scenario" | "service" | "metric" | "estimator">,
): string {
  const { label } = METRIC_FACTS[comparison.metric];
  const subject = comparison.scenario ?? comparison.service;
  return comparison.estimator === "launch"
    ? `${subject} ${label}`
    : `${subject} ${label} (${comparison.estimator})`;
}

function changeOf(comparison: Comparison): string {
  return comparison.estimate === null ? "" : ` ${percentOf(comparison.estimate)}`;
}

function listed(items: readonly string[]): string {
  const shown = items.slice(0, 3).join(", ");
  return items.length > 3 ? `${shown} and ${items.length - 3} more` : shown;
}

export function describeHeadline(
  state: VerdictState,
  deciding: readonly Comparison[],
  faults: readonly MeasurementFault[],
): string {
  const of = (wanted: ComparisonState): Comparison[] =>
    deciding.filter((comparison) => comparison.state === wanted);
  const named = (wanted: ComparisonState): string =>
    listed(of(wanted).map((comparison) => nameOf(comparison) + changeOf(comparison)));
  switch (state) {
    case "pass":
      if (of("waived").length > 0) {
        const rest = deciding.length - of("waived").length;
        const beside = rest === 0 ? "" : `; all else that is gated (${rest}) is within its promise`;
        return `no regression beyond what is waived: ${named("waived")}${beside}`;
      }
      return `no regression: each of ${deciding.length} gated metrics is shown to be within its promise`;
    case "improved":
      return `improved: ${named("improved")}; nothing is worse`;
    case "regressed":
      return `regressed: ${named("regressed")}`;
    case "inconclusive":
      return deciding.length === 0
        ? "inconclusive: no metric is gated, so nothing was shown"
        : `inconclusive: ${listed(of("inconclusive").map(nameOf))} could be neither passed nor failed`;
    case "no-baseline":
      return `no baseline: nothing to compare ${listed(of("no-baseline").map(nameOf))} with`;
    case "invalid":
      return `invalid measurement: ${faults[0]?.text ?? "see the reasons"}`;
  }
}

export interface Situation {
  deciding: readonly Comparison[];
  faults: readonly MeasurementFault[];
  samples: Samples;
  /** By id of the comparison. */
  unanswerable: ReadonlyMap<string, Unanswerable>;
  waivers: readonly WaiverOutcome[];
}

/** Advice that looks at what happened: nothing is advised that was done already. */
export function adviseNext(state: VerdictState, situation: Situation): string[] {
  switch (state) {
    case "pass":
    case "improved":
      return [];
    case "regressed":
      return [
        "Look at the change: the report's percentile curves show which requests got slower, the memory plot which launches grew.",
        adviseWaiver(situation.waivers),
      ];
    case "inconclusive":
      return adviseInconclusive(situation);
    case "no-baseline":
      return ["Record one on this class of runner: tailgate baseline record."];
    case "invalid":
      return adviseInvalid(situation.faults);
  }
}

function adviseWaiver(waivers: readonly WaiverOutcome[]): string {
  if (waivers.some(({ state }) => state === "exceeded")) {
    return "More is proven than the waiver accepts: if that is intended, raise its upTo in tailgate.yml, above the interval shown.";
  }
  if (waivers.some(({ state }) => state === "proposed")) {
    return "A waiver that comes from a fork counts once it is merged: whoever may push can bring it to the base branch first, or open this change from a branch of the repository.";
  }
  return "If the cost is intended, accept it for a while: an entry under waivers in tailgate.yml, with a limit, a reason, an owner and a last day.";
}

function adviseInconclusive({ deciding, samples, unanswerable }: Situation): string[] {
  const open = deciding.filter(({ state }) => state === "inconclusive");
  const most = samples.config.policy.looks.at(-1) ?? 0;
  const advice: string[] = [];
  if (open.some(({ waiver }) => waiver?.regressionProven === true)) {
    advice.push(
      "A regression is proven that may be larger than its waiver accepts: if it is intended, raise the waiver's upTo in tailgate.yml, above the interval shown.",
    );
  }
  const answerable = open.filter(({ id }) => !unanswerable.has(id));
  if (answerable.some(({ rounds }) => rounds < most)) {
    advice.push(
      `Measure on: continue this run with --resume and a larger --time-budget, or run again with one (at most ${most} rounds are looked at).`,
    );
  }
  if (open.some(({ id }) => unanswerable.get(id) === "no-drift")) {
    advice.push(
      "Record baselines of more days (tailgate baseline record) until their history shows how far this machine wanders, or measure the reference alongside: --compare base.",
    );
  }
  const zero = open.filter(({ id }) => unanswerable.get(id) === "zero");
  if (zero.length > 0) {
    advice.push(
      `What may be 0 has no ratio and cannot be gated: set the level of ${listed(zero.map(nameOf))} to warn or info.`,
    );
  }
  const noisiest = answerable.reduce<Comparison | null>(
    (worst, next) => ((next.sd ?? 0) > (worst?.sd ?? 0) ? next : worst),
    null,
  );
  if (noisiest?.detectable != null) {
    advice.push(
      `${nameOf(noisiest)} varies by ${((noisiest.sd ?? 0) * 100).toFixed(1)} % from round to round here: this run could show a change of ${percentOf(Math.log1p(noisiest.detectable))}.`,
    );
  }
  if (samples.host.findings.some(({ level }) => level === "bad")) {
    advice.push(
      "The machine has findings that make noise: tailgate doctor lists them with their fixes.",
    );
  }
  return advice;
}

function adviseInvalid(faults: readonly MeasurementFault[]): string[] {
  const advice = new Set<string>();
  for (const fault of faults) {
    switch (fault.kind) {
      case "saturated":
        advice.add("Lower the scenario's rate to 50 to 60 % of what the service can serve.");
        break;
      case "failure":
        advice.add(
          "Start the service by hand with the scenario's request and look at what it prints.",
        );
        break;
      case "missing":
        advice.add(
          fault.rule === null
            ? "Run again with a larger --time-budget: a scenario was never measured."
            : adviseVoid(fault),
        );
        break;
      case "errors":
        advice.add(adviseVoid(fault));
        advice.add(
          "If a service is meant to refuse some requests, say how many: `errorBudget` under `policy` in tailgate.yml, a share of each slice.",
        );
        break;
      case "void":
        advice.add(adviseVoid(fault));
        break;
    }
  }
  return [...advice];
}

function adviseVoid(fault: MeasurementFault): string {
  switch (fault.rule) {
    case "lag":
    case "generator-busy":
    case "generator-failed":
    case "incomplete":
      return "The load generator could not hold the rate: lower it, use fewer connections, or give the generator more CPUs (runner.cpus.generator).";
    case "status":
    case "transport":
    case "service-gone":
      return "The service answered wrongly under load: try the scenario's request by hand, and compare `expect` with what it answers.";
    default:
      return "Something else used the measured CPUs: run on a quiet machine; tailgate doctor names what it sees.";
  }
}
