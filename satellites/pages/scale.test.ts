import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  linearScale,
  linearTicks,
  logScale,
  logTicks,
  paddedDomain,
  paddedLogDomain,
  spread,
} from "./scale.ts";

test("a linear scale maps ends to ends and holds what is outside at the edge", () => {
  const scale = linearScale({ domain: [10, 20], range: [100, 0] });
  expect([10, 15, 20, 5, 99].map(scale.at)).toEqual([100, 50, 0, 100, 0]);
});

test("a logarithmic scale gives equal ratios equal lengths", () => {
  const scale = logScale({ domain: [1, 10_000], range: [0, 400] });
  expect([1, 10, 100, 10_000, 0].map((value) => Math.round(scale.at(value)))).toEqual([
    0, 100, 200, 400, 0,
  ]);
});

test("a domain of one value divides by nothing", () => {
  expect(linearScale({ domain: [3, 3], range: [0, 10] }).at(3)).toBe(0);
  expect(paddedDomain([3], 0.1)[0]).toBeLessThan(3);
  expect(paddedDomain([0, 0], 0.1)[1]).toBeGreaterThan(0);
  expect(paddedDomain([], 0.1)).toEqual([0, 1]);
  expect(paddedLogDomain([0, -1, Number.NaN], 0.1)).toEqual([1, 10]);
});

describe("ticks", () => {
  test.each<[[number, number], number, number[]]>([
    [[0, 1], 5, [0, 0.2, 0.4, 0.6, 0.8, 1]],
    [[-11.5, 11.5], 6, [-10, -5, 0, 5, 10]],
    [[0.4, 20.6], 10, [5, 10, 15, 20]],
    [[5, 5], 4, [5]],
  ])("linear in %j", (domain, count, expected) => {
    expect(linearTicks(domain, count)).toEqual(expected);
  });

  test.each<[[number, number], number[]]>([
    [
      [180, 1100],
      [200, 500, 1000],
    ],
    [
      [1, 1_000_000],
      [1, 10, 100, 1000, 10_000, 100_000, 1_000_000],
    ],
  ])("logarithmic in %j", (domain, expected) => {
    expect(logTicks(domain)).toEqual(expected);
  });

  test("lie within the domain and rise", () => {
    fc.assert(
      fc.property(
        fc.double({ min: -1e6, max: 1e6, noNaN: true }),
        fc.double({ min: 1e-3, max: 1e6, noNaN: true }),
        (low, span) => {
          const ticks = linearTicks([low, low + span], 6);
          const slack = span * 1e-6;
          expect(ticks.length).toBeLessThan(14);
          for (const [index, tick] of ticks.entries()) {
            expect(tick).toBeGreaterThanOrEqual(low - slack);
            expect(tick).toBeLessThanOrEqual(low + span + slack);
            expect(tick).toBeGreaterThan(ticks[index - 1] ?? Number.NEGATIVE_INFINITY);
          }
        },
      ),
    );
  });
});

test("labels are moved apart, keep their order and stay near their lines", () => {
  expect(spread([0, 100], 10)).toEqual([0, 100]);
  expect(spread([50, 50], 10)).toEqual([45, 55]);
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 300 }), { maxLength: 6 }), (positions) => {
      const sorted = [...positions].sort((a, b) => a - b);
      const moved = spread(sorted, 13);
      for (let i = 1; i < moved.length; i++) {
        expect((moved[i] ?? 0) - (moved[i - 1] ?? 0)).toBeGreaterThanOrEqual(13 - 1e-9);
      }
    }),
  );
});
