// One hypothesis against a reference measured alongside, or a limit: series, decision, finding.
import { finiteOrNull } from "../base/finite.ts";
import type { Policy, Waiver } from "../model/config.ts";
import type { Fault } from "../model/fault.ts";
import { wholeId } from "../model/mix.ts";
import type { Arm } from "../model/samples.ts";
import type {
  ComparisonState,
  Finding,
  JudgedComparison,
  WaivedComparison,
} from "../model/verdict.ts";
import { median } from "../stats/dispersion.ts";
import { type Decision, decide, fewestRounds, type Rule, ruleOf, SYMMETRIC } from "./decide.ts";
import { type Hypothesis, limitOf } from "./hypotheses.ts";
import type { RoundValue, Series } from "./series.ts";
import { beyondClip, methodOf } from "./slow.ts";
import {
  decidesByWaiver,
  shownDecision,
  stateOfDecision,
  underWaiver,
  waivedRule,
} from "./waiver.ts";

interface CompareRequest {
  hypothesis: Hypothesis;
  series: Series;
  gating: number;
  policy: Policy;
  waiver: Waiver | null;
  /** Set when the measurement behind the hypothesis cannot be trusted. */
  fault: Fault | null;
}

export function compareAlongside(request: CompareRequest): JudgedComparison {
  const { hypothesis, policy, fault, waiver, series } = request;
  const { values } = series;
  // Of what is new there are values of the candidate alone, which are held to nothing.
  const compared = hypothesis.isNew === true ? [] : values;
  const usual = ruleOf(hypothesis.policy, policy, request.gating);
  const fewest = fewestRounds(usual, methodOf(hypothesis, usual));
  const floor = effectiveFloor(hypothesis, compared, Math.min(fewest.pass, fewest.regress));
  // What was decided before a round without a ratio stays decided.
  const counted = compared.slice(0, series.beforeZero);
  const rule = ruleOf({ ...hypothesis.policy, floor }, policy, request.gating);
  const answered = answer(waiver, rule, (one) => decide(counted, one, methodOf(hypothesis, one)));
  const outcome = (): Pick<JudgedComparison, "state" | "finding"> => {
    if (fault !== null) return { state: "invalid", finding: { code: "fault", fault } };
    if (hypothesis.isNew) return { state: "new", finding: { code: "new", rounds: values.length } };
    const fewest = fewestRounds(rule, methodOf(hypothesis, rule));
    const terms = { waiver, margin: rule.margin, fewest };
    return { state: answered.state, finding: findingOf(answered, series, terms) };
  };
  const { state, finding } = outcome();
  const rounds = finding.code === "new" ? finding.rounds : answered.decision.rounds;
  return {
    ...describe(hypothesis, values, { ...answered.decision, rounds }, { rule }),
    against: hypothesis.against ?? "alongside",
    state,
    waiver: answered.held,
    finding,
  };
}

/** A fault of the run spoils every hypothesis, one of a scenario its own. */
export function faultOf({ scenario, among }: Hypothesis, faults: readonly Fault[]): Fault | null {
  // A fault of a part is one of the whole load.
  const loadOf = (id: string | null): string | null => (id === null ? null : wholeId(id));
  const loads = (among ?? [scenario]).map(loadOf);
  const ofRun = faults.find((fault) => fault.scenario === null);
  return ofRun ?? faults.find((fault) => loads.includes(loadOf(fault.scenario))) ?? null;
}

interface Terms {
  waiver: Waiver | null;
  margin: number;
  /** No answer takes fewer rounds. */
  fewest: { regress: number; pass: number };
}

export function findingOf(
  { state, decision, held }: Answer,
  { values, zeros }: Series,
  { waiver, margin, fewest }: Terms,
): Finding {
  const { rounds } = decision;
  if (waiver !== null && held !== null && decidesByWaiver(state, held)) {
    return { code: "waiver", rounds, expires: waiver.expires };
  }
  const code = SHOWN[state];
  if (code !== undefined) return { code, rounds };
  if (zeros > 0) return { code: "zero", rounds: values.length, zeros };
  if (values.length === 0) return { code: "unmeasured" };
  return undecided(decision, values.length, { margin, waiver, fewest });
}

/** By the numbers alone. */
const SHOWN: Partial<Record<ComparisonState, "worse" | "within" | "better" | "worse-within">> = {
  regressed: "worse",
  pass: "within",
  improved: "better",
  "worse-within": "worse-within",
};

function undecided(
  { estimate, interval }: Decision,
  rounds: number,
  { margin, waiver, fewest }: Terms,
): Finding {
  const isBeyond = estimate > Math.log1p(Math.max(margin, waiver?.upTo ?? 0));
  const least = isBeyond ? fewest.regress : Math.min(fewest.regress, fewest.pass);
  const code = isBeyond || (waiver === null && interval.low > 0) ? "likely-worse" : "open";
  return { code, rounds, ...(least > rounds ? { more: least - rounds } : {}) };
}

