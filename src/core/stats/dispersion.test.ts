import fc from "fast-check";
import { expect, test } from "vitest";
import { mad, median, robustSd, sampleSd } from "./dispersion.ts";

test("of small samples", () => {
  expect([median([3]), median([4, 1]), median([5, 1, 3])]).toEqual([3, 2.5, 3]);
  expect(mad([1, 1, 2, 2, 4, 6, 9])).toBe(1);
  expect(robustSd([1, 1, 2, 2, 4, 6, 9])).toBeCloseTo(1.4826, 4);
  expect(sampleSd([2, 4, 4, 4, 5, 5, 7, 9])).toBeCloseTo(Math.sqrt(32 / 7), 12);
});

test("of nothing, of one value and of what is no number", () => {
  expect([median([]), mad([]), robustSd([]), sampleSd([]), sampleSd([1])]).toEqual(
    Array(5).fill(Number.NaN),
  );
  expect([median([7]), mad([7]), robustSd([7])]).toEqual([7, 0, 0]);
  expect([median([1, Number.NaN, 2]), mad([1, Number.NaN, 2])]).toEqual([Number.NaN, Number.NaN]);
});

test("spreads ignore where the values are and follow their scale", () => {
  const whole = fc.array(fc.integer({ min: -1000, max: 1000 }), { minLength: 2, maxLength: 40 });
  fc.assert(
    fc.property(whole, fc.integer({ min: -100, max: 100 }), (x, shift) => {
      const moved = x.map((v) => -4 * v + shift);
      expect(mad(moved)).toBe(4 * mad(x));
      expect(sampleSd(moved)).toBeCloseTo(4 * sampleSd(x), 8);
    }),
  );
});
