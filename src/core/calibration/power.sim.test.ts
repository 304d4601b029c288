import { describe, expect, test } from "vitest";
import { createPrng } from "../base/prng.ts";
import { robustSd } from "../stats/dispersion.ts";
import type { Rule } from "../verdict/decide.ts";
import { closestKept, costOfMargin, keepsMargin, medianAndP90, noiseLike } from "./power.ts";

const RULE: Rule = {
  tolerance: 0.01,
  margin: 0.1,
  floor: 0.05,
  alpha: 0.01,
  hypotheses: 6,
  beta: 0.05,
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

describe("what a margin costs", () => {
  test("quiet noise keeps a margin of 10 % in the fewest rounds", () => {
    const cost = costOfMargin(simulation(0.01));
    expect(cost.kept).toBe(true);
    expect(cost.unchanged).toMatchObject({ passed: 1, regressed: 0 });
    expect(cost.unchanged.rounds).toEqual({ median: 5, p90: 5, medianMs: 50_000 });
    expect(cost.worse.regressed).toBeGreaterThan(0.95);
    // 2^10 is the first power beyond 6 / 0.01, and the stakes are a little below all.
    expect(cost.worse.rounds?.median).toBe(11);
  });

  test("noise of .1 needs more rounds to pass than noise of .05, as the rule's own simulations found", () => {
    const calm = costOfMargin(simulation(0.05)).unchanged.rounds?.median ?? 0;
    const rough = costOfMargin(simulation(0.1)).unchanged.rounds?.median ?? 0;
    expect(calm).toBeLessThanOrEqual(12);
    expect(rough).toBeGreaterThan(calm);
  });

  test("too few rounds in the time budget keep nothing, and it is given up early", () => {
    const cost = costOfMargin(simulation(0.05, { maxRounds: 4 }));
    expect(cost).toMatchObject({
      kept: false,
      unchanged: { passed: 0, regressed: 0, rounds: null },
    });
    expect(cost.worse.trials).toBeLessThan(100);
    expect(keepsMargin(simulation(0.05, { maxRounds: 4 }))).toBe(false);
  });

  test("a floor above the margin hides what is allowed", () => {
    const hidden = { rule: { floor: 0.2 } };
    expect(keepsMargin(simulation(0.01))).toBe(true);
    expect(keepsMargin(simulation(0.01, hidden))).toBe(false);
  });

  test("the same seed gives the same figures", () => {
    expect(costOfMargin(simulation(0.08))).toEqual(costOfMargin(simulation(0.08)));
  });
});

describe("the closest kept margin", () => {
  const margins = [0.02, 0.05, 0.1, 0.2];
  const cases: [number, number | null][] = [
    [0.01, 0.02],
    [0.05, 0.05],
    [0.06, 0.1],
    [0.2, 0.2],
    [0.3, null],
  ];
  test.each(cases)("what can be shown is %d", (least, expected) => {
    expect(closestKept(margins, (margin) => margin >= least)).toBe(expected);
  });

  test("of none is none", () => {
    expect(closestKept([], () => true)).toBe(null);
  });
});

test("the middle and the p90 of ten", () => {
  expect(medianAndP90([8, 8, 8, 12, 16, 16, 20, 28, 40, 60])).toEqual({ median: 16, p90: 40 });
  expect(medianAndP90([])).toBe(null);
});
