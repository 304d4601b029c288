// The decision rule: sequential, exact, and blind to what the numbers mean. docs/method.md explains it in prose.

import { robustSd } from "../stats/dispersion.ts";
import { type Interval, trimmedEstimate } from "../stats/hodges-lehmann.ts";
import { rankSumUpperTail, shiftEstimate, shiftInterval } from "../stats/rank-sum.ts";
import { trimmedInterval, trimmedP } from "../stats/trimmed-shifts.ts";
import { type Direction, trimmedSignedRank } from "../stats/trimmed-signed-rank.ts";

/** Fractions: 0.1 is 10 %. */
export interface Rule {
  /** The null hypothesis of a regression: ratios up to 1 + tolerance are nobody's fault. */
  tolerance: number;
  /** The null hypothesis of a pass: a ratio of 1 + promise or more. */
  promise: number;
  /** A proven regression blocks only from this estimate on. */
  floor: number;
  /** Chance of any false regression over all `hypotheses`. */
  alpha: number;
  /** Questions that share `alpha`, 1 or more. */
  hypotheses: number;
  /** Chance of a false pass of one hypothesis. */
  beta: number;
  /** Numbers of rounds, ascending, at least one. */
  looks: readonly number[];
}

export interface LookTaken {
  rounds: number;
  pRegress: number;
  pPass: number;
  /** Log ratio. */
  estimate: number;
}

export interface Decision {
  /** `open`: no look reached decided. */
  state: "regressed" | "pass" | "open";
  /** Passed, and the mirrored regression test is met too, at beta shared among the hypotheses. */
  improved: boolean;
  /** Rounds that the decision rests on: those of the deciding look, or all when open. */
  look: number;
  /** Hodges-Lehmann, log ratio. NaN without rounds. */
  estimate: number;
  /** Of the log ratio, at 95 %. Not adjusted for looks: it describes, `state` decides. */
  interval: Interval;
  pRegress: number;
  pPass: number;
  /** What one p was held against. */
  thresholds: { regress: number; pass: number };
  /** Rounds that the trim kept in the regression test, of `look`. */
  kept: number;
  /** Robust standard deviation of the log ratio. NaN without rounds. */
  sd: number;
  /** Every look up to the deciding one, in order. */
  trail: LookTaken[];
}

const INTERVAL_LEVEL = 0.95;

/** With fewer rounds a signed-rank test has no p small enough for many hypotheses, or only if the trim drops nothing. */
const MIN_ROUNDS_TO_REGRESS = 16;

/** The looks at which a regression can be called: known before any data, so that they can share alpha. */
function regressLooks({ looks }: Pick<Rule, "looks">): readonly number[] {
  const late = looks.filter((rounds) => rounds >= MIN_ROUNDS_TO_REGRESS);
  return late.length > 0 ? late : looks.slice(-1);
}

/** Rounds before which no regression is called, whatever they show; NaN where there is no look. */
export function firstCallingLook(rule: Pick<Rule, "looks">): number {
  return regressLooks(rule)[0] ?? Number.NaN;
}

/** Level of each single test: alpha shared among hypotheses and looks that can call a regression, beta among all looks. */
export function thresholdsOf(rule: Rule): { regress: number; pass: number } {
  return {
    regress: rule.alpha / (rule.hypotheses * regressLooks(rule).length),
    pass: rule.beta / rule.looks.length,
  };
}

/** What one test is asked about the first n rounds. */
interface Question {
  rounds: number;
  /** Log ratio that bounds the null. */
  shift: number;
  /** `+`: is the log ratio above the shift? `-`: is it below? */
  direction: Direction;
  /** p is held against this; one that is larger need not be found exactly. */
  level: number;
  /** See `pairedP`. */
  easing: number;
}

/** What a family of tests must answer about the first n rounds. */
interface Evidence {
  rounds: number;
  p(question: Question): number;
  /** Values that the test against the shift looks at. */
  kept(rounds: number, shift: number): number;
  estimate(rounds: number): number;
  interval(rounds: number, level: number): Interval;
  sd(rounds: number): number;
}

/**
 * The trimmed test is exact where d is symmetric about the shift itself. For a centre further inside the null it stays valid
 * when d has one peak (given a distance, the sign away from the centre is the rarer one), but two tight clusters, the centre
 * between them, can be taken for one and its outliers. Searching all shifts of the null holds for every shape, and costs
 * some eight rounds whenever one outlier could as well be half of a symmetric pair. So it is asked for too, at a level that
 * is `easing` times as generous.
 */
function pairedP(d: readonly number[], { shift, direction, level, easing }: Question): number {
  const { p } = trimmedSignedRank(d, shift, direction);
  if (p > level) return p;
  return Math.max(p, trimmedP(d, shift, direction, level * easing) / easing);
}

