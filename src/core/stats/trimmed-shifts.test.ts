import fc from "fast-check";
import { expect, test } from "vitest";
import { hodgesLehmann, trimmedEstimate, walshAverages } from "./hodges-lehmann.ts";
import { trimmedInterval, trimmedP } from "./trimmed-shifts.ts";
import { trimmedSignedRank } from "./trimmed-signed-rank.ts";

const grid = fc.integer({ min: -640, max: 640 }).map((k) => k / 64);
const sample = (minLength: number, maxLength: number) => fc.array(grid, { minLength, maxLength });

/**
 * Shares of p ≤ a, by enumeration of all signs of distances from a centre, for each a that occurs.
 */
function attained(centre: number, distances: readonly number[], p: (d: number[]) => number) {
  const all = Array.from({ length: 2 ** distances.length }, (_, bits) =>
    p(distances.map((distance, i) => centre + ((bits >> i) & 1 ? distance : -distance))),
  ).sort((a, b) => a - b);
  return all.flatMap((a, i) => (all[i + 1] === a ? [] : [{ a, share: (i + 1) / all.length }]));
}

test("wherever in the null the centre is, the chance of p <= a is at most a", () => {
  const distances = fc.oneof(
    fc.array(fc.integer({ min: 0, max: 40 }), { minLength: 1, maxLength: 9 }),
    // Two tight clusters, with or without more: the shape that a test of one shift takes for
    // outliers.
    fc.array(fc.constantFrom(20, 20, 20, 21, 5, 60), { minLength: 6, maxLength: 9 }),
  );
  fc.assert(
    fc.property(distances, fc.integer({ min: 0, max: 30 }), (whole, depth) => {
      for (const { a, share } of attained(-depth, whole, (d) => trimmedP(d, 0, "+"))) {
        expect(share).toBeLessThanOrEqual(a + 1e-12);
      }
    }),
    { numRuns: 40 },
  );
});

test("a test of one shift does not have that property: two clusters, the centre between them", () => {
  const tight = [20, 20.01, 20.02, 20.03, 20.04, 20.05, 20.06, 20.07, 20.08];
  const pointwise = attained(-1, tight, (d) => trimmedSignedRank(d, 0, "+").p);
  expect(pointwise.some(({ a, share }) => share > 5 * a)).toBe(true);
  const searched = attained(-1, tight, (d) => trimmedP(d, 0, "+"));
  expect(searched.every(({ a, share }) => share <= a)).toBe(true);
});

test("p covers any shift of the null, grows with the shift, and is the plain one without a trim", () => {
  const distinct = fc.uniqueArray(grid, { minLength: 1, maxLength: 20 });
  // No mean of two values of the grid.
  const between = fc.integer({ min: -640, max: 640 }).map((k) => k / 64 + 1 / 1000);
  fc.assert(
    fc.property(distinct, between, between, (d, a, b) => {
      const [low, high] = [Math.min(a, b), Math.max(a, b)];
      const p = trimmedP(d, high, "+");
      expect(p).toBeGreaterThanOrEqual(trimmedP(d, low, "+") - 1e-12);
      expect(p).toBeGreaterThanOrEqual(trimmedSignedRank(d, low, "+").p - 1e-12);
    }),
  );
  const even = [-3, -2, -1, 1.5, 2.5, 4, 5, 6.5];
  for (const shift of [-2.2, 0.1, 1.1, 3.3]) {
    expect(trimmedP(even, shift, "+")).toBe(trimmedSignedRank(even, shift, "+").p);
  }
});

test("mirrored data give mirrored p and interval", () => {
  fc.assert(
    fc.property(sample(1, 20), grid, (d, shift) => {
      const mirrored = d.map((v) => -v);
      expect(trimmedP(mirrored, -shift, "-")).toBe(trimmedP(d, shift, "+"));
      const { low, high } = trimmedInterval(d, 0.9);
      const mirror = trimmedInterval(mirrored, 0.9);
      // Not toBe, which tells 0 from -0.
      expect(mirror.low === -high && mirror.high === -low).toBe(true);
    }),
  );
});

