import { describe, expect, test } from "vitest";
import { createPrng } from "../base/prng.ts";
import { robustSd } from "../stats/dispersion.ts";
import type { Rule } from "../verdict/decide.ts";
import {
  closestKept,
  costOfPromise,
  keepsPromise,
  middleAndNinth,
  noiseLike,
} from "./calibrate-power.ts";

const RULE: Rule = {
  tolerance: 0.01,
  promise: 0.1,
  floor: 0.05,
  alpha: 0.01,
  hypotheses: 6,
  beta: 0.05,
  looks: [8, 12, 16, 20, 28, 40, 60],
};
/** Quantiles of a normal law, so that its spread is known. */
const STANDARD = [-1.53, -0.89, -0.49, -0.16, 0.16, 0.49, 0.89, 1.53];

function simulation(sd: number, changes: { rule?: Partial<Rule>; maxRounds?: number } = {}) {
  return {
    noise: noiseLike(STANDARD.map((value) => sd * value)),
    rule: { ...RULE, ...changes.rule },
    maxRounds: changes.maxRounds ?? 60,
    roundMs: 10_000,
    seed: 7,
    trials: 200,
  };
}

describe("noise like the recorded", () => {
  test("is symmetric about 0, whatever the recording's bias, and as wide", () => {
    const d = STANDARD.map((value) => 0.1 * value + 0.3);
    const noise = noiseLike(d);
    const prng = createPrng(3);
    const draws = Array.from({ length: 4000 }, () => noise(prng));
    const above = draws.filter((value) => value > 0).length;
    expect(above / draws.length).toBeCloseTo(0.5, 1);
    // Every value lies within the recording or its mirror, give or take the smoothing.
    const reach = 0.3 + 0.153 + 5 * 0.2 * robustSd(d);
    expect(Math.max(...draws.map(Math.abs))).toBeLessThan(reach);
  });

  test("of a steady recording is 0", () => {
    expect(noiseLike([0, 0, 0])(createPrng(1))).toBe(0);
  });
});

describe("what a promise costs", () => {
  test("quiet noise keeps a promise of 10 % in the fewest rounds that the looks allow", () => {
    const cost = costOfPromise(simulation(0.01));
    expect(cost.kept).toBe(true);
    expect(cost.unchanged).toMatchObject({ passed: 1, regressed: 0 });
    expect(cost.unchanged.rounds).toEqual({ median: 8, ninth: 8, medianMs: 80_000 });
    expect(cost.worse.regressed).toBeGreaterThan(0.95);
    // No regression is called before 16 rounds.
    expect(cost.worse.rounds?.median).toBe(16);
  });

  test("noise of .1 needs more rounds to pass than noise of .05, as the rule's own simulations found", () => {
    const calm = costOfPromise(simulation(0.05)).unchanged.rounds?.median ?? 0;
    const rough = costOfPromise(simulation(0.1)).unchanged.rounds?.median ?? 0;
    expect(calm).toBeLessThanOrEqual(12);
    expect(rough).toBeGreaterThan(calm);
  });

  test("too few rounds in the time budget keep nothing, and it is given up early", () => {
    const cost = costOfPromise(simulation(0.05, { maxRounds: 7 }));
    expect(cost).toMatchObject({
      kept: false,
      unchanged: { passed: 0, regressed: 0, rounds: null },
    });
    expect(cost.worse.trials).toBeLessThan(100);
    expect(keepsPromise(simulation(0.05, { maxRounds: 7 }))).toBe(false);
  });

  test("a floor above the promise hides what is promised", () => {
    const hidden = { rule: { floor: 0.2 } };
    expect(keepsPromise(simulation(0.01))).toBe(true);
    expect(keepsPromise(simulation(0.01, hidden))).toBe(false);
  });

  test("the same seed gives the same figures", () => {
    expect(costOfPromise(simulation(0.08))).toEqual(costOfPromise(simulation(0.08)));
  });
});

describe("the closest kept promise", () => {
  const promises = [0.02, 0.05, 0.1, 0.2];
  const cases: [number, number | null][] = [
    [0.01, 0.02],
    [0.05, 0.05],
    [0.06, 0.1],
    [0.2, 0.2],
    [0.3, null],
  ];
  test.each(cases)("what can be shown is %d", (least, expected) => {
    expect(closestKept(promises, (promise) => promise >= least)).toBe(expected);
  });

  test("of none is none", () => {
    expect(closestKept([], () => true)).toBe(null);
  });
});

test("the middle and the ninth of ten", () => {
  expect(middleAndNinth([8, 8, 8, 12, 16, 16, 20, 28, 40, 60])).toEqual({ median: 16, ninth: 40 });
  expect(middleAndNinth([])).toBe(null);
});
