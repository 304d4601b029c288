// The decision rule: valid after every round, exact, and blind to units. docs/method.md explains
// it.

import { type Bet, bettingInterval, bettorOn, type Direction } from "../stats/betting.ts";
import { detectableEffect, type RunPrecision } from "../stats/detectable-effect.ts";
import { robustSd } from "../stats/dispersion.ts";
import { type Interval, trimmedEstimate } from "../stats/hodges-lehmann.ts";

export interface Rule {
  /** The null hypothesis of a regression: ratios up to 1 + tolerance count as no change. */
  tolerance: number;
  /**
   * Non-inferiority margin, at least the tolerance: a pass rejects a ratio of 1 + margin or more.
   */
  margin: number;
  /** A proven regression blocks only from this estimate on. */
  floor: number;
  /** Chance of any false regression over all `hypotheses`. */
  alpha: number;
  /** Questions that share `alpha`, 1 or more. */
  hypotheses: number;
  /** Chance of a false pass of one hypothesis. */
  beta: number;
  /**
   * Of an absolute limit: the distance from it at which a stake is full, a log ratio. Noise makes a
   * candidate slower: all rounds may prove it below, and only calm ones above. Absent: of a change.
   */
  scale?: number;
}

/** What is no nearer to its limit is told from it in the fewest rounds. */
const LIMIT_SCALE = Math.log(1.05);

/** Of a policy whose alpha so many gating hypotheses share. A margin of 0 is that of a limit. */
export function ruleOf(
  { tolerance, margin, floor }: Pick<Rule, "tolerance" | "margin" | "floor">,
  { alpha, beta }: Pick<Rule, "alpha" | "beta">,
  gating: number,
): Rule {
  // Below the floor nothing can fail, so a change of less must be able to pass.
  return {
    tolerance,
    margin: Math.max(margin, floor),
    floor,
    alpha,
    hypotheses: Math.max(1, gating),
    beta,
    scale: margin === 0 ? LIMIT_SCALE : undefined,
  };
}

export interface Observation {
  /** ln(candidate / reference) of one round. Finite. */
  d: number;
  /** The host was quiet; noise hides a difference, so a noisy round proves no pass. */
  calm: boolean;
}

interface Evidence {
  regress: number;
  pass: number;
}

export interface Step extends Evidence {
  rounds: number;
}

export interface Decision {
  /** `open`: not decided yet; more rounds may. */
  state: "regressed" | "pass" | "open";
  /**
   * Passed, and proven better by more than tolerance and floor, at beta shared among hypotheses,
   * over all rounds.
   */
  improved: boolean;
  /** Passed, and the interval lies wholly above the tolerance: worse, by less than the margin. */
  worse: boolean;
  /** Rounds up to the deciding one, or all when open. */
  rounds: number;
  /**
   * Log ratio, by the method: Hodges-Lehmann for the usual one. Of the rounds that the answer rests
   * on. NaN without rounds.
   */
  estimate: number;
  /** The answer rests on the calm rounds alone, as every pass does, and what is above a limit. */
  isOfCalm: boolean;
  /** A 90 % confidence sequence of the log ratio on the same rounds, valid after every round. */
  interval: Interval;
  evidence: Evidence;
  sd: number;
  /** One entry a round, up to the deciding one. */
  trail: Step[];
}

/**
 * Each end leaves out the usual beta of 5 %, so a pass is an interval that ends below the margin.
 */
export const INTERVAL_LEVEL = 0.9;

/** How log ratios become evidence, and what their centre is. */
export interface Method {
  bettor(bet: Bet): { take(value: number): void; readonly wealth: number };
  /** NaN without values. */
  estimate(values: readonly number[]): number;
  /** `scales`: as those of the bets that values lie above and below a bound. */
  interval(values: readonly number[], scales: Readonly<Record<Direction, number>>): Interval;
  /** The smallest true change, a fraction, that a run detects with 95 % power. */
  detectable(precision: RunPrecision): number;
}

/** Log ratios are symmetric about a centre. */
export const SYMMETRIC: Method = {
  bettor: bettorOn,
  estimate: trimmedEstimate,
  interval: (values, scales) => bettingInterval(values, INTERVAL_LEVEL, scales),
  detectable: detectableEffect,
};

/**
 * Decides observations in order; the first round that decides is final, but a pass may become an
 * improvement. If each log ratio, given those before, has a centre of at most ln(1 + tolerance),
 * any `regressed` over all hypotheses has a chance of at most alpha; if at least ln(1 + margin),
 * `pass` of at most beta. The method defines the centre. Spread may change and the caller may stop
 * at will. A RangeError on NaN and infinities.
 */
