// What must hold for any data: symmetries, orders, and exactness itself by enumeration.
import fc from "fast-check";
import { expect, test } from "vitest";
import { detectableEffect } from "./detectable-effect.ts";
import { mad, median, robustSd } from "./dispersion.ts";
import { hodgesLehmann, trimmedEstimate, trimmedInterval } from "./hodges-lehmann.ts";
import { quantile, sortSample } from "./quantile.ts";
import { rankSumUpperTail, shiftEstimate, shiftInterval } from "./rank-sum.ts";
import { signedRankUpperTail } from "./signed-rank.ts";
import { trim, trimmedSignedRank } from "./trimmed-signed-rank.ts";

/** Multiples of 1/64: sums and halves are exact, so that equalities can be asserted. */
const value = fc.integer({ min: -640, max: 640 }).map((k) => k / 64);
const sample = (minLength: number, maxLength: number) => fc.array(value, { minLength, maxLength });
const probability = fc.double({ min: 0, max: 1, noNaN: true });

test("a quantile is a value of the sample, grows with p and does not mind the order", () => {
  fc.assert(
    fc.property(sample(1, 60), probability, probability, (values, a, b) => {
      const sorted = sortSample(values);
      const [low, high] = [Math.min(a, b), Math.max(a, b)];
      expect(values).toContain(quantile(sorted, a));
      expect(quantile(sorted, low)).toBeLessThanOrEqual(quantile(sorted, high));
      expect(quantile(sortSample([...values].reverse()), a)).toBe(quantile(sorted, a));
      expect(quantile(sortSample(values.map((v) => 2 * v + 1)), a)).toBe(
        2 * quantile(sorted, a) + 1,
      );
    }),
  );
});

test("at least a share p of the sample lies at or below the p-quantile, and no smaller value does it", () => {
  fc.assert(
    fc.property(sample(1, 60), fc.integer({ min: 1, max: 1000 }), (values, k) => {
      const p = k / 1000;
      const q = quantile(sortSample(values), p);
      const share = (limit: number) => values.filter((v) => v <= limit).length;
      expect(share(q)).toBeGreaterThanOrEqual(p * values.length - 1e-9);
      const below = values.filter((v) => v < q).length;
      expect(below).toBeLessThan(p * values.length + 1e-9);
    }),
  );
});

test("what cannot be a quantile is refused, and an empty sample has none", () => {
  expect(() => sortSample([1, Number.NaN])).toThrow(RangeError);
  expect(() => quantile(sortSample([1]), 1.1)).toThrow(RangeError);
  expect(quantile(sortSample([]), 0.5)).toBeNaN();
});

test("median, MAD and robust sd of small samples", () => {
  expect([median([3]), median([4, 1]), median([5, 1, 3])]).toEqual([3, 2.5, 3]);
  expect(mad([1, 1, 2, 2, 4, 6, 9])).toBe(1);
  expect(robustSd([1, 1, 2, 2, 4, 6, 9])).toBeCloseTo(1.4826, 4);
  expect(median([])).toBeNaN();
});

test("under fair signs the chance of p <= a is at most a: enumerated, with ties, zeros and the trim", () => {
  const distances = fc.array(fc.integer({ min: 0, max: 12 }), { minLength: 1, maxLength: 10 });
  const outlying = fc.array(fc.constantFrom(1, 2, 2, 3, 50), { minLength: 4, maxLength: 10 });
  fc.assert(
    fc.property(fc.oneof(distances, outlying), (sizes) => {
      for (const test of [signedRankUpperTail, (x: number[]) => trimmedSignedRank(x, 0, "+").p]) {
        const all = Array.from({ length: 2 ** sizes.length }, (_, bits) =>
          test(sizes.map((size, i) => ((bits >> i) & 1 ? size : -size))),
        ).sort((a, b) => a - b);
        all.forEach((p, i) => {
          // The largest index with this p gives P(p' <= p).
          if (all[i + 1] === p) return;
          expect((i + 1) / all.length).toBeLessThanOrEqual(p + 1e-12);
        });
      }
    }),
    { numRuns: 60 },
  );
});

test("mirrored data give the mirrored test", () => {
  fc.assert(
    fc.property(sample(1, 40), value, (d, shift) => {
      const up = trimmedSignedRank(d, shift, "+");
      const down = trimmedSignedRank(
        d.map((v) => -v),
        -shift,
        "-",
      );
      expect(down).toEqual(up);
    }),
  );
});

