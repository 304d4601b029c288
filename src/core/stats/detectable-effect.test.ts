import { expect, test } from "vitest";
import { callableEffect, detectableEffect, roundsNeeded } from "./detectable-effect.ts";
import { normalUpperQuantile } from "./normal.ts";

/** Simulated: rounds in which 95 % of 400 runs had the evidence, by wealth, sd and effect in scales. */
const SIMULATED = [
  { wealth: 100, sd: 1, effect: 0.5, rounds: 119 },
  { wealth: 100, sd: 2, effect: 1, rounds: 154 },
  { wealth: 1000, sd: 0.5, effect: 0.5, rounds: 38 },
  { wealth: 1000, sd: 1, effect: 1, rounds: 46 },
  { wealth: 1000, sd: 1.5, effect: 1, rounds: 95 },
  { wealth: 1000, sd: 3, effect: 1, rounds: 445 },
  { wealth: 8000, sd: 1, effect: 1, rounds: 52 },
  { wealth: 8000, sd: 2, effect: 1, rounds: 238 },
];

test("the planning figure is within a fifth of the simulated bets", () => {
  for (const { wealth, sd, effect, rounds } of SIMULATED) {
    const found = Math.log1p(detectableEffect({ sd, rounds, tolerance: 0, wealth }));
    expect(found / effect, JSON.stringify({ wealth, sd, effect })).toBeGreaterThan(0.8);
    expect(found / effect, JSON.stringify({ wealth, sd, effect })).toBeLessThan(1.25);
  }
});

test("the rounds that an effect needs are the fewest that show it", () => {
  const precision = { sd: 0.1, tolerance: 0.01, wealth: 1000 };
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
    const precision = { sd, tolerance: 0.01, wealth: 1000, rounds: 16 };
    expect(callableEffect({ ...precision, floor }), `${sd} ${floor}`).toBeCloseTo(expected, 4);
  };
  check(0, 0.05, 0.05);
  // 1.05 · exp(1.6449 · 0.01 / 4)
  check(0.01, 0.05, 0.0543);
  // Here the evidence is what takes most: 1.01 · exp(0.1 · √(6.8 · ln 1000 / 16))
  check(0.1, 0.05, 0.19877);
  check(0.1, 0.25, 0.30247);
  const none = { sd: 0.1, tolerance: 0.01, wealth: 1000, rounds: 0, floor: 0.05 };
  expect(callableEffect(none)).toBe(Number.POSITIVE_INFINITY);
  expect(callableEffect({ ...none, rounds: 8, sd: Number.NaN })).toBeNaN();
});

test("nothing is shown by no rounds, and nothing shows what is tolerated", () => {
  const precision = { sd: 0.1, tolerance: 0.01, wealth: 1000 };
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
