// One hypothesis against a reference that was measured alongside: series, decision, and the words for it.
import { finiteOrNull } from "../base/finite.ts";
import type { Policy, Waiver } from "../model/config.ts";
import type { Round } from "../model/samples.ts";
import type { Comparison, ComparisonState, HeldAgainstWaiver } from "../model/verdict.ts";
import { callableEffect } from "../stats/detectable-effect.ts";
import { median } from "../stats/dispersion.ts";
import { type Decision, decide, firstCallingLook, type Rule } from "./decide.ts";
import { type Hypothesis, metricLabel, subjectOf } from "./hypotheses.ts";
import { type RoundValue, readSeries } from "./series.ts";
import type { MeasurementFault } from "./validity.ts";
import {
  explainWaived,
  shownDecision,
  stateOfDecision,
  underWaiver,
  waivedRule,
} from "./waiver.ts";
import { percentOf } from "./wording.ts";

export interface CompareRequest {
  hypothesis: Hypothesis;
  /** Number of hypotheses that share alpha. */
  gating: number;
  policy: Policy;
  rounds: readonly Round[];
  /** The waiver that counts for it; null: none. */
  waiver: Waiver | null;
  /** Set when the measurement behind the hypothesis cannot be trusted. */
  fault: MeasurementFault | null;
}

export function compareAlongside(request: CompareRequest): Comparison {
  const { hypothesis, policy, fault } = request;
  const { values: series, zeros, beforeZero } = readSeries(hypothesis, request.rounds);
  const floor = effectiveFloor(hypothesis, series, policy.looks[0] ?? 1);
  // What was decided before a round without a ratio stays decided.
  const d = series.slice(0, beforeZero).map((value) => value.d);
  const { state, decision, held } = answer(request.waiver, (adapt) =>
    decide(
      d,
      adapt({
        tolerance: hypothesis.policy.tolerance,
        promise: hypothesis.policy.promise,
        floor,
        alpha: policy.alpha,
        hypotheses: Math.max(1, request.gating),
        beta: policy.beta,
        looks: policy.looks,
      }),
    ),
  );
  const waived =
    request.waiver === null || held === null ? null : explainWaived(state, held, request.waiver);
  return {
    ...describe(hypothesis, series, decision, { floor, firstCall: firstCallingLook(policy) }),
    state: fault === null ? state : "invalid",
    waiver: held,
    reason:
      fault?.text ??
      (waived === null
        ? reasonFor({ state, hypothesis, decision, rounds: series.length, zeros })
        : `${changeIn(hypothesis, decision)} after ${decision.look} rounds: ${waived}`),
  };
}

export interface Answer {
  state: ComparisonState;
  /** Whose numbers are shown. */
  decision: Decision;
  held: HeldAgainstWaiver | null;
}

/** The policy's answer or, where a waiver counts, that and the waiver's. `decideWith` is given what to make of the rule. */
export function answer(
  waiver: Waiver | null,
  decideWith: (adapt: <R extends Rule>(rule: R) => R) => Decision,
): Answer {
  const own = decideWith((rule) => rule);
  if (waiver === null) return { state: stateOfDecision(own), decision: own, held: null };
  const waived = decideWith((rule) => waivedRule(rule, waiver.upTo));
  const { state, held } = underWaiver(own, waived);
  return { state, decision: shownDecision(own, waived), held: { upTo: waiver.upTo, ...held } };
}

/**
 * The larger of the relative floor and the absolute one, as a fraction. The absolute one needs a level to stand on: the
 * median reference of the first look's rounds, so that later rounds cannot change an earlier look.
 */
export function effectiveFloor(
  hypothesis: Hypothesis,
  series: readonly RoundValue[],
  firstLook: number,
): number {
  const { floor, absoluteFloor } = hypothesis.policy;
  const levels = series.slice(0, firstLook).map(({ reference }) => reference);
  if (levels.length === 0) return floor;
  return Math.max(floor, absoluteFloor / median(levels));
}

