import { expect, test } from "vitest";
import { callableEffect, detectableEffect, roundsNeeded } from "./detectable-effect.ts";
import { normalUpperQuantile } from "./normal.ts";

/** Smallest effect that the simulated rule found in 95 % of trials, in percent, by sd, hypotheses and rounds. */
const SIMULATED = [
  { sd: 0.08, found: { "30,40": 10, "30,60": 9, "12,60": 9 } },
  { sd: 0.1, found: { "30,40": 12, "30,60": 10, "12,60": 10 } },
  { sd: 0.125, found: { "30,40": 15, "30,60": 12, "12,60": 11 } },
  { sd: 0.15, found: { "30,40": 19, "30,60": 14, "12,60": 14 } },
];

test("the planning figure is within 1.5 points of the simulated rule", () => {
  for (const { sd, found } of SIMULATED) {
    for (const [key, percent] of Object.entries(found)) {
      const [hypotheses = 0, rounds = 0] = key.split(",").map(Number);
      // Regressions can be called at 16, 20, 28, 40 and, with sixty rounds, 60.
      const alpha = 0.01 / (hypotheses * (rounds === 60 ? 5 : 4));
      const effect = detectableEffect({ sd, rounds, tolerance: 0.01, alpha });
      expect(Math.abs(100 * effect - percent), `sd ${sd}, ${key}`).toBeLessThanOrEqual(1.5);
    }
  }
});

test("the rounds that an effect needs are the fewest that show it", () => {
  const precision = { sd: 0.1, tolerance: 0.01, alpha: 2e-4 };
  for (const effect of [0.05, 0.1, 0.2, 3]) {
    const rounds = roundsNeeded({ ...precision, effect });
    expect(detectableEffect({ ...precision, rounds })).toBeLessThanOrEqual(effect);
    if (rounds > 1) {
      expect(detectableEffect({ ...precision, rounds: rounds - 1 })).toBeGreaterThan(effect);
    }
  }
});

test("a change is called from the floor on, and beyond it where the estimate is uncertain", () => {
  const check = (sd: number, floor: number, expected: number): void => {
    const precision = { sd, tolerance: 0.01, alpha: 2e-4, rounds: 16 };
    expect(callableEffect({ ...precision, floor }), `${sd} ${floor}`).toBeCloseTo(expected, 4);
  };
  check(0, 0.05, 0.05);
  // 1.05 · exp(1.6449 · 0.01 / 4)
  check(0.01, 0.05, 0.0543);
  // Here the test is what takes most: 1.01 · exp(1.2 · (3.5401 + 1.6449) · 0.1 / 4)
  check(0.1, 0.05, 0.18);
  check(0.1, 0.25, 0.3025);
  const none = { sd: 0.1, tolerance: 0.01, alpha: 2e-4, rounds: 0, floor: 0.05 };
  expect(callableEffect(none)).toBe(Number.POSITIVE_INFINITY);
  expect(callableEffect({ ...none, rounds: 8, sd: Number.NaN })).toBeNaN();
});

test("nothing is shown by no rounds, and nothing shows what is tolerated", () => {
  const precision = { sd: 0.1, tolerance: 0.01, alpha: 2e-4 };
  expect(detectableEffect({ ...precision, rounds: 0 })).toBe(Number.POSITIVE_INFINITY);
  expect(detectableEffect({ ...precision, sd: Number.NaN, rounds: 8 })).toBeNaN();
  expect(detectableEffect({ ...precision, sd: 0, rounds: 8 })).toBeCloseTo(0.01, 12);
  expect(roundsNeeded({ ...precision, effect: 0.01 })).toBe(Number.POSITIVE_INFINITY);
  expect(roundsNeeded({ ...precision, sd: 0, effect: 0.02 })).toBe(1);
});

test("normal quantiles at the ends", () => {
  expect([0, 0.5, 1, -1, 2, Number.NaN].map(normalUpperQuantile)).toEqual([
    Number.POSITIVE_INFINITY,
    0,
    Number.NEGATIVE_INFINITY,
    Number.NaN,
    Number.NaN,
    Number.NaN,
  ]);
});
