// What holds for any data, and by enumeration: the chance that the wealth ever reaches c is at most
// 1/c.
import fc from "fast-check";
import { expect, test } from "vitest";
import { bettingInterval, bettorOn, type Direction, halve, wealthAfter } from "./betting.ts";

const finite = fc.integer({ min: -4096, max: 4096 }).map((k) => k / 1024);
const series = fc.array(finite, { maxLength: 30 });
const scale = fc.integer({ min: 1, max: 512 }).map((k) => k / 256);
const SCALES = { "+": 0.09, "-": 0.1 };

/** Sets of ten distances: alike, spread evenly, in two sizes, one wild, falling by halves. */
const DISTANCES: readonly (readonly number[])[] = [
  Array(10).fill(0.02),
  Array(10).fill(3),
  Array.from({ length: 10 }, (_, i) => 0.01 * (i + 1)),
  Array.from({ length: 10 }, (_, i) => (i % 2 === 0 ? 0.01 : 0.2)),
  Array.from({ length: 10 }, (_, i) => (i === 4 ? 50 : 0.03)),
  Array.from({ length: 10 }, (_, i) => 2 ** -i),
];

test("over all signs of any distances, wealth reaches c with a chance of at most 1/c", () => {
  for (const distances of DISTANCES) {
    // Centres in the null: on the bound, just inside, and far inside.
    for (const centre of [0, -0.01, -0.05, -1]) {
      const largest: number[] = [];
      for (let signs = 0; signs < 1024; signs++) {
        const bettor = bettorOn({ bound: 0, direction: "+", scale: 0.1 });
        let most = 0;
        for (const [i, distance] of distances.entries()) {
          bettor.take(centre + ((signs >> i) & 1 ? distance : -distance));
          most = Math.max(most, bettor.wealth);
        }
        largest.push(most);
      }
      for (const c of [1.5, 2, 5, 10, 20, 50, 100, 500]) {
        const share = largest.filter((wealth) => wealth >= c).length / 1024;
        expect(share, `${distances} about ${centre}, ${c}`).toBeLessThanOrEqual(1 / c);
      }
    }
  }
});

test("a bet on a value at the bound is fair: the mean over both signs is 1", () => {
  fc.assert(
    fc.property(series, finite, scale, (past, x, unit) => {
      const bet = { bound: 0, direction: "+", scale: unit } as const;
      const [up, down] = [x, -x].map((value) => wealthAfter([...past, value], bet));
      const before = wealthAfter(past, bet);
      expect(((up ?? 0) + (down ?? 0)) / 2 / before).toBeCloseTo(1, 9);
    }),
  );
});

test("wealth falls as the bound rises, and mirrored data have the mirrored wealth", () => {
  fc.assert(
    fc.property(series, finite, finite, scale, (values, a, b, unit) => {
      const at = (bound: number, direction: Direction = "+") =>
        wealthAfter(values, { bound, direction, scale: unit });
      expect(at(Math.max(a, b))).toBeLessThanOrEqual(at(Math.min(a, b)) * (1 + 1e-12));
      const mirrored = values.map((value) => -value);
      expect(wealthAfter(mirrored, { bound: -a, direction: "-", scale: unit })).toBe(at(a));
    }),
  );
});

test("one wild value costs at most a factor of 20", () => {
  const bettor = bettorOn({ bound: 0, direction: "+", scale: 0.1 });
  for (let i = 0; i < 12; i++) bettor.take(0.2);
  const before = bettor.wealth;
  bettor.take(-1e9);
  expect(before / bettor.wealth).toBeLessThanOrEqual(20 * (1 + 1e-12));
});

test("an interval holds what neither bettor refutes, and nothing else", () => {
  fc.assert(
    fc.property(fc.array(finite, { minLength: 7, maxLength: 40 }), (values) => {
      const { low, high } = bettingInterval(values, 0.95, SCALES);
      const up = (bound: number) =>
        wealthAfter(values, { bound, direction: "+", scale: SCALES["+"] });
      const down = (bound: number) =>
        wealthAfter(values, { bound, direction: "-", scale: SCALES["-"] });
      expect(up(low - 1e-6)).toBeGreaterThanOrEqual(40 * (1 - 1e-6));
      expect(down(high + 1e-6)).toBeGreaterThanOrEqual(40 * (1 - 1e-6));
      expect(low).toBeLessThanOrEqual(high);
    }),
  );
});

test("too few values bound nothing", () => {
  const few = bettingInterval([0.1, 0.2, 0.3, 0.1, 0.2], 0.95, SCALES);
  expect(few).toEqual({ low: -Infinity, high: Infinity, level: 0.95 });
  expect(bettingInterval([], 0.95, SCALES)).toMatchObject({ low: -Infinity, high: Infinity });
  expect(bettingInterval(Array(6).fill(0.1), 0.95, SCALES).low).toBeGreaterThan(-Infinity);
});

test("no bound within an interval is refuted, however far all values lie from nothing", () => {
  for (const [values, least] of [
    [Array.from({ length: 40 }, (_, i) => 0.1 + i / 100), 0.2],
    [Array.from({ length: 40 }, (_, i) => (i % 4 === 0 ? 0 : 0.3)), 0.05],
  ] as const) {
    const { low } = bettingInterval(values, 0.95, SCALES);
    expect(low).toBeGreaterThan(least);
    const within = { bound: low + 1e-6, direction: "+", scale: SCALES["+"] } as const;
    expect(wealthAfter(values, within)).toBeLessThan(40);
  }
});

test("a bettor who owns just enough refutes", () => {
  const values = Array<number>(5).fill(1);
  const most = wealthAfter(values, { bound: 0, direction: "+", scale: 1 });
  const level = 1 - 2 / most;
  expect(2 / (1 - level)).toBe(most);
  expect(bettingInterval(values, level, { "+": 1, "-": 1 }).low).toBeCloseTo(0, 9);
});

test.each([
  [0, 0],
  [1, 0.5],
  [2, 0.75],
  [3, 0.875],
])("after %i halvings what is refuted ends at %f", (times, expected) => {
  expect(halve((bound) => bound < 0.9, { refuted: 0, accepted: 1 }, times)).toBe(expected);
});

test("what is no number is refused", () => {
  for (const value of [Number.NaN, Infinity, -Infinity]) {
    expect(() => wealthAfter([value], { bound: 0, direction: "+", scale: 1 })).toThrow(
      new RangeError(`not a finite value: ${value}`),
    );
  }
});