/**
 * Decides a series of log ratios in round order. The first look that decides is final: data after it do not change the
 * result. A regression is looked for first, so that a look at which both could be called (a promise inside the tolerance)
 * blocks. A RangeError on NaN and infinities.
 *
 * For log ratios that are independent and symmetric about a centre, by union bounds, whatever depends on what:
 *
 * - with one peak: if no centre is above ln(1 + tolerance), the chance of any `regressed` over all hypotheses is at most
 *   alpha; if a centre is at ln(1 + promise) or above, the chance of its `pass` is at most beta;
 * - of any shape: the chance of `regressed` is at most alpha for each hypothesis, that of `pass` at most beta for each look.
 */
export function decide(d: readonly number[], rule: Rule): Decision {
  return walk(
    {
      rounds: d.length,
      p: (question) => pairedP(d.slice(0, question.rounds), question),
      kept: (n, shift) => trimmedSignedRank(d.slice(0, n), shift, "+").kept,
      estimate: (n) => trimmedEstimate(d.slice(0, n)),
      interval: (n, level) => trimmedInterval(d.slice(0, n), level),
      sd: (n) => robustSd(d.slice(0, n)),
    },
    rule,
    0,
  );
}

export interface StoredRule extends Rule {
  /** Log ratio by which this class of machine wanders between days: added to what is tolerated, taken from what is promised. */
  driftMargin: number;
}

/**
 * The same for values of fresh launches against stored ones of another day: exact rank-sum tests on logs. The looks count
 * fresh launches. Values that have no logarithm have no ratio: with any of them nothing is decided.
 */
export function decideUnpaired(
  candidate: readonly number[],
  reference: readonly number[],
  rule: StoredRule,
): Decision {
  const positive = (value: number): boolean => value > 0 && Number.isFinite(value);
  const usable = reference.length > 0 && [...candidate, ...reference].every(positive);
  const x = usable ? candidate.map(Math.log) : [];
  const y = usable ? reference.map(Math.log) : [];
  const evidence: Evidence = {
    rounds: x.length,
    p: (question) => unpairedP(x.slice(0, question.rounds), y, question),
    kept: (n) => n,
    estimate: (n) => shiftEstimate(x.slice(0, n), y),
    interval: (n, level) => shiftInterval(x.slice(0, n), y, level),
    // Of one launch against one: what a paired d would have without anything shared.
    sd: (n) => Math.hypot(robustSd(x.slice(0, n)), robustSd(y)),
  };
  return walk(evidence, rule, rule.driftMargin);
}

/** Untrimmed, p is monotone in the shift: it covers the whole null as it is. */
function unpairedP(
  x: readonly number[],
  y: readonly number[],
  { shift, direction }: Question,
): number {
  switch (direction) {
    case "+":
      return rankSumUpperTail(x, y, shift);
    case "-":
      return rankSumUpperTail(y, x, -shift);
  }
}

function walk(evidence: Evidence, rule: Rule, drift: number): Decision {
  const thresholds = thresholdsOf(rule);
  const worse = Math.log1p(rule.tolerance) + drift;
  const promised = Math.log1p(rule.promise) - drift;
  const floor = Math.log1p(rule.floor);
  const blocking = new Set(regressLooks(rule));
  const toRegress = { level: thresholds.regress, easing: rule.hypotheses };
  const toPass = { level: thresholds.pass, easing: rule.looks.length };
  const trail: LookTaken[] = [];
  for (const n of rule.looks) {
    if (n > evidence.rounds) break;
    const look = takeLook(n);
    trail.push(look);
    if (blocking.has(n) && look.pRegress <= thresholds.regress && look.estimate >= floor) {
      return conclude("regressed", look);
    }
    if (look.pPass <= thresholds.pass) return conclude("pass", look);
  }
  const last = trail.at(-1);
  return conclude("open", last?.rounds === evidence.rounds ? last : takeLook(evidence.rounds));

  function takeLook(rounds: number): LookTaken {
    return {
      rounds,
      pRegress: evidence.p({ rounds, shift: worse, direction: "+", ...toRegress }),
      pPass: evidence.p({ rounds, shift: promised, direction: "-", ...toPass }),
      estimate: evidence.estimate(rounds),
    };
  }

  /**
   * Good news blocks nobody, so it may be wrong as often as a pass, but over the whole pull request and not for each
   * hypothesis: with ten of them, at the level of a pass one unchanged pull request in ten was called improved.
   */
  function isImproved({ rounds, estimate }: LookTaken): boolean {
    const level = rule.beta / rule.hypotheses;
    const easing = rule.hypotheses;
    const p = evidence.p({ rounds, shift: -worse, direction: "-", level, easing });
    return p <= level && estimate <= -floor;
  }

  function conclude(state: Decision["state"], look: LookTaken): Decision {
    const { rounds, estimate, pRegress, pPass } = look;
    const sd = evidence.sd(rounds);
    return {
      state,
      improved: state === "pass" && isImproved(look),
      look: rounds,
      estimate,
      interval: evidence.interval(rounds, INTERVAL_LEVEL),
      pRegress,
      pPass,
      thresholds,
      kept: evidence.kept(rounds, worse),
      sd,
      trail,
    };
  }
}
