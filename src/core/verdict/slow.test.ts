// Rare and slow answers: what a round says of them, and which rounds decide.
import fc from "fast-check";
import { expect, test } from "vitest";
import { makePolicy, makeSamples } from "../../../test/support/samples.ts";
import { describeVerdict } from "../report/words/verdict.ts";
import { type Decision, decide, fewestRounds, type Rule } from "./decide.ts";
import { judge } from "./judge.ts";
import { beyondClip, geometricMean, methodOf, weightedBySize } from "./slow.ts";

const RULE: Rule = {
  tolerance: 0.01,
  margin: 0.25,
  floor: 0.1,
  alpha: 0.01,
  hypotheses: 10,
  beta: 0.05,
};
const SLOW = { policy: { estimator: "windows" } } as const;

function check(
  d: readonly number[],
  expected: Partial<Decision>,
  change: Partial<Rule> = {},
): Decision {
  const rule = { ...RULE, ...change };
  const observations = d.map((value) => ({ d: value, calm: true }));
  const decision = decide(observations, rule, methodOf(SLOW, rule));
  expect(decision).toMatchObject(expected);
  return decision;
}

/** `value` in every nth round, from the `first`; nothing in the others. */
const everyNth = (n: number, value: number, rounds = 120, first = 0): number[] =>
  Array.from({ length: rounds }, (_, i) => (i % n === first ? value : 0));

test("where nothing slow ever happens, ten rounds pass", () => {
  check(Array(60).fill(0), { state: "pass", rounds: 10, estimate: 0 });
  expect(fewestRounds(RULE, methodOf(SLOW, RULE))).toEqual({ pass: 10, regress: 12 });
  check(
    Array(60)
      .fill(0)
      .map((_, i) => (i % 2 === 0 ? 0.1 : -0.1)),
    { state: "pass", rounds: 10 },
  );
});

test("what is slow in every round is red in twelve, and what is in two of five in minutes", () => {
  check(Array(60).fill(3), { state: "regressed", rounds: 12 });
  check(everyNth(2, 2), { state: "regressed" });
  const { rounds } = check(
    everyNth(5, 3).map((d, i) => (i % 5 === 2 ? 3 : d)),
    {
      state: "regressed",
    },
  );
  expect(rounds).toBeLessThanOrEqual(45);
});

test("a stop of the host in every fourth round, as often in one arm as in the other, passes", () => {
  const stops = Array.from({ length: 120 }, (_, i) => (i % 4 === 0 ? (i % 8 === 0 ? 5 : -5) : 0));
  check(stops, { state: "pass" });
});

test("betting on signs takes a rare stall for nothing: the mean does not", () => {
  const rare = Array.from({ length: 120 }, (_, i) => (i >= 5 && i % 2 === 0 ? 4 : 0));
  const bySigns = decide(
    rare.map((d) => ({ d, calm: true })),
    RULE,
  );
  expect(bySigns).toMatchObject({ state: "pass" });
  check(rare, { state: "regressed" });
});

test("a round counts as three margins at most, so the length of a stall does not matter", () => {
  const long = check(everyNth(2, 9), {});
  expect(check(everyNth(2, 3 * Math.log(1.25)), {})).toEqual(long);
  expect(long.estimate).toBeCloseTo(1.5 * Math.log(1.25), 1);
  check(everyNth(2, 3 * Math.log(1.5)), { state: "regressed" }, { margin: 0.5 });
});

test.each([
  { clip: 2, pass: 6, regress: 12 },
  { clip: 2.5, pass: 8, regress: 12 },
  { clip: 3, pass: 10, regress: 12 },
])("clipped at fewer margins it passes sooner, and of what it hides: %o", ({ clip, ...fewest }) => {
  const method = methodOf({ ...SLOW, clip }, RULE);
  expect(fewestRounds(RULE, method)).toEqual(fewest);
  expect(method.estimate([9, 0])).toBeCloseTo((clip * Math.log(1.25)) / 2, 12);
});

test("the mean by size changes its sign with its values, lies among them, and jumps nowhere", () => {
  const values = fc.array(fc.double({ min: -9, max: 9, noNaN: true }), {
    minLength: 2,
    maxLength: 3,
  });
  const shift = fc.double({ min: -1, max: 1, noNaN: true });
  fc.assert(
    fc.property(values, shift, (d, by) => {
      const mean = weightedBySize(d);
      expect(weightedBySize(d.map((one) => -one))).toBeCloseTo(-mean, 12);
      expect(mean).toBeGreaterThanOrEqual(Math.min(...d) - 1e-12);
      expect(mean).toBeLessThanOrEqual(Math.max(...d) + 1e-12);
      const moved = weightedBySize(d.map((one) => one + by));
      expect(Math.abs(moved - mean)).toBeLessThanOrEqual(d.length * Math.abs(by) + 1e-9);
    }),
  );
});

/**
 * Equal builds: whatever a round of two scenarios shows, the arms could have been the other way round.
 * Of all courses of rounds that differ in no more, the wealths' mean is what both began with.
 */
