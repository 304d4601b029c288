import fc from "fast-check";
import { expect, test } from "vitest";
import { quantile, requestsBeyond, sortSample } from "./quantile.ts";

/** Multiples of 1/64: sums and halves are exact, so that equalities can be asserted. */
const values = fc.array(
  fc.integer({ min: -640, max: 640 }).map((k) => k / 64),
  { minLength: 1, maxLength: 60 },
);
const probability = fc.double({ min: 0, max: 1, noNaN: true });

test("a quantile is a value of the sample and grows with p", () => {
  fc.assert(
    fc.property(values, probability, probability, (x, a, b) => {
      const sorted = sortSample(x);
      expect(x).toContain(quantile(sorted, a));
      expect(quantile(sorted, Math.min(a, b))).toBeLessThanOrEqual(
        quantile(sorted, Math.max(a, b)),
      );
    }),
  );
});

test("a quantile does not mind the order, and scales with the sample", () => {
  fc.assert(
    fc.property(values, probability, (x, p) => {
      const q = quantile(sortSample(x), p);
      expect(quantile(sortSample([...x].reverse()), p)).toBe(q);
      expect(quantile(sortSample(x.map((v) => 2 * v + 1)), p)).toBe(2 * q + 1);
    }),
  );
});

test("a share p lies at or below the p-quantile, and of no smaller value is that true", () => {
  fc.assert(
    fc.property(values, fc.integer({ min: 1, max: 1000 }), (x, k) => {
      const q = quantile(sortSample(x), k / 1000);
      // In thousandths, to compare whole numbers.
      expect(1000 * x.filter((v) => v <= q).length).toBeGreaterThanOrEqual(k * x.length);
      expect(1000 * x.filter((v) => v < q).length).toBeLessThan(k * x.length);
    }),
  );
});

test("what lies beyond a p99", () => {
  expect([0, 1, 99, 100, 101, 960, 10_000].map((n) => requestsBeyond(n, 0.99))).toEqual([
    0, 0, 0, 1, 1, 9, 100,
  ]);
});

test("sorting leaves the sample alone", () => {
  const x = [3, 1, 2];
  expect([...sortSample(x)]).toEqual([1, 2, 3]);
  expect(x).toEqual([3, 1, 2]);
});

test("what cannot be a quantile is refused, and an empty sample has none", () => {
  for (const wrong of [Number.NaN, Number.POSITIVE_INFINITY]) {
    expect(() => sortSample([1, wrong])).toThrow(RangeError);
  }
  for (const wrong of [-0.01, 1.1, Number.NaN]) {
    expect(() => quantile(sortSample([1]), wrong)).toThrow(RangeError);
  }
  expect(quantile(sortSample([]), 0.5)).toBeNaN();
});