test("the untrimmed p grows with the shift tested", () => {
  fc.assert(
    fc.property(sample(1, 30), value, fc.integer({ min: 1, max: 200 }), (d, shift, step) => {
      const at = (t: number) => signedRankUpperTail(d.map((v) => v - t));
      // Off the grid of the data: at a zero the test is only conservative.
      const t = shift + 1 / 1000;
      expect(at(t)).toBeLessThanOrEqual(at(t + step / 64) + 1e-12);
    }),
  );
});

test("the trim keeps at least half, drops what is far, and looks at distances only", () => {
  fc.assert(
    fc.property(sample(1, 40), (x) => {
      const kept = trim(x);
      expect(kept.length * 2).toBeGreaterThanOrEqual(x.length);
      expect(trim(x.map((v) => -v))).toEqual(kept.map((v) => -v));
    }),
  );
  expect(trim([1, -2, 3, -1, 2, 1000])).toEqual([1, -2, 3, -1, 2]);
});

test("estimates move with the data and lie inside their intervals", () => {
  fc.assert(
    fc.property(sample(8, 40), value, (d, shift) => {
      const moved = d.map((v) => v + shift);
      expect(trimmedEstimate(moved)).toBeCloseTo(trimmedEstimate(d) + shift, 9);
      expect(hodgesLehmann(moved)).toBeCloseTo(hodgesLehmann(d) + shift, 9);
      const { low, high } = trimmedInterval(d, 0.95);
      expect(low).toBeLessThanOrEqual(trimmedEstimate(d) + 1e-9);
      expect(high).toBeGreaterThanOrEqual(trimmedEstimate(d) - 1e-9);
    }),
  );
});

test("an interval agrees with the test that it inverts", () => {
  const d = [0.3, -0.1, 0.25, 0.14, 0.02, 0.41, 0.17, 0.22, 0.09, 0.31];
  const { low, high } = trimmedInterval(d, 0.95);
  for (const [end, direction, outward] of [
    [low, "+", -1],
    [high, "-", 1],
  ] as const) {
    expect(trimmedSignedRank(d, end + outward * 0.01, direction).p).toBeLessThanOrEqual(0.025);
    expect(trimmedSignedRank(d, end - outward * 0.01, direction).p).toBeGreaterThan(0.025);
  }
  expect(trimmedInterval([0.1, 0.2], 0.95)).toMatchObject({ low: -Infinity, high: Infinity });
  expect(trimmedInterval([], 0.95)).toMatchObject({ low: -Infinity, high: Infinity });
});

test("an interval of unpaired samples agrees with the test that it inverts", () => {
  fc.assert(
    fc.property(sample(5, 9), sample(5, 9), (x, y) => {
      const { low, high } = shiftInterval(x, y, 0.9);
      const estimate = shiftEstimate(x, y);
      expect(low).toBeLessThanOrEqual(estimate);
      expect(high).toBeGreaterThanOrEqual(estimate);
      if (Number.isFinite(low)) {
        expect(rankSumUpperTail(x, y, low - 1 / 1000)).toBeLessThanOrEqual(0.05 + 1e-12);
        expect(rankSumUpperTail(x, y, low + 1 / 1000)).toBeGreaterThan(0.05);
      }
    }),
    { numRuns: 50 },
  );
});

test("rank-sum tails of the two directions overlap by the chance of the observed sum", () => {
  fc.assert(
    fc.property(sample(1, 8), sample(1, 8), (x, y) => {
      const both = rankSumUpperTail(x, y) + rankSumUpperTail(y, x);
      expect(both).toBeGreaterThan(1 - 1e-9);
      expect(both).toBeLessThanOrEqual(2 + 1e-9);
    }),
  );
});

test("a smaller effect can be shown with more rounds and less noise", () => {
  const base = { sd: 0.1, rounds: 16, tolerance: 0.01, alpha: 2e-4 };
  const effect = detectableEffect(base);
  expect(detectableEffect({ ...base, rounds: 60 })).toBeLessThan(effect);
  expect(detectableEffect({ ...base, sd: 0.05 })).toBeLessThan(effect);
  expect(detectableEffect({ ...base, rounds: 0 })).toBe(Number.POSITIVE_INFINITY);
  // The simulated table has +10 % at sd .10, 60 rounds, thirty hypotheses and five looks.
  const planned = detectableEffect({ sd: 0.1, rounds: 60, tolerance: 0.01, alpha: 0.01 / 150 });
  expect(planned).toBeGreaterThan(0.08);
  expect(planned).toBeLessThan(0.12);
});
