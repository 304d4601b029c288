import fc from "fast-check";
import { expect, test } from "vitest";
import { hodgesLehmann, signedRankInterval, trimmedEstimate } from "./hodges-lehmann.ts";

const grid = fc.integer({ min: -640, max: 640 }).map((k) => k / 64);
const sample = (minLength: number, maxLength: number) => fc.array(grid, { minLength, maxLength });

test("whatever the distances from the centre, the interval covers it as often as it says", () => {
  const distances = fc.oneof(
    fc.array(fc.integer({ min: 0, max: 40 }), { minLength: 1, maxLength: 9 }),
    // Two tight clusters, with or without more.
    fc.array(fc.constantFrom(20, 20, 20, 21, 5, 60), { minLength: 6, maxLength: 9 }),
  );
  fc.assert(
    fc.property(distances, grid, fc.constantFrom(0.5, 0.8, 0.9, 0.95), (all, centre, level) => {
      const patterns = 2 ** all.length;
      let [above, below] = [0, 0];
      for (let bits = 0; bits < patterns; bits++) {
        const d = all.map((distance, i) => centre + ((bits >> i) & 1 ? distance : -distance));
        const { low, high } = signedRankInterval(d, level);
        if (low > centre) above++;
        if (high < centre) below++;
      }
      expect(above / patterns).toBeLessThanOrEqual((1 - level) / 2 + 1e-12);
      expect(below / patterns).toBeLessThanOrEqual((1 - level) / 2 + 1e-12);
    }),
    { numRuns: 40 },
  );
});

test("no interval of its kind is narrower: one Walsh average further in covers too seldom", () => {
  const distances = [1, 2, 4, 8, 16, 32, 64, 128];
  const level = 0.9;
  const lows = Array.from({ length: 2 ** distances.length }, (_, bits) => {
    const d = distances.map((distance, i) => ((bits >> i) & 1 ? distance : -distance));
    const { low } = signedRankInterval(d, level);
    return d
      .flatMap((a, i) => d.slice(i).map((b) => (a + b) / 2))
      .filter((average) => average > low)
      .reduce((least, average) => Math.min(least, average), Number.POSITIVE_INFINITY);
  });
  const wrong = lows.filter((low) => low > 0).length;
  expect(wrong / lows.length).toBeGreaterThan((1 - level) / 2);
});

test("estimates move with the data, mirror with them, and lie inside their intervals", () => {
  fc.assert(
    fc.property(sample(1, 40), grid, (d, shift) => {
      const moved = d.map((v) => v + shift);
      const mirrored = d.map((v) => -v);
      const estimate = trimmedEstimate(d);
      expect(trimmedEstimate(moved)).toBeCloseTo(estimate + shift, 9);
      expect(hodgesLehmann(moved)).toBeCloseTo(hodgesLehmann(d) + shift, 9);
      expect(trimmedEstimate(mirrored)).toBeCloseTo(-estimate, 9);
      for (const level of [0.5, 0.95]) {
        const { low, high } = signedRankInterval(d, level);
        expect(low).toBeLessThanOrEqual(estimate);
        expect(high).toBeGreaterThanOrEqual(estimate);
        const mirror = signedRankInterval(mirrored, level);
        expect(mirror.low).toBeCloseTo(-high, 9);
        expect(mirror.high).toBeCloseTo(-low, 9);
      }
    }),
  );
});

test("an outlier moves neither estimate nor interval by much", () => {
  const d = [0.01, -0.02, 0.03, 0.0, 0.02, -0.01, 0.015, -0.005, 0.025, 0.005];
  const clean = signedRankInterval(d, 0.9);
  const dirty = signedRankInterval([...d, 3], 0.9);
  expect(trimmedEstimate([...d, 3])).toBeCloseTo(trimmedEstimate(d), 12);
  expect(Math.abs(dirty.low - clean.low)).toBeLessThan(0.01);
  expect(Math.abs(dirty.high - clean.high)).toBeLessThan(0.03);
});

test("too small a sample bounds nothing", () => {
  const nowhere = { low: Number.NEGATIVE_INFINITY, high: Number.POSITIVE_INFINITY };
  for (const d of [[], [0.1], [0.1, 0.2], [1, 2, 3, 4, 5]]) {
    expect(signedRankInterval(d, 0.95)).toMatchObject(nowhere);
  }
  expect([hodgesLehmann([]), trimmedEstimate([])]).toEqual([Number.NaN, Number.NaN]);
});
