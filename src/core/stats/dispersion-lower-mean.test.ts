import fc from "fast-check";
import { expect, test } from "vitest";
import { lowerMean } from "./dispersion.ts";

test("the mean of the least values", () => {
  expect(lowerMean([4, 1, 3, 2], 2)).toBe(1.5);
  expect(lowerMean([5, 1, 3], 3)).toBe(3);
  expect(lowerMean([5, 1, 3], 4)).toBe(3);
  expect(lowerMean([7], 1)).toBe(7);
  expect(lowerMean([], 1)).toBeNaN();
  expect(lowerMean([7], 0)).toBeNaN();
});

test("it moves with the values, and all others may be spoiled", () => {
  const values = fc.array(
    fc.integer({ min: -800, max: 800 }).map((k) => k / 8),
    { minLength: 1, maxLength: 20 },
  );
  fc.assert(
    fc.property(values, fc.nat(19), fc.integer({ min: -8, max: 8 }), (x, rest, shift) => {
      const count = (rest % x.length) + 1;
      expect(
        lowerMean(
          x.map((v) => v + shift),
          count,
        ),
      ).toBeCloseTo(lowerMean(x, count) + shift, 9);
      const sorted = [...x].sort((a, b) => a - b);
      const spoiled = sorted.map((v, i) => (i < count ? v : v + 1e6));
      expect(lowerMean(spoiled, count)).toBe(lowerMean(x, count));
    }),
  );
});
