import fc from "fast-check";
import { expect, test } from "vitest";
import {
  binomialLowerTail,
  binomialUpperTail,
  clopperPearson,
  wilsonInterval,
} from "./proportion.ts";

const counts = fc.integer({ min: 1, max: 400 }).chain((n) => fc.tuple(fc.nat(n), fc.constant(n)));
const share = fc.double({ min: 0.001, max: 0.999, noNaN: true });

test("tails complete each other and grow with p", () => {
  fc.assert(
    fc.property(counts, share, share, ([k, n], a, b) => {
      expect(binomialUpperTail(k, n, a) + binomialLowerTail(k - 1, n, a)).toBeCloseTo(1, 11);
      expect(binomialUpperTail(k, n, Math.min(a, b))).toBeLessThanOrEqual(
        binomialUpperTail(k, n, Math.max(a, b)) + 1e-12,
      );
    }),
  );
});

test("the exact interval covers every share often enough", () => {
  for (const [n, level] of [
    [12, 0.9],
    [25, 0.95],
  ] as const) {
    const intervals = Array.from({ length: n + 1 }, (_, k) => clopperPearson(k, n, level));
    for (let p = 0.005; p < 1; p += 0.005) {
      const chance = intervals.reduce((sum, { low, high }, k) => {
        const exactly = binomialUpperTail(k, n, p) - binomialUpperTail(k + 1, n, p);
        return low <= p && p <= high ? sum + exactly : sum;
      }, 0);
      expect(chance, `${p} of ${n}`).toBeGreaterThanOrEqual(level);
    }
  }
});

test("mirrored counts give mirrored intervals around the share", () => {
  fc.assert(
    fc.property(counts, ([k, n]) => {
      for (const interval of [clopperPearson(k, n, 0.95), wilsonInterval(k, n, 1.96)]) {
        expect(interval.low).toBeLessThanOrEqual(k / n);
        expect(interval.high).toBeGreaterThanOrEqual(k / n);
      }
      expect(clopperPearson(n - k, n, 0.95).low).toBeCloseTo(
        1 - clopperPearson(k, n, 0.95).high,
        12,
      );
    }),
  );
});

test("at the ends", () => {
  expect([binomialUpperTail(0, 5, 0.2), binomialUpperTail(6, 5, 0.2)]).toEqual([1, 0]);
  expect([binomialUpperTail(1, 5, 0), binomialUpperTail(5, 5, 1)]).toEqual([0, 1]);
  expect([binomialLowerTail(-1, 5, 0.2), binomialLowerTail(5, 5, 0.2)]).toEqual([0, 1]);
  expect(clopperPearson(0, 0, 0.95)).toEqual({ low: 0, high: 1 });
  expect(wilsonInterval(0, 0, 1.96)).toEqual({ low: 0, high: 1 });
  // The rule of three's exact form: 1 - 0.025^(1/n).
  expect(clopperPearson(0, 30, 0.95).high).toBeCloseTo(1 - 0.025 ** (1 / 30), 14);
});