export function decide(
  observations: readonly Observation[],
  rule: Rule,
  method: Method = SYMMETRIC,
): Decision {
  const bounds = boundsOf(rule);
  const isLimit = rule.scale !== undefined;
  const { worse, within } = bettorsOf(bounds, method);
  const values: number[] = [];
  const calmValues: number[] = [];
  const [failing, passing] = isLimit ? [calmValues, values] : [values, calmValues];
  const trail: Step[] = [];
  let state: Decision["state"] = "open";
  for (const { d, calm } of observations) {
    values.push(d);
    if (calm) calmValues.push(d);
    if (calm || !isLimit) worse.take(d);
    if (calm || isLimit) within.take(d);
    const regress = (worse.wealth * rule.alpha) / rule.hypotheses;
    const step = { rounds: values.length, regress, pass: within.wealth * rule.beta };
    trail.push(step);
    if (step.regress >= 1 && method.estimate(failing) >= bounds.floor) state = "regressed";
    else if (step.pass >= 1) state = "pass";
    if (state !== "open") break;
  }
  const last = trail.at(-1);
  const interval = intervalOf(values, calmValues, isLimit, (some) =>
    method.interval(some, { "+": bounds.scaleUp, "-": bounds.scaleDown }),
  );
  const used = { regressed: failing, pass: passing, open: values }[state];
  const isPass = state === "pass" && !isLimit;
  return {
    state,
    improved: isPass && isImproved(observations, rule, method),
    worse: isPass && interval.low > bounds.tolerance,
    rounds: values.length,
    estimate: method.estimate(used),
    isOfCalm: used === calmValues,
    interval,
    evidence: {
      regress: last?.regress ?? rule.alpha / rule.hypotheses,
      pass: last?.pass ?? rule.beta,
    },
    sd: robustSd(values),
    trail,
  };
}

function bettorsOf({ tolerance, margin, scaleUp, scaleDown }: Bounds, { bettor }: Method) {
  const worse = bettor({ bound: tolerance, direction: "+", scale: scaleUp });
  return { worse, within: bettor({ bound: margin, direction: "-", scale: scaleDown }) };
}

/** Shards do not see the same: by so much a share of a pass is larger than if they did. */
const SURPLUS = 1.5;

/**
 * Whether one of so many shards, 2 or more, can stop: all of them would prove a pass with some to
 * spare if each saw this, or all but one a regression. A rule of when to stop, and no proof.
 */
export function hasShare(
  observations: readonly Observation[],
  rule: Rule,
  { method, shards }: { method: Method; shards: number },
): boolean {
  const bounds = boundsOf(rule);
  const { worse, within } = bettorsOf(bounds, method);
  const isLimit = rule.scale !== undefined;
  const failing = observations.filter(({ calm }) => calm || !isLimit).map(({ d }) => d);
  const passing = observations.filter(({ calm }) => calm || isLimit).map(({ d }) => d);
  for (let k = 1; k < shards; k++) for (const d of failing) worse.take(d);
  for (let k = 0; k < shards; k++) for (const d of passing) within.take(d);
  const estimate = method.estimate(failing);
  return (
    within.wealth * rule.beta >= SURPLUS ||
    (worse.wealth * rule.alpha >= rule.hypotheses && estimate >= bounds.floor)
  );
}

/**
 * Noise pulls a ratio towards 1. So all rounds may show that a change for the worse is larger than
 * an end, and only calm ones that it is smaller: as the verdict has it. Of a limit it is the other
 * way round.
 */
function intervalOf(
  values: readonly number[],
  calmValues: readonly number[],
  isLimit: boolean,
  interval: (some: readonly number[]) => Interval,
): Interval {
  const all = interval(values);
  if (calmValues.length === values.length) return all;
  const calm = interval(calmValues);
  if (isLimit) return { ...all, low: calm.low, high: Math.max(all.high, calm.low) };
  const low = all.low > 0 ? all.low : Math.min(calm.low, 0);
  return { ...all, low, high: Math.max(calm.high, low) };
}

type Bounds = ReturnType<typeof boundsOf>;

/**
 * The limits as log ratios. `scaleUp`: from tolerance to margin, or the margin where they coincide.
 */
function boundsOf({ tolerance, margin, floor, scale }: Rule) {
  const bounds = {
    tolerance: Math.log1p(tolerance),
    margin: Math.log1p(margin),
    floor: Math.log1p(floor),
  };
  const between = bounds.margin - bounds.tolerance;
  const scaleUp = scale ?? (between > 0 ? between : bounds.margin);
  return { ...bounds, scaleUp, scaleDown: scale ?? bounds.margin };
}

/** An improvement blocks nobody: it may be wrong with beta, over the whole pull request. */
function isImproved(observations: readonly Observation[], rule: Rule, method: Method): boolean {
  const values = observations.map(({ d }) => d);
  const { tolerance, floor, scaleUp } = boundsOf(rule);
  const better = method.bettor({ bound: -tolerance, direction: "-", scale: scaleUp });
  for (const value of values) better.take(value);
  return (better.wealth * rule.beta) / rule.hypotheses >= 1 && method.estimate(values) <= -floor;
}

/**
 * Fewest rounds to a regression, each as bad as can be, and to a pass with no difference or, of a
 * limit, far below it.
 */
export function fewestRounds(
  rule: Rule,
  method: Method = SYMMETRIC,
): { regress: number; pass: number } {
  const { worse, within } = bettorsOf(boundsOf(rule), method);
  const until = (enough: number, bettor: typeof worse, value: number): number => {
    let rounds = 0;
    for (; bettor.wealth < enough; rounds++) bettor.take(value);
    return rounds;
  };
  const best = rule.scale === undefined ? 0 : -Number.MAX_VALUE;
  const regress = until(rule.hypotheses / rule.alpha, worse, Number.MAX_VALUE);
  return { regress, pass: until(1 / rule.beta, within, best) };
}
