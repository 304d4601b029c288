// One hypothesis against a reference that was measured alongside: series, decision, and the words for it.
import type { Policy } from "../model/config.ts";
import type { Round } from "../model/samples.ts";
import type { Comparison, VerdictState } from "../model/verdict.ts";
import { median } from "../stats/dispersion.ts";
import { type Decision, decide } from "./decide.ts";
import { type Hypothesis, metricLabel, subjectOf } from "./hypotheses.ts";
import { type RoundValue, seriesOf } from "./series.ts";
import type { MeasurementFault } from "./validity.ts";
import { percentOf } from "./wording.ts";

export interface CompareRequest {
  hypothesis: Hypothesis;
  /** Number of hypotheses that share alpha. */
  gating: number;
  policy: Policy;
  rounds: readonly Round[];
  /** Set when the measurement behind the hypothesis cannot be trusted. */
  fault: MeasurementFault | null;
}

export function compareAlongside(request: CompareRequest): Comparison {
  const { hypothesis, policy, fault } = request;
  const series = seriesOf(hypothesis, request.rounds);
  const floor = effectiveFloor(hypothesis, series, policy.looks[0] ?? 1);
  const decision = decide(
    series.map(({ d }) => d),
    {
      tolerance: hypothesis.policy.tolerance,
      promise: hypothesis.policy.promise,
      floor,
      alpha: policy.alpha,
      hypotheses: Math.max(1, request.gating),
      beta: policy.beta,
      looks: policy.looks,
    },
  );
  const state = stateOf(decision, fault);
  return {
    ...describe(hypothesis, series, decision),
    floor,
    state,
    reason: fault?.text ?? reasonFor(state, hypothesis, decision, series.length),
  };
}

/**
 * The larger of the relative floor and the absolute one, as a fraction. The absolute one needs a level to stand on: the
 * median reference of the first look's rounds, so that later rounds cannot change an earlier look.
 */
function effectiveFloor(
  hypothesis: Hypothesis,
  series: readonly RoundValue[],
  firstLook: number,
): number {
  const { floor, absoluteFloor } = hypothesis.policy;
  const levels = series.slice(0, firstLook).map(({ reference }) => reference);
  if (levels.length === 0) return floor;
  return Math.max(floor, absoluteFloor / median(levels));
}

function stateOf(decision: Decision, fault: MeasurementFault | null): VerdictState {
  if (fault !== null) return "invalid";
  switch (decision.state) {
    case "regressed":
      return "regressed";
    case "pass":
      return decision.improved ? "improved" : "pass";
    case "open":
      return "inconclusive";
  }
}

function finiteOrNull(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}

/** Everything of a comparison that does not depend on how its state came about. */
export function describe(
  hypothesis: Hypothesis,
  series: readonly RoundValue[],
  decision: Decision,
): Omit<Comparison, "state" | "reason"> {
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
    floor: policy.floor,
    thresholds: decision.thresholds,
    looks: decision.trail,
    rounds: used.length,
    kept: decision.kept,
    sd: finiteOrNull(decision.sd),
    // Before the first look nothing could have been called, whatever the noise.
    detectable: decision.trail.length === 0 ? null : finiteOrNull(decision.detectableEffect),
    requestsBeyond: beyond.length === 0 ? null : Math.min(...beyond),
    series: series.filter(({ d }) => Number.isFinite(d)).map(({ round, d }) => ({ round, d })),
  };
}

function reasonFor(
  state: VerdictState,
  hypothesis: Hypothesis,
  decision: Decision,
  rounds: number,
): string {
  const what = `${subjectOf(hypothesis)} ${metricLabel(hypothesis)}`;
  const { promise, tolerance } = hypothesis.policy;
  const change = percentOf(decision.estimate);
  const interval = `[${percentOf(decision.interval.low)}, ${percentOf(decision.interval.high)}]`;
  switch (state) {
    case "regressed":
      return `${what} is ${change} ${interval}: more than ${percentOf(Math.log1p(tolerance))} worse is proven (p = ${decision.pRegress.toPrecision(2)} after ${decision.look} rounds)`;
    case "pass":
      return `${what} is ${change} ${interval}: shown to be less than ${percentOf(Math.log1p(promise))} worse after ${decision.look} rounds`;
    case "improved":
      return `${what} is ${change} ${interval}: proven better after ${decision.look} rounds`;
    default:
      return rounds === 0
        ? `${what}: no round was measured`
        : `${what} is ${change} ${interval} after ${rounds} rounds: neither a change nor its absence is shown`;
  }
}
