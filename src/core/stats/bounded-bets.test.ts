// What holds for any data, and by enumeration: the chance that the wealth ever reaches c is at most
// 1/c, for the most lopsided values as well.
import fc from "fast-check";
import { expect, test } from "vitest";
import { meanBettorOn, meanInterval, meanWealthAfter, steadyMean } from "./bounded-bets.ts";

const value = fc.integer({ min: -1000, max: 1000 }).map((k) => k / 1000);
const bound = fc.integer({ min: -990, max: 990 }).map((k) => k / 1000);
const series = fc.array(value, { maxLength: 30 });

/** Values with their chances. */
type Distribution = readonly (readonly [value: number, chance: number])[];

const mean = (of: Distribution): number => of.reduce((sum, [x, p]) => sum + x * p, 0);

/** Chance that a `+` bettor's wealth reaches `enough` within `rounds`, over all ways. */
function chanceOfReaching(enough: number, of: Distribution, at: number, rounds: number): number {
  const walk = (past: readonly number[], chance: number): number => {
    if (meanWealthAfter(past, { bound: at, direction: "+" }) >= enough) return chance;
    if (past.length === rounds) return 0;
    return of.reduce((sum, [x, p]) => sum + walk([...past, x], chance * p), 0);
  };
  return walk([], 1);
}

/** Values, each with its chance. */
const law = (...flat: number[]): Distribution =>
  flat.flatMap((value, i) => (i % 2 === 0 ? [[value, flat[i + 1] ?? 0] as const] : []));

/** Each has its mean at or below the bound `at`. */
const UNDER: readonly { of: Distribution; at: number }[] = [
  // A fair coin; something in one round of ten, in either arm; in the candidate alone.
  { of: law(-1, 0.5, 1, 0.5), at: 0 },
  { of: law(-1, 0.05, 0, 0.9, 1, 0.05), at: 0 },
  { of: law(0, 0.9, 1, 0.1), at: 0.1 },
  // What a sign test is wrong about: nearly always a little above, and now and then far below.
  { of: law(-1, 0.1, 1 / 9, 0.9), at: 0 },
  // Seen from the other side, as a pass is: a third of the rounds are worse.
  { of: law(-1, 1 / 3, 0, 2 / 3), at: -1 / 3 },
  { of: law(-1, 0.4, 0, 0.5, 1, 0.1), at: -0.3 },
  // Inside the null.
  { of: law(-1, 0.3, 0.4, 0.7), at: 0.1 },
];

test("over all ways that values can come, wealth reaches c with a chance of at most 1/c", () => {
  for (const { of, at } of UNDER) {
    expect(mean(of)).toBeLessThanOrEqual(at + 1e-12);
    for (const enough of [1.5, 2, 5, 10, 20]) {
      const chance = chanceOfReaching(enough, of, at, of.length === 2 ? 13 : 8);
      expect(chance, `${JSON.stringify(of)}, ${enough}`).toBeLessThanOrEqual(1 / enough + 1e-12);
    }
  }
});

test("a bet at the mean is fair: what it pays on average is the wealth before", () => {
  fc.assert(
    fc.property(series, value, value, fc.integer({ min: 1, max: 99 }), (past, a, b, percent) => {
      const of = law(a, percent / 100, b, 1 - percent / 100);
      fc.pre(Math.abs(mean(of)) < 0.999);
      for (const direction of ["+", "-"] as const) {
        const bet = { bound: mean(of), direction };
        const after = of.reduce((sum, [x, p]) => sum + p * meanWealthAfter([...past, x], bet), 0);
        expect(after / meanWealthAfter(past, bet)).toBeCloseTo(1, 9);
      }
    }),
  );
});

test("wealth falls as the bound rises, and mirrored data have the mirrored wealth", () => {
  fc.assert(
    fc.property(series, bound, bound, (values, a, b) => {
      const at = (where: number): number =>
        meanWealthAfter(values, { bound: where, direction: "+" });
      expect(at(Math.max(a, b))).toBeLessThanOrEqual(at(Math.min(a, b)) * (1 + 1e-9));
      const mirrored = values.map((x) => -x);
      expect(meanWealthAfter(mirrored, { bound: -a, direction: "-" })).toBeCloseTo(at(a), 9);
    }),
  );
});

test("wealth grows while nothing happens, and one value costs at most a factor of 20", () => {
  const within = meanBettorOn({ bound: 1 / 3, direction: "-" });
  let before = within.wealth;
  for (let i = 0; i < 10; i++) {
    within.take(0);
    expect(within.wealth).toBeGreaterThan(before);
    before = within.wealth;
  }
  within.take(1);
  expect(before / within.wealth).toBeLessThanOrEqual(20 * (1 + 1e-12));
});

test("an interval holds what neither bettor refutes, and nothing else", () => {
  fc.assert(
    fc.property(fc.array(value, { minLength: 1, maxLength: 40 }), (values) => {
      const { low, high } = meanInterval(values, 0.95);
      const average = values.reduce((sum, x) => sum + x, 0) / values.length;
      expect(low).toBeLessThanOrEqual(average);
      expect(high).toBeGreaterThanOrEqual(average);
      const up = (where: number) => meanWealthAfter(values, { bound: where, direction: "+" });
      const down = (where: number) => meanWealthAfter(values, { bound: where, direction: "-" });
      if (low > -1 + 1e-6) expect(up(low - 1e-7)).toBeGreaterThanOrEqual(40 * (1 - 1e-6));
      if (high < 1 - 1e-6) expect(down(high + 1e-7)).toBeGreaterThanOrEqual(40 * (1 - 1e-6));
      expect(up(low + 1e-7)).toBeLessThan(40);
      expect(down(high - 1e-7)).toBeLessThan(40);
    }),
  );
  expect(meanInterval([], 0.95)).toEqual({ low: -1, high: 1, level: 0.95 });
});

test("a bettor who owns just enough refutes", () => {
  const ones = Array<number>(6).fill(1);
  const most = meanWealthAfter(ones, { bound: 0, direction: "+" });
  const level = 1 - 2 / most;
  expect(2 / (1 - level)).toBe(most);
  expect(meanInterval(ones, level).low).toBeGreaterThanOrEqual(0);
  const bet = { bound: 0, direction: "+" } as const;
  expect(steadyMean(bet, most, 6)).toBeCloseTo(1, 6);
  expect(steadyMean(bet, most * (1 + 1e-9), 6)).toBe(Infinity);
});

test("what is not in [-1, 1] is refused, and so is a bound that nothing can be beyond", () => {
  for (const wrong of [Number.NaN, Infinity, 1.001, -1.001]) {
    expect(() => meanWealthAfter([wrong], { bound: 0, direction: "+" })).toThrow(
      new RangeError(`no value in [-1, 1]: ${wrong}`),
    );
  }
  for (const wrong of [Number.NaN, 1, -1]) {
    expect(() => meanWealthAfter([], { bound: wrong, direction: "+" })).toThrow(
      new RangeError(`no bound in (-1, 1): ${wrong}`),
    );
  }
});
