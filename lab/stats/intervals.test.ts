import fc from "fast-check";
import { expect, test } from "vitest";
import reference from "../../src/core/stats/fixtures/reference.json" with { type: "json" };
import { binomialUpperTail } from "../../src/core/stats/proportion.ts";
import { clopperPearson, wilsonInterval } from "./intervals.ts";

const counts = fc.integer({ min: 1, max: 400 }).chain((n) => fc.tuple(fc.nat(n), fc.constant(n)));

test("both intervals are scipy's", () => {
  for (const { k, n, level, z, ...theirs } of reference.proportion) {
    const exact = clopperPearson(k, n, level);
    expect(exact.low).toBeCloseTo(theirs.low, 10);
    expect(exact.high).toBeCloseTo(theirs.high, 10);
    const wilson = wilsonInterval(k, n, z);
    expect(wilson.low).toBeCloseTo(theirs.wilsonLow, 12);
    expect(wilson.high).toBeCloseTo(theirs.wilsonHigh, 12);
  }
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
  expect(clopperPearson(0, 0, 0.95)).toEqual({ low: 0, high: 1 });
  expect(wilsonInterval(0, 0, 1.96)).toEqual({ low: 0, high: 1 });
  // The rule of three's exact form: 1 - 0.025^(1/n).
  expect(clopperPearson(0, 30, 0.95).high).toBeCloseTo(1 - 0.025 ** (1 / 30), 14);
});
