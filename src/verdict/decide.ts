// The decision rule: sequential, exact, and blind to what the numbers mean. docs/method.md explains it in prose.

import { detectableEffect } from "../stats/detectable-effect.ts";
import { robustSd } from "../stats/dispersion.ts";
import { type Interval, trimmedEstimate, trimmedInterval } from "../stats/hodges-lehmann.ts";
import { rankSumUpperTail, shiftEstimate, shiftInterval } from "../stats/rank-sum.ts";
import { trimmedSignedRank } from "../stats/trimmed-signed-rank.ts";

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
  hypotheses: number;
  /** Chance of a false pass of one hypothesis. */
  beta: number;
  /** Numbers of rounds, ascending. */
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
  /** Passed, and the mirrored regression test is met at the level of a pass. */
  improved: boolean;
  /** Rounds that the decision rests on: those of the deciding look, or all when open. */
  look: number;
  /** Hodges-Lehmann, log ratio. NaN without rounds. */
  estimate: number;
  interval: Interval;
  pRegress: number;
  pPass: number;
  thresholds: { regress: number; pass: number };
  /** Rounds that the trim kept in the regression test. */
  kept: number;
  /** Robust standard deviation of the log ratio. */
  sd: number;
  /** Fraction; see detectableEffect. */
  detectableEffect: number;
  trail: LookTaken[];
}

const INTERVAL_LEVEL = 0.95;

/**
 * Per-test levels: α shared among the hypotheses and those looks at which a regression can be called, β among all looks. A
 * signed-rank test on n rounds has no p below 2⁻ⁿ, so looks that cannot reach the level take no share: the longest run of late
 * looks of which even the first can reach it. Depends on the rule alone, never on data.
 */
export function thresholdsOf(rule: Rule): { regress: number; pass: number } {
  const pass = rule.beta / rule.looks.length;
  for (let skipped = 0; skipped < rule.looks.length; skipped++) {
    const regress = rule.alpha / (rule.hypotheses * (rule.looks.length - skipped));
    if (2 ** -(rule.looks[skipped] as number) <= regress) return { regress, pass };
  }
  return { regress: rule.alpha / rule.hypotheses, pass };
}

/** What a family of tests must answer about the first n rounds. */
interface Evidence {
  /** p of: the log ratio is above (`+`) or below (`-`) the shift. */
  test(rounds: number, shift: number, direction: "+" | "-"): { p: number; kept: number };
  estimate(rounds: number): number;
  interval(rounds: number, level: number): Interval;
  sd(rounds: number): number;
  rounds: number;
}

/**
 * Decides a series of log ratios in round order. The first look that decides is final: data after it do not change the
 * result. A regression is looked for first, so that a look at which both could be called (a promise inside the tolerance)
 * blocks.
 */
export function decide(d: readonly number[], rule: Rule): Decision {
  return walk(
    {
      rounds: d.length,
      test: (n, shift, direction) => trimmedSignedRank(d.slice(0, n), shift, direction),
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
 * The same for values of fresh launches against stored ones of another day (both positive): exact rank-sum tests on logs. The
 * looks count fresh launches.
 */
export function decideUnpaired(
  candidate: readonly number[],
  reference: readonly number[],
  rule: StoredRule,
): Decision {
  const x = candidate.map(Math.log);
  const y = reference.map(Math.log);
  const evidence: Evidence = {
    rounds: x.length,
    test: (n, shift, direction) => {
      const fresh = x.slice(0, n);
      const p =
        direction === "+"
          ? rankSumUpperTail(fresh, y, shift)
          : rankSumUpperTail(
              y,
              fresh.map((value) => value - shift),
            );
      return { p, kept: n };
    },
    estimate: (n) => shiftEstimate(x.slice(0, n), y),
    interval: (n, level) => shiftInterval(x.slice(0, n), y, level),
    sd: (n) => Math.hypot(robustSd(x.slice(0, n)), robustSd(y)),
  };
  return walk(evidence, rule, rule.driftMargin);
}

function walk(evidence: Evidence, rule: Rule, drift: number): Decision {
  const thresholds = thresholdsOf(rule);
  const worse = Math.log1p(rule.tolerance) + drift;
  const promised = Math.log1p(rule.promise) - drift;
  const floor = Math.log1p(rule.floor);
  const trail: LookTaken[] = [];
  for (const n of rule.looks) {
    if (n > evidence.rounds) break;
    const pRegress = evidence.test(n, worse, "+").p;
    const pPass = evidence.test(n, promised, "-").p;
    const estimate = evidence.estimate(n);
    trail.push({ rounds: n, pRegress, pPass, estimate });
    const regressed = pRegress <= thresholds.regress && estimate >= floor;
    if (!regressed && pPass > thresholds.pass) continue;
    return conclude(regressed ? "regressed" : "pass", n);
  }
  return conclude("open", evidence.rounds);

  function conclude(state: Decision["state"], n: number): Decision {
    const { p: pRegress, kept } = evidence.test(n, worse, "+");
    const estimate = evidence.estimate(n);
    // Held to the level of a pass: good news blocks nobody, and a pass at eight rounds could never reach a regression's level.
    const better = evidence.test(n, -worse, "-").p <= thresholds.pass && estimate <= -floor;
    const sd = evidence.sd(n);
    return {
      state,
      improved: state === "pass" && better,
      look: n,
      estimate,
      interval: evidence.interval(n, INTERVAL_LEVEL),
      pRegress,
      pPass: evidence.test(n, promised, "-").p,
      thresholds,
      kept,
      sd,
      detectableEffect: detectableEffect({
        sd,
        rounds: n,
        tolerance: rule.tolerance,
        alpha: thresholds.regress,
      }),
      trail,
    };
  }
}
