// The decision against stored values: unpaired launches of other days, by exact rank-sum tests at a
// few sample sizes fixed before any data.

import { robustSd } from "../stats/dispersion.ts";
import { rankSumUpperTail, shiftEstimate, shiftInterval } from "../stats/rank-sum.ts";
import { type Decision, INTERVAL_LEVEL, type Rule, type Step } from "./decide.ts";

interface StoredRule extends Rule {
  /** Drift between days, a log ratio: added to the tolerance, taken from the margin. */
  driftMargin: number;
}

/** Launches after which the tests are made; these share beta. */
export const STORED_LOOKS: readonly number[] = [8, 12, 16, 20, 28, 40, 60];
/** Where a regression can be called; fewer launches are one moment of a day. */
const BLOCKING_LOOKS = STORED_LOOKS.filter((rounds) => rounds >= 16);

export const FEWEST_LAUNCHES = {
  regress: Math.min(...BLOCKING_LOOKS),
  pass: Math.min(...STORED_LOOKS),
};

/**
 * Decides by the first look that can. Union bounds keep a false `regressed` over all hypotheses at
 * alpha, a false `pass` at beta and a false `improved` at beta shared among them, if launches of a day
 * differ from stored ones by the drift at most. Evidence is a test's level over its p. The interval
 * is of one look, without drift. A value without a logarithm leaves all open.
 */
export function decideStored(
  candidate: readonly number[],
  reference: readonly number[],
  rule: StoredRule,
): Decision {
  const positive = (value: number): boolean => value > 0 && Number.isFinite(value);
  const usable = reference.length > 0 && [...candidate, ...reference].every(positive);
  const x = usable ? candidate.map(Math.log) : [];
  const y = usable ? reference.map(Math.log) : [];
  const worse = Math.log1p(rule.tolerance) + rule.driftMargin;
  const within = Math.log1p(rule.margin) - rule.driftMargin;
  const floor = Math.log1p(rule.floor);
  const levels = {
    regress: rule.alpha / (rule.hypotheses * BLOCKING_LOOKS.length),
    pass: rule.beta / STORED_LOOKS.length,
  };
  const ask = (rounds: number): Step => {
    const seen = x.slice(0, rounds);
    return {
      rounds,
      regress: levels.regress / rankSumUpperTail(seen, y, worse),
      pass: levels.pass / rankSumUpperTail(y, seen, -within),
    };
  };
  const trail: Step[] = [];
  let state: Decision["state"] = "open";
  let rounds = x.length;
  for (const look of STORED_LOOKS) {
    if (look > x.length) break;
    const step = ask(look);
    trail.push(step);
    const blocks = BLOCKING_LOOKS.includes(look) && step.regress >= 1;
    if (blocks && shiftEstimate(x.slice(0, look), y) >= floor) state = "regressed";
    else if (step.pass >= 1) state = "pass";
    if (state === "open") continue;
    rounds = look;
    break;
  }
  const used = x.slice(0, rounds);
  const { regress, pass } = ask(rounds);
  const estimate = shiftEstimate(used, y);
  const interval = shiftInterval(used, y, INTERVAL_LEVEL);
  const better = rankSumUpperTail(y, used, worse);
  return {
    state,
    improved: state === "pass" && estimate <= -floor && better * rule.hypotheses <= levels.pass,
    worse: state === "pass" && interval.low > worse,
    rounds,
    estimate,
    // The caller gives calm ones only.
    isOfCalm: false,
    interval,
    evidence: { regress, pass },
    // Of single launches, unpaired.
    sd: Math.hypot(robustSd(used), robustSd(y)),
    trail,
  };
}