test("for equal builds a service's bets are fair, by all courses that the arms' exchange makes equal", () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.array(fc.double({ min: -3, max: 3, noNaN: true }), { minLength: 2, maxLength: 3 }),
        {
          minLength: 1,
          maxLength: 9,
        },
      ),
      (rounds) => {
        const method = methodOf({ ...SLOW, clip: 2.5 }, { margin: 0.4 });
        let sum = 0;
        for (let course = 0; course < 2 ** rounds.length; course++) {
          const bettor = method.bettor({ bound: 0, direction: "+", scale: 1 });
          for (const [k, d] of rounds.entries()) {
            const sign = (course >> k) % 2 === 0 ? 1 : -1;
            bettor.take(weightedBySize(d.map((one) => sign * one)));
          }
          sum += bettor.wealth;
        }
        expect(sum / 2 ** rounds.length).toBeCloseTo(1, 9);
      },
    ),
  );
});

test("an interval holds its estimate, and no round says more than its ends", () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: -9, max: 9, noNaN: true }), { minLength: 1, maxLength: 40 }),
      (d) => {
        const { estimate, interval } = check(d, {});
        expect(interval.low).toBeLessThanOrEqual(estimate + 1e-9);
        expect(interval.high).toBeGreaterThanOrEqual(estimate - 1e-9);
        const most = 3 * Math.log1p(RULE.margin) + 1e-9;
        expect(Math.max(-interval.low, interval.high)).toBeLessThanOrEqual(most);
      },
    ),
  );
});

test("all else is decided by signs", () => {
  const d = everyNth(2, 0.4).map((value) => ({ d: value, calm: true }));
  for (const estimator of ["typical", "pooled", "launch"] as const) {
    expect(decide(d, RULE, methodOf({ policy: { estimator } }, RULE))).toEqual(decide(d, RULE));
  }
  for (const wrong of [Number.NaN, Number.POSITIVE_INFINITY]) {
    expect(() => check([wrong], {})).toThrow(new RangeError(`not a finite value: ${wrong}`));
  }
});

test("the geometric mean of the slowest, whatever window or slice they are in", () => {
  const of = (...us: number[]) => geometricMean(us.map((one) => ({ us: one, calm: true })));
  expect(of(100, 400)).toBeCloseTo(200, 9);
  expect(of(100, 100, 100, 1600)).toBeCloseTo(200, 9);
  expect(of()).toBeNull();
});

/** Simulated: the change that 95 % of 400 runs call, normal noise, wealth 1,000, floor 10 %. */
test.each([
  { sd: 0.02, rounds: 12, change: 1.64 },
  { sd: 0.02, rounds: 30, change: 0.39 },
  { sd: 0.1, rounds: 16, change: 1.03 },
  { sd: 0.1, rounds: 60, change: 0.2 },
  { sd: 0.2, rounds: 150, change: 0.125 },
  { sd: 0.3, rounds: 30, change: 0.56 },
  { sd: 0.5, rounds: 60, change: 0.47 },
])("what a run detects is within a quarter of the simulated bets: %o", ({ change, ...run }) => {
  const precision = { ...run, tolerance: 0.01, wealth: 1000, floor: 0.1 };
  const found = methodOf(SLOW, { margin: 0.4 }).detectable(precision);
  expect(found / change).toBeGreaterThan(0.75);
  expect(found / change).toBeLessThan(1.25);
});

test("no change is detected in fewer rounds than a bet takes to double its way up", () => {
  const precision = { sd: 0.02, rounds: 9, tolerance: 0.01, wealth: 1000, floor: 0.1 };
  expect(methodOf(SLOW, { margin: 0.4 }).detectable(precision)).toBe(Number.POSITIVE_INFINITY);
});

test("of a service's scenarios no values are shown, the change is said to be of any, and each spoils it", () => {
  const samples = makeSamples({ rounds: 20, noise: 0, p99Ratio: { "api/hello": 4 } });
  const { policy } = samples.config;
  policy.metrics = [makePolicy("slow", "windows", "gate", [0.4, 0.1, 0])];
  policy.slowOfServices = true;
  const judgement = judge({ samples, baselines: [] });
  const found = judgement.comparisons.find(({ id }) => id === "api slow");
  expect(found).toMatchObject({ scenario: null, among: ["api/echo", "api/hello"] });
  expect(found).toMatchObject({ state: "regressed", candidate: null, reference: null });
  expect(found?.estimate).toBeCloseTo(2.5 * Math.log(1.4), 9);
  expect(describeVerdict(judgement).reasons).toContainEqual(
    expect.stringMatching(/; api slowest answer of any scenario is ≥ \+132 % /),
  );
  const crashed = makeSamples({ rounds: 20, noise: 0, crashInRound: 12 });
  crashed.config = samples.config;
  const states = judge({ samples: crashed, baselines: [] }).comparisons.map((one) => one.state);
  expect(states).toEqual(["invalid", "pass", "invalid"]);
});

test.each<[string, number, [estimate: number, low: number, high: number], number | null]>([
  ["a larger mean, of what got worse", 0.5, [0.3, 0.1, 0.6], 0.5],
  ["of what may be the same", 0.5, [0.3, 0, 0.6], null],
  ["of what got better", -0.5, [-0.3, -0.6, -0.1], -0.5],
  ["of what may not be better", -0.5, [-0.3, -0.6, 0], null],
  ["a smaller one, worse", 0.2, [0.3, 0.1, 0.6], null],
  ["a smaller one, better", -0.2, [-0.3, -0.6, -0.1], null],
  ["the same in another order", 0.3, [0.3 - 1e-12, 0.1, 0.6], null],
])("the mean with no round clipped: %s", (_, mean, [estimate, low, high], expected) => {
  expect(beyondClip([mean], { estimate, interval: { level: 0.9, low, high } })).toBe(expected);
});
