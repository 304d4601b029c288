import { expect, test } from "vitest";
import { detectableEffect } from "./detectable-effect.ts";

const precision = { sd: 0.1, tolerance: 0.01, wealth: 1000 };

/** Simulated: rounds in which 95 % of 400 runs had the evidence, by wealth, sd and effect in scales. */
test.each([
  { wealth: 100, sd: 1, effect: 0.5, rounds: 119 },
  { wealth: 100, sd: 2, effect: 1, rounds: 154 },
  { wealth: 1000, sd: 0.5, effect: 0.5, rounds: 38 },
  { wealth: 1000, sd: 1, effect: 1, rounds: 46 },
  { wealth: 1000, sd: 1.5, effect: 1, rounds: 95 },
  { wealth: 1000, sd: 3, effect: 1, rounds: 445 },
  { wealth: 8000, sd: 1, effect: 1, rounds: 52 },
  { wealth: 8000, sd: 2, effect: 1, rounds: 238 },
])("the planning figure is within a quarter of the simulated bets: %o", ({ effect, ...own }) => {
  const found = Math.log1p(detectableEffect({ ...own, tolerance: 0, floor: 0 })) / effect;
  expect(found).toBeGreaterThan(0.8);
  expect(found).toBeLessThan(1.25);
});

test.each([
  { sd: 0, floor: 0.05, rounds: 16, expected: 0.05 },
  // 1.05 · exp(1.6449 · 0.01 / 4)
  { sd: 0.01, floor: 0.05, rounds: 16, expected: 0.0543 },
  // The evidence takes most: 1.01 · exp(0.1 · √(6.8 · ln 1000 / 16))
  { sd: 0.1, floor: 0.05, rounds: 16, expected: 0.19877 },
  { sd: 0.1, floor: 0.25, rounds: 16, expected: 0.30247 },
  { sd: 0.1, floor: 0.05, rounds: 0, expected: Number.POSITIVE_INFINITY },
  { sd: Number.NaN, floor: 0.05, rounds: 8, expected: Number.NaN },
])(
  "a change is detected from the floor on, and later where the estimate is uncertain: %o",
  (one) => {
    const { expected, ...own } = one;
    const found = detectableEffect({ ...precision, ...own });
    if (Number.isFinite(expected)) expect(found).toBeCloseTo(expected, 4);
    else expect(found).toBe(expected);
  },
);
