// The rule by margins that profiles give: its bounds, and that an unchanged build passes as it was
// promised. The calibration has the same noise and rounds of its own, and the runs have others. Seeded: a failure repeats.
import { expect, test } from "vitest";
import { normal } from "../../../test/support/samples.ts";
import { PRINTS_RATES, trialsOf } from "../../../test/support/trials.ts";
import { createPrng, type Prng } from "../base/prng.ts";
import { binomialLowerTail, binomialUpperTail } from "../stats/proportion.ts";
import { decide, ruleOf, SYMMETRIC } from "../verdict/decide.ts";
import { closestMargin } from "./auto-margin.ts";

const LONG = 900_000;
const CALIBRATED = 16;
/** Of the slowest question. */
const ROUNDS = 12;
const MOST = 0.3;
/** By the margin of one calibration. */
const RUNS_EACH = 20;
/** One question, so that alpha is all its own. */
const POLICY = { alpha: 0.01, beta: 0.05 };

type Shape = (prng: Prng) => number;
const sign = (prng: Prng): number => (prng.next() < 0.5 ? -1 : 1);

const SHAPES: Readonly<Record<string, Shape>> = {
  "sd 2 %": (prng) => 0.02 * normal(prng),
  "sd 5 %": (prng) => 0.05 * normal(prng),
  "sd 12 %": (prng) => 0.12 * normal(prng),
  "heavy tails": (prng) => (0.03 * normal(prng)) / Math.max(0.01, Math.abs(normal(prng))),
  "two launches in turn": (prng) => 0.06 * sign(prng) + 0.01 * normal(prng),
  "eight times as much in a fifth of the rounds": (prng) =>
    (prng.next() < 0.2 ? 8 : 1) * 0.02 * normal(prng),
};

function calibrated(prng: Prng, shape: Shape): number {
  return closestMargin({
    d: Array.from({ length: CALIBRATED }, () => shape(prng)),
    rounds: ROUNDS,
    most: MOST,
    beta: POLICY.beta,
    methodAt: () => SYMMETRIC,
  });
}

/** `centreOf`: of the log ratios, by the margin. */
function rates(
  shape: Shape,
  { trials, rounds, floor }: { trials: number; rounds: number; floor: "half" | "none" },
  centreOf: (margin: number) => number,
) {
  const prng = createPrng(20261126);
  const counts = { trials: trialsOf(trials), regressed: 0, pass: 0, open: 0, margin: 0, within: 0 };
  let margin = MOST;
  for (let trial = 0; trial < counts.trials; trial++) {
    if (trial % RUNS_EACH === 0) margin = calibrated(prng, shape);
    const limits = { margin, tolerance: 0.01, floor: floor === "half" ? margin / 2 : 0 };
    const observations = Array.from({ length: rounds }, () => ({
      d: centreOf(margin) + shape(prng),
      calm: true,
    }));
    const decision = decide(observations, ruleOf(limits, POLICY, 1));
    counts[decision.state]++;
    if (decision.state === "pass" && decision.rounds <= ROUNDS) counts.within++;
    counts.margin += margin / counts.trials;
  }
  return counts;
}

const atTolerance = (): number => Math.log1p(0.01);
const atMargin = (margin: number): number => Math.log1p(margin);

for (const [name, shape] of Object.entries(SHAPES)) {
  test(`${name}: as bad as tolerated is red in at most alpha, as bad as its margin passes in at most beta`, {
    timeout: LONG,
  }, () => {
    const options = { trials: 20_000, rounds: 60, floor: "none" } as const;
    const tolerated = rates(shape, options, atTolerance);
    const worse = rates(shape, options, atMargin);
    if (PRINTS_RATES) console.info(name, { tolerated, worse });
    expect(binomialUpperTail(tolerated.regressed, tolerated.trials, POLICY.alpha)).toBeGreaterThan(
      0.001,
    );
    expect(binomialUpperTail(worse.pass, worse.trials, POLICY.beta)).toBeGreaterThan(0.001);
  });

  test(`${name}: equal builds pass, most of them in the rounds that there are`, {
    timeout: LONG,
  }, () => {
    const equal = rates(shape, { trials: 4000, rounds: 60, floor: "half" }, () => 0);
    if (PRINTS_RATES) console.info(name, equal);
    expect(binomialUpperTail(equal.regressed, equal.trials, POLICY.alpha)).toBeGreaterThan(0.001);
    // Of nine in ten, since sixteen rounds tell a spread to about a third.
    expect(binomialLowerTail(equal.within, equal.trials, 0.75)).toBeGreaterThan(0.001);
  });
}
