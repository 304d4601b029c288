// Error rates at an absolute limit: rounds of a candidate alone, whose level is the limit itself.
// Seeded: a failure repeats.
import { expect, test } from "vitest";
import { normal } from "../../../test/support/samples.ts";
import { PRINTS_RATES, trialsOf } from "../../../test/support/trials.ts";
import { createPrng, type Prng } from "../base/prng.ts";
import { binomialLowerTail, binomialUpperTail } from "../stats/proportion.ts";
import { decide, type Observation, ruleOf } from "./decide.ts";
import { methodOf } from "./slow.ts";

const LONG = 600_000;
const ROUNDS = 100;
/** One question, so that alpha is all its own. */
const RULE = ruleOf({ margin: 0, tolerance: 0, floor: 0 }, { alpha: 0.01, beta: 0.05 }, 1);

type Shape = (prng: Prng) => Observation;

const calm =
  (next: (prng: Prng) => number): Shape =>
  (prng) => ({ d: next(prng), calm: true });
const sign = (prng: Prng): number => (prng.next() < 0.5 ? -1 : 1);
/** Host noise makes two rounds in five up to four times as slow, and not calm. */
const besideOthers: Shape = (prng) => {
  const own = 0.04 * normal(prng);
  const isNoisy = prng.next() < 0.4;
  return { d: own + (isNoisy ? Math.log(1 + 3 * prng.next()) : 0), calm: !isNoisy };
};

/** Log ratios to the limit, each symmetric about it but for what the host adds. */
const AT_LIMIT: Readonly<Record<string, Shape>> = {
  "sd 0.2 %": calm((prng) => 0.002 * normal(prng)),
  "sd 1 %": calm((prng) => 0.01 * normal(prng)),
  "sd 4 %": calm((prng) => 0.04 * normal(prng)),
  "sd 20 %": calm((prng) => 0.2 * normal(prng)),
  "heavy tails": calm((prng) => (0.02 * normal(prng)) / Math.max(0.01, Math.abs(normal(prng)))),
  "two launches in turn": calm((prng) => 0.1 * sign(prng) + 0.005 * normal(prng)),
  "beside other work": besideOthers,
};

function rates(name: string, shape: Shape, trials: number, shift = 0, estimator = "launch") {
  const prng = createPrng(20261126);
  const counts = { trials: trialsOf(trials), regressed: 0, pass: 0, open: 0, rounds: 0 };
  const method = methodOf({ policy: { estimator: estimator as "launch" | "windows" } }, RULE);
  for (let trial = 0; trial < counts.trials; trial++) {
    const rounds = Array.from({ length: ROUNDS }, () => {
      const { d, calm: isCalm } = shape(prng);
      return { d: d + shift, calm: isCalm };
    });
    const decision = decide(rounds, RULE, method);
    counts[decision.state]++;
    counts.rounds += decision.rounds / counts.trials;
  }
  if (PRINTS_RATES) console.info(name, counts);
  return counts;
}

for (const [name, shape] of Object.entries(AT_LIMIT)) {
  for (const estimator of ["launch", "windows"]) {
    test(`at its limit, ${name}, ${estimator}: red in at most alpha, passed in at most beta`, {
      timeout: LONG,
    }, () => {
      const { regressed, pass, trials } = rates(`${name}, ${estimator}`, shape, 2000, 0, estimator);
      expect(binomialUpperTail(regressed, trials, RULE.alpha)).toBeGreaterThan(0.001);
      expect(binomialUpperTail(pass, trials, RULE.beta)).toBeGreaterThan(0.001);
    });
  }
}

test("three spreads from its limit a build is told from it, on either side", {
  timeout: LONG,
}, () => {
  for (const [name, spread] of [
    ["sd 1 %", 0.01],
    ["sd 4 %", 0.04],
    ["sd 20 %", 0.2],
  ] as const) {
    const shape = AT_LIMIT[name] as Shape;
    const over = rates(`${name} over`, shape, 500, 3 * spread);
    expect(binomialLowerTail(over.regressed, over.trials, 0.99), name).toBeGreaterThan(0.001);
    const below = rates(`${name} below`, shape, 500, -3 * spread);
    expect(binomialLowerTail(below.pass, below.trials, 0.99), name).toBeGreaterThan(0.001);
  }
});

test("beside other work what is over its limit is red by its calm rounds, and what is below passes", {
  timeout: LONG,
}, () => {
  const over = rates("beside other work, over", besideOthers, 500, 0.12);
  expect(binomialLowerTail(over.regressed, over.trials, 0.99)).toBeGreaterThan(0.001);
  // As slow as the noise makes it, it is far enough.
  const below = rates("beside other work, below", besideOthers, 500, -1);
  expect(binomialLowerTail(below.pass, below.trials, 0.99)).toBeGreaterThan(0.001);
});