export interface Answer {
  state: ComparisonState;
  /** Whose numbers are shown. */
  decision: Decision;
  held: WaivedComparison | null;
}

/** The policy's answer or, where a waiver counts, that and the waiver's. */
export function answer(
  waiver: Waiver | null,
  rule: Rule,
  decideBy: (rule: Rule) => Decision,
): Answer {
  const own = decideBy(rule);
  if (waiver === null) return { state: stateOfDecision(own), decision: own, held: null };
  const waived = decideBy(waivedRule(rule, waiver.upTo));
  const { state, held } = underWaiver(own, waived);
  return { state, decision: shownDecision(own, waived), held: { upTo: waiver.upTo, ...held } };
}

/** More rounds hardly change a median. */
const ROUNDS_FOR_LEVEL = 5;

/**
 * The larger of the relative and the absolute floor, a fraction. The absolute one is relative to
 * the median reference of the first rounds, at most five and at most `fewest`, so that later rounds
 * change no decision.
 */
export function effectiveFloor(
  hypothesis: Hypothesis,
  series: readonly RoundValue[],
  fewest = ROUNDS_FOR_LEVEL,
): number {
  const first = series.slice(0, Math.min(fewest, ROUNDS_FOR_LEVEL));
  const levels = first.map(({ reference }) => reference);
  return floorAt(levels, hypothesis);
}

export function floorAt(levels: readonly number[], { policy }: Hypothesis): number {
  if (levels.length === 0) return policy.floor;
  return Math.max(policy.floor, policy.absoluteFloor / median(levels));
}

/**
 * Everything of a comparison that does not depend on how its state came about. `drift`: log ratio
 * added to the tolerance, against stored values.
 */
export function describe(
  hypothesis: Hypothesis,
  series: readonly RoundValue[],
  decision: Decision,
  { rule, drift }: { rule: Rule; drift?: number },
): Omit<JudgedComparison, "state" | "against" | "finding" | "waiver"> {
  const { policy } = hypothesis;
  // Stored values are compared by rank sums, for which the usual figure stands in.
  const method = drift === undefined ? methodOf(hypothesis, rule) : SYMMETRIC;
  const used = series.slice(0, decision.rounds);
  // Others would show a level, and a change of it, that the estimate is not of.
  const shown = decision.isOfCalm ? used.filter(({ calm }) => calm) : used;
  // Now of one scenario, now of another.
  const levelOf = (arm: Arm): number =>
    hypothesis.among === undefined ? median(shown.map((value) => value[arm])) : Number.NaN;
  const isClipped = policy.estimator === "windows" && drift === undefined;
  const d = shown.map((value) => value.d);
  const whole = isClipped ? beyondClip(d, decision) : null;
  const reference = limitOf(hypothesis) ?? levelOf("reference");
  // Medians of both would show another change than the estimate, also one of the other sign.
  const moved = reference * Math.exp(whole ?? decision.estimate);
  const beyond = used.map((value) => value.beyond).filter((value) => value !== null);
  const { low, high, level } = decision.interval;
  return {
    id: hypothesis.id,
    service: hypothesis.service,
    scenario: hypothesis.scenario,
    among: hypothesis.among && [...hypothesis.among],
    metric: policy.metric,
    estimator: policy.estimator,
    level: policy.level,
    ...(shown.some(({ isPss }) => isPss) ? { isPss: true as const } : {}),
    candidate: finiteOrNull(Number.isNaN(moved) ? levelOf("candidate") : moved),
    reference: finiteOrNull(reference),
    estimate: finiteOrNull(decision.estimate),
    ...(whole === null ? {} : { clipped: true as const }),
    interval: { low: finiteOrNull(low), high: finiteOrNull(high), level },
    margin: rule.margin,
    tolerance: policy.tolerance,
    floor: rule.floor,
    evidence: decision.evidence,
    trail: decision.trail,
    rounds: used.length,
    sd: finiteOrNull(decision.sd),
    detectable: finiteOrNull(
      method.detectable({
        // NaN without rounds, and so is what is detected.
        sd: decision.sd,
        // With fewer none can be called.
        rounds: Math.max(used.length, fewestRounds(rule, method).regress),
        tolerance: Math.expm1(Math.log1p(policy.tolerance) + (drift ?? 0)),
        wealth: rule.hypotheses / rule.alpha,
        floor: rule.floor,
      }),
    ),
    requestsBeyond: beyond.length === 0 ? null : Math.min(...beyond),
    series: series.filter(({ d }) => Number.isFinite(d)).map(({ round, d }) => ({ round, d })),
  };
}