/** What a regression has to meet beside its test. */
export interface Bar {
  /** The estimate, as a fraction. */
  floor: number;
  /** Rounds before which none is called. */
  firstCall: number;
  /** Log ratio added to the tolerance; absent: 0. */
  drift?: number;
}

/** Everything of a comparison that does not depend on how its state came about. */
export function describe(
  hypothesis: Hypothesis,
  series: readonly RoundValue[],
  decision: Decision,
  { floor, firstCall: first, drift = 0 }: Bar,
): Omit<Comparison, "state" | "reason" | "waiver"> {
  const { policy } = hypothesis;
  const used = series.slice(0, decision.look);
  const beyond = used.map((value) => value.beyond).filter((value) => value !== null);
  return {
    id: hypothesis.id,
    service: hypothesis.service,
    scenario: hypothesis.scenario,
    metric: policy.metric,
    estimator: policy.estimator,
    level: policy.level,
    candidate: used.length === 0 ? null : finiteOrNull(median(used.map((v) => v.candidate))),
    reference: used.length === 0 ? null : finiteOrNull(median(used.map((v) => v.reference))),
    estimate: finiteOrNull(decision.estimate),
    interval: {
      low: finiteOrNull(decision.interval.low),
      high: finiteOrNull(decision.interval.high),
      level: decision.interval.level,
    },
    promise: policy.promise,
    tolerance: policy.tolerance,
    floor,
    thresholds: decision.thresholds,
    looks: decision.trail,
    rounds: used.length,
    kept: decision.kept,
    sd: finiteOrNull(decision.sd),
    // Before the first look nothing could have been called, whatever the noise.
    detectable:
      decision.trail.length === 0
        ? null
        : finiteOrNull(
            callableEffect({
              sd: decision.sd,
              rounds: Math.max(decision.look, first),
              tolerance: Math.expm1(Math.log1p(policy.tolerance) + drift),
              alpha: decision.thresholds.regress,
              floor,
            }),
          ),
    requestsBeyond: beyond.length === 0 ? null : Math.min(...beyond),
    series: series.filter(({ d }) => Number.isFinite(d)).map(({ round, d }) => ({ round, d })),
  };
}

/** `api/echo p99 typical is +12.1 % [+9.0 %, +15.2 %]`. */
function changeIn(hypothesis: Hypothesis, { estimate, interval }: Decision): string {
  const bounds = `[${percentOf(interval.low)}, ${percentOf(interval.high)}]`;
  return `${subjectOf(hypothesis)} ${metricLabel(hypothesis)} is ${percentOf(estimate)} ${bounds}`;
}

/** Why a round that counts and has no ratio leaves a question open. */
export function reasonOfZeros(hypothesis: Hypothesis, zeros: number, rounds: number): string {
  return `${subjectOf(hypothesis)} ${metricLabel(hypothesis)} is 0 in ${zeros} of ${zeros + rounds} rounds, where it has no ratio; the other rounds alone would be a selection`;
}

function reasonFor(input: {
  state: ComparisonState;
  hypothesis: Hypothesis;
  decision: Decision;
  /** With a value, and with a value of 0. */
  rounds: number;
  zeros: number;
}): string {
  const { state, hypothesis, decision, rounds, zeros } = input;
  const { promise, tolerance } = hypothesis.policy;
  const change = changeIn(hypothesis, decision);
  switch (state) {
    case "regressed":
      return `${change}: more than ${percentOf(Math.log1p(tolerance))} worse is proven (p = ${decision.pRegress.toPrecision(2)} after ${decision.look} rounds)`;
    case "pass":
      return `${change}: shown to be less than ${percentOf(Math.log1p(promise))} worse after ${decision.look} rounds`;
    case "improved":
      return `${change}: proven better after ${decision.look} rounds`;
    default:
      if (zeros > 0) return reasonOfZeros(hypothesis, zeros, rounds);
      return rounds === 0
        ? `${subjectOf(hypothesis)} ${metricLabel(hypothesis)}: no round was measured`
        : `${change} after ${rounds} rounds: neither a change nor its absence is shown`;
  }
}
