import fc from "fast-check";
import { expect, test } from "vitest";
import { lowerHalfMean } from "./lower-half.ts";

test("the mean of the lower half, the middle included", () => {
  expect(lowerHalfMean([4, 1, 3, 2])).toBe(1.5);
  expect(lowerHalfMean([5, 1, 3])).toBe(2);
  expect(lowerHalfMean([7])).toBe(7);
  expect(lowerHalfMean([])).toBeNaN();
});

test("it moves with the values, and half of them may be spoiled", () => {
  const values = fc.array(
    fc.integer({ min: -800, max: 800 }).map((k) => k / 8),
    { minLength: 1, maxLength: 20 },
  );
  fc.assert(
    fc.property(values, fc.integer({ min: -8, max: 8 }), (x, shift) => {
      expect(lowerHalfMean(x.map((v) => v + shift))).toBeCloseTo(lowerHalfMean(x) + shift, 9);
      const sorted = [...x].sort((a, b) => a - b);
      const spoiled = sorted.map((v, i) => (i < Math.ceil(x.length / 2) ? v : v + 1e6));
      expect(lowerHalfMean(spoiled)).toBe(lowerHalfMean(x));
    }),
  );
});
