// The posterior over commits: what any evidence must do to it.
import fc from "fast-check";
import { expect, test } from "vitest";
import { trimmedEstimate } from "../../src/core/stats/hodges-lehmann.ts";
import { type Change, logOddsOf, type Pair, posteriorOf, priorOf, spreadOf } from "./belief.ts";

const CHANGE: Change = { size: 0.18, error: 0.03, spread: 0.1 };
const sum = (values: readonly number[]) => values.reduce((all, one) => all + one, 0);
const uniform = (n: number) => priorOf(Array(n).fill(0), []);

const aLine = fc.integer({ min: 2, max: 40 }).chain((n) =>
  fc.record({
    n: fc.constant(n),
    touched: fc.array(fc.nat(5000), { minLength: n, maxLength: n }),
    at: fc.integer({ min: 1, max: n - 1 }),
    centre: fc.double({ min: -1, max: 1, noNaN: true }),
    rounds: fc.integer({ min: 1, max: 30 }),
  }),
);

test("chances are of one commit, before and after any rounds, and none is impossible", () => {
  fc.assert(
    fc.property(aLine, ({ n, touched, at, centre, rounds }) => {
      const prior = priorOf(touched, []);
      const pair: Pair = { from: 0, to: at, d: Array(rounds).fill(centre) };
      const after = posteriorOf(prior, [pair], CHANGE, trimmedEstimate);
      for (const chances of [prior, after]) {
        expect(chances).toHaveLength(n);
        expect(sum(chances)).toBeCloseTo(1, 9);
        expect(Math.min(...chances)).toBeGreaterThan(0);
      }
    }),
  );
});

test("a commit that shows the change moves the chances to it and before, one that does not behind it", () => {
  fc.assert(
    fc.property(aLine, ({ n, at, rounds }) => {
      const before = sum(uniform(n).slice(0, at));
      const after = (centre: number): number => {
        const pair = { from: 0, to: at, d: Array(rounds).fill(centre) };
        return sum(posteriorOf(uniform(n), [pair], CHANGE, trimmedEstimate).slice(0, at));
      };
      expect(after(CHANGE.size)).toBeGreaterThan(before);
      expect(after(0)).toBeLessThan(before);
    }),
  );
});

test("more rounds say more, but never more than where code lies allows", () => {
  const says = [1, 2, 4, 8, 16].map((rounds) => logOddsOf(CHANGE.size, rounds, CHANGE));
  expect(says).toEqual(says.toSorted((a, b) => a - b));
  expect(logOddsOf(0.02, 1e9, { ...CHANGE, size: 0.02, error: 0 })).toBeLessThan(3);
});

test("what lies between two is none of it: rounds of a pair speak of the commits between", () => {
  const pair = { from: 3, to: 4, d: Array(6).fill(CHANGE.size) };
  const after = posteriorOf(uniform(8), [pair], CHANGE, trimmedEstimate);
  expect(after.indexOf(Math.max(...after))).toBe(3);
  const without = posteriorOf(
    uniform(8),
    [{ ...pair, d: Array(6).fill(0) }],
    CHANGE,
    trimmedEstimate,
  );
  expect(without.indexOf(Math.min(...without))).toBe(3);
});

const PRIORS: [string, number[], (string | null)[][], number[]][] = [
  ["nothing is known: all alike", [0, 0, 0, 0], [], [0.25, 0.25, 0.25, 0.25]],
  ["equal builds next to each other", [0, 0, 0, 0], [["a", "a", "b", "c", "c"]], [0, 0.5, 0.5, 0]],
  ["a change that was taken back", [0, 0, 0, 0], [["a", "b", "c", "b", "d"]], [0.5, 0, 0, 0.5]],
  ["what cannot be told is not equal", [0, 0], [[null, null, null]], [0.5, 0.5]],
  [
    "sources and artifacts are two kinds",
    [0, 0],
    [
      ["a", "b", "c"],
      [null, "a", "a"],
    ],
    [1, 0],
  ],
  ["the ends are equal", [3, 4], [["a", "b", "a"]], [0, 0]],
  ["by what was touched, the rest alike", [0, 0, 0, 9], [], [0.05, 0.05, 0.05, 0.85]],
];

test.each(PRIORS)("prior: %s", (_, touched, keys, expected) => {
  for (const [k, chance] of priorOf(touched, keys).entries()) {
    expect(chance).toBeCloseTo(expected[k] ?? Number.NaN, 9);
  }
});

test("the spread is of rounds about their own pair", () => {
  const pairs = [
    { from: 0, to: 1, d: [0.1, 0.3] },
    { from: 0, to: 2, d: [5] },
    { from: 0, to: 3, d: [-0.1, 0.1] },
  ];
  expect(spreadOf(pairs)).toBeCloseTo(Math.sqrt(0.04 / 2), 9);
  expect(spreadOf([])).toBeNaN();
});
