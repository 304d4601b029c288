import fc from "fast-check";
import { expect, test } from "vitest";
import { rankSumUpperTail, shiftEstimate, shiftInterval } from "./rank-sum.ts";

const grid = fc.integer({ min: -640, max: 640 }).map((k) => k / 64);
const sample = (minLength: number, maxLength: number) => fc.array(grid, { minLength, maxLength });

test("the chance of p <= a is at most a over all labels, ties included", () => {
  const pooled = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 2, maxLength: 9 });
  fc.assert(
    fc.property(pooled, fc.nat(8), (values, pick) => {
      const size = 1 + (pick % (values.length - 1));
      const labels = Array.from({ length: 2 ** values.length }, (_, bits) =>
        values.map((_, i) => (bits >> i) & 1),
      ).filter((ofX) => ofX.reduce((sum, one) => sum + one, 0) === size);
      const all = labels
        .map((ofX) =>
          rankSumUpperTail(
            values.filter((_, i) => ofX[i] === 1),
            values.filter((_, i) => ofX[i] === 0),
          ),
        )
        .sort((a, b) => a - b);
      for (const [i, p] of all.entries()) {
        if (all[i + 1] !== p) expect((i + 1) / all.length).toBeCloseTo(p, 12);
      }
    }),
    { numRuns: 60 },
  );
});

test("p grows with the shift, and mirrored samples give the mirrored test", () => {
  fc.assert(
    fc.property(sample(1, 12), sample(1, 12), grid, fc.nat(200), (x, y, shift, step) => {
      const low = shift + 1 / 1000;
      const high = low + step / 64;
      expect(rankSumUpperTail(x, y, low)).toBeLessThanOrEqual(rankSumUpperTail(x, y, high) + 1e-12);
      const negative = (values: number[]) => values.map((v) => -v);
      expect(rankSumUpperTail(negative(y), negative(x), low)).toBeCloseTo(
        rankSumUpperTail(x, y, low),
        12,
      );
    }),
  );
});

test("the estimate follows a shift and lies in its interval", () => {
  fc.assert(
    fc.property(sample(1, 12), sample(1, 12), grid, (x, y, shift) => {
      const estimate = shiftEstimate(x, y);
      const moved = x.map((v) => v + shift);
      expect(shiftEstimate(moved, y)).toBe(estimate + shift);
      for (const level of [0.5, 0.95]) {
        const { low, high } = shiftInterval(x, y, level);
        expect(low).toBeLessThanOrEqual(estimate);
        expect(high).toBeGreaterThanOrEqual(estimate);
      }
    }),
  );
});

test("the interval is what the test does not reject", () => {
  // The one on whole numbers, the other on quarters between them: no ties at any shift but those of
  // the differences.
  const distinct = (offset: number) =>
    fc
      .uniqueArray(fc.integer({ min: -500, max: 500 }), { minLength: 4, maxLength: 9 })
      .map((whole) => whole.map((k) => k + offset));
  fc.assert(
    fc.property(distinct(0), distinct(0.25), fc.constantFrom(0.8, 0.95), (x, y, level) => {
      const { low, high } = shiftInterval(x, y, level);
      const alpha = (1 - level) / 2;
      const below = (shift: number) => rankSumUpperTail(x, y, shift);
      const above = (shift: number) => rankSumUpperTail(y, x, -shift);
      if (Number.isFinite(low)) {
        expect(below(low - 0.1)).toBeLessThanOrEqual(alpha);
        expect(below(low + 0.1)).toBeGreaterThan(alpha);
      } else expect(below(-2000)).toBeGreaterThan(alpha);
      if (Number.isFinite(high)) {
        expect(above(high + 0.1)).toBeLessThanOrEqual(alpha);
        expect(above(high - 0.1)).toBeGreaterThan(alpha);
      } else expect(above(2000)).toBeGreaterThan(alpha);
    }),
  );
});

test("of nothing, of too little and of what is no number", () => {
  const nowhere = { low: Number.NEGATIVE_INFINITY, high: Number.POSITIVE_INFINITY, level: 0.95 };
  expect([rankSumUpperTail([], [1]), rankSumUpperTail([1], [])]).toEqual([1, 1]);
  expect(shiftInterval([], [1], 0.95)).toEqual(nowhere);
  expect(shiftInterval([1, 2], [1, 2], 0.95)).toEqual(nowhere);
  expect(shiftEstimate([], [1])).toBeNaN();
  for (const wrong of [Number.NaN, Number.NEGATIVE_INFINITY]) {
    expect(() => rankSumUpperTail([1, wrong], [2, 3])).toThrow(RangeError);
  }
});

test("the chances of all label exchanges are those of either group, however unlike in size", () => {
  fc.assert(
    fc.property(sample(1, 5), sample(20, 40), (x, y) => {
      // The highest sum that x can have is as likely as one choice of its labels, or of its ties.
      const above = x.map(() => 11);
      const choices = above.reduce((all, _, i) => (all * (y.length + i + 1)) / (i + 1), 1);
      expect(rankSumUpperTail(above, y)).toBeCloseTo(1 / choices, 12);
      const below = y.map(() => -11);
      expect(rankSumUpperTail(x, below)).toBeCloseTo(1 / choices, 12);
    }),
  );
});

test("sixty against sixty ties too", () => {
  const x = Array.from({ length: 60 }, (_, i) => i % 7);
  const y = Array.from({ length: 60 }, (_, i) => (i + 3) % 7);
  // Label exchange mirrors the distribution: the two one-sided p overlap in the observed value
  // only.
  const both = rankSumUpperTail(x, y) + rankSumUpperTail(y, x);
  expect(both).toBeGreaterThan(1);
  expect(both).toBeLessThan(1.01);
});