test("a search that may stop early says no less than what it was told is enough", () => {
  fc.assert(
    fc.property(sample(1, 20), grid, fc.double({ min: 0, max: 1, noNaN: true }), (d, t, enough) => {
      const whole = trimmedP(d, t, "+");
      const early = trimmedP(d, t, "+", enough);
      if (whole <= enough) expect(early).toBe(whole);
      else expect(early).toBeGreaterThan(enough);
      expect(early).toBeLessThanOrEqual(whole);
    }),
  );
});

test("the interval is what the test does not reject", () => {
  fc.assert(
    fc.property(sample(6, 30), fc.constantFrom(0.8, 0.95), (d, level) => {
      const { low, high } = trimmedInterval(d, level);
      const alpha = (1 - level) / 2;
      if (Number.isFinite(low)) expect(trimmedP(d, low - 1e-6, "+")).toBeLessThanOrEqual(alpha);
      if (Number.isFinite(high)) expect(trimmedP(d, high + 1e-6, "-")).toBeLessThanOrEqual(alpha);
      // Not rejected up to the next Walsh average inside, unless it was the estimate that pushed
      // the end out.
      const walsh = walshAverages(d);
      const estimate = trimmedEstimate(d);
      const nextUp = walsh.find((average) => average > low) ?? low;
      const nextDown = walsh.findLast((average) => average < high) ?? high;
      if (low !== estimate) expect(trimmedP(d, nextUp, "+", alpha)).toBeGreaterThan(alpha);
      if (high !== estimate) expect(trimmedP(d, nextDown, "-", alpha)).toBeGreaterThan(alpha);
    }),
  );
});

test("estimates move with the data and lie inside their intervals", () => {
  fc.assert(
    fc.property(sample(1, 40), grid, (d, shift) => {
      const moved = d.map((v) => v + shift);
      const estimate = trimmedEstimate(d);
      expect(trimmedEstimate(moved)).toBeCloseTo(estimate + shift, 9);
      expect(hodgesLehmann(moved)).toBeCloseTo(hodgesLehmann(d) + shift, 9);
      expect(trimmedEstimate(d.map((v) => -v))).toBeCloseTo(-estimate, 9);
      for (const level of [0.5, 0.95]) {
        const { low, high } = trimmedInterval(d, level);
        expect(low).toBeLessThanOrEqual(estimate);
        expect(high).toBeGreaterThanOrEqual(estimate);
      }
    }),
  );
});

test("an estimate that the test would reject pushes the end out", () => {
  const d = [-1, -3, -1, -3, -3, 0, 4, -3, -4, 0, 1, -3];
  expect(trimmedEstimate(d)).toBe(-3);
  expect(trimmedP(d, -3, "+")).toBeLessThan(0.25);
  expect(trimmedInterval(d, 0.5).low).toBe(-3);
  expect(
    trimmedInterval(
      [...d].map((v) => -v),
      0.5,
    ).high,
  ).toBe(3);
});

test("an outlier moves neither estimate nor interval by much", () => {
  const d = [0.01, -0.02, 0.03, 0.0, 0.02, -0.01, 0.015, -0.005, 0.025, 0.005];
  const clean = trimmedInterval(d, 0.9);
  const dirty = trimmedInterval([...d, 3], 0.9);
  expect(trimmedEstimate([...d, 3])).toBeCloseTo(trimmedEstimate(d), 12);
  expect(Math.abs(dirty.low - clean.low)).toBeLessThan(0.01);
});

test("too small a sample bounds nothing", () => {
  const nowhere = { low: Number.NEGATIVE_INFINITY, high: Number.POSITIVE_INFINITY };
  for (const d of [[], [0.1], [0.1, 0.2], [1, 2, 3, 4, 5]]) {
    expect(trimmedInterval(d, 0.95)).toMatchObject(nowhere);
  }
  expect([hodgesLehmann([]), trimmedEstimate([]), trimmedP([], 0, "+")]).toEqual([
    Number.NaN,
    Number.NaN,
    1,
  ]);
  expect(() => trimmedP([1, Number.NaN], 0, "+")).toThrow(RangeError);
});
