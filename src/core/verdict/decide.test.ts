// The decision rule: its limits, what is final, and what holds for any data. Its error rates:
// decide.sim.test.ts.
import fc from "fast-check";
import { expect, test } from "vitest";
import { makeConfig } from "../../../test/support/samples.ts";
import type { MetricPolicy, Waiver } from "../model/config.ts";
import { type Bet, bettorOn } from "../stats/betting.ts";
import { rankSumUpperTail } from "../stats/rank-sum.ts";
import { compareAlongside } from "./compare.ts";
import {
  type Decision,
  decide,
  fewestRounds,
  hasShare,
  type Method,
  type Rule,
  ruleOf,
  SYMMETRIC,
} from "./decide.ts";
import { decideStored } from "./decide-stored.ts";
import { listHypotheses } from "./hypotheses.ts";

const RULE: Rule = {
  tolerance: 0.01,
  margin: 0.1,
  floor: 0.05,
  alpha: 0.01,
  hypotheses: 10,
  beta: 0.05,
};
const calm = (values: readonly number[]) => values.map((d) => ({ d, calm: true }));
/** n values in a narrow band above a level, no two alike. */
const steady = (level: number, n = 60, width = 0.0005) =>
  Array.from({ length: n }, (_, i) => level + width * ((i * 37) % 61) * 0.3);

const logs = (minLength: number, maxLength: number) =>
  fc.array(
    fc.integer({ min: -4000, max: 4000 }).map((k) => k / 8192),
    { minLength, maxLength },
  );
/** Around a centre that is often near a boundary of the rule, so that all three states occur. */
const series = fc
  .tuple(fc.integer({ min: -3, max: 6 }), logs(0, 60), fc.constantFrom(0.02, 0.1, 0.5))
  .map(([centre, d, spread]) => d.map((value) => centre / 20 + spread * value));

function check(
  d: readonly number[],
  expected: Partial<Decision>,
  change: Partial<Rule> = {},
): Decision {
  const decision = decide(calm(d), { ...RULE, ...change });
  expect(decision).toMatchObject(expected);
  return decision;
}

test("with ten questions a pass takes five rounds at least, and a regression eleven", () => {
  expect(fewestRounds(RULE)).toEqual({ pass: 5, regress: 11 });
  check(Array(20).fill(-0.2), { state: "pass", rounds: 5 });
  check(Array(20).fill(0.3), { state: "regressed", rounds: 11 });
  check([], { state: "open", rounds: 0, trail: [] });
  expect(decide([], RULE).estimate).toBeNaN();
});

test("a plain regression takes the fewest rounds that show one, not those of a doubtful one", () => {
  // 138 % and more in every round, over a band of 20 %; then the same band about 7 %.
  check(steady(Math.log(2.38), 60, 0.01), { state: "regressed", rounds: 11 });
  check(steady(-0.02, 60, 0.01), { state: "regressed", rounds: 24 });
});

test("tolerance, margin and floor are ratios and the borders of what can be called", () => {
  check(steady(0.03), { state: "pass" });
  check(steady(0.3), { state: "regressed" });
  check(steady(Math.log(1.1) + 0.001), { state: "open" }, { floor: 1 });
  check(steady(Math.log(1.1) - 0.03), { state: "pass" }, { floor: 1 });
  check(steady(Math.log(1.01) - 0.006), { state: "open" }, { floor: 0, margin: 0.001 });
  // 50 % is a log ratio of 0.405.
  check(steady(0.45), { state: "regressed" }, { tolerance: 0.3, margin: 0.51 });
  check(steady(0.25), { state: "open" }, { tolerance: 0.3, margin: 0.2 });
});

test("an improvement must be beyond tolerance and floor, at beta shared among the questions", () => {
  check(steady(-0.3, 5), { state: "pass", improved: false, rounds: 5 });
  check(steady(-0.3, 5), { state: "pass", improved: true, rounds: 5 }, { hypotheses: 1 });
  // It takes more rounds than the pass, and those after it count.
  check(steady(-0.3, 12), { state: "pass", improved: true, rounds: 5 });
  check(steady(-0.04), { state: "pass", improved: false }, { hypotheses: 1 });
  check(steady(-0.04), { improved: true, state: "pass" }, { hypotheses: 1, floor: 0.02 });
  // Within the tolerance nothing is better, however small the floor.
  check(steady(-0.0098), { state: "pass", improved: false }, { hypotheses: 1, floor: 0 });
});

test("a pass of what is worse than tolerated says so, and one whose interval holds the tolerance does not", () => {
  check(steady(0.04), { state: "pass", worse: true });
  check(steady(0.02), { state: "pass", worse: false });
  check(steady(0), { state: "pass", worse: false });
  check(steady(-0.3), { state: "pass", worse: false });
  check(steady(0.3), { state: "regressed", worse: false });
  fc.assert(
    fc.property(series, (d) => {
      const { state, worse, interval } = decide(calm(d), RULE);
      expect(worse).toBe(state === "pass" && interval.low > Math.log1p(RULE.tolerance));
    }),
  );
});

test("noisy rounds prove no pass, and prove a regression all the same", () => {
  const noisy = (d: number) => Array.from({ length: 30 }, () => ({ d, calm: false }));
  expect(decide(noisy(-0.2), RULE)).toMatchObject({ state: "open", improved: false });
  expect(decide(noisy(0.3), RULE)).toMatchObject({ state: "regressed", estimate: 0.3 });
});

test("questions share alpha, and without any there is one", () => {
  expect(ruleOf(RULE, RULE, 7).hypotheses).toBe(7);
  expect(ruleOf(RULE, RULE, 0).hypotheses).toBe(1);
  check([], { evidence: { regress: 0.001, pass: 0.05 } });
});

test("noise may show that a change is larger, never that it is smaller", () => {
  const rounds = (calmOnes: readonly number[], noisyOnes: readonly number[]) => [
    ...noisyOnes.map((d) => ({ d, calm: false })),
    ...calm(calmOnes),
  ];
  const unknown = Number.POSITIVE_INFINITY;
  // Nothing is known of the better end either: noise hides an improvement as well.
  expect(decide(rounds([], steady(-0.1, 30)), RULE).interval).toMatchObject({
    low: -unknown,
    high: unknown,
  });
  const worse = decide(rounds([], steady(0.3, 9)), RULE).interval;
  expect(worse.low).toBeGreaterThan(0.2);
  expect(worse.high).toBe(unknown);
  // Its numbers are those of the rounds that a pass rests on.
  const passed = decide(rounds(steady(0, 8), [0.02, 0.05, 0.04, 0.03]), RULE);
  expect(passed.state).toBe("pass");
  expect(passed.estimate).toBeLessThan(0.01);
  expect(passed.interval.high).toBeLessThan(Math.log1p(RULE.margin));
});

/** Whatever the values: what bettors for a change up and down own, and the two ends. */
const owning = (up: number, down: number, low = -1, high = 1): Method => ({
  ...SYMMETRIC,
  bettor: ({ direction }) => ({
    take: () => {},
    wealth: { "+": up, "-": down }[direction],
  }),
  interval: () => ({ low, high, level: 0.9 }),
});
const FLOOR = Math.log1p(RULE.floor);
const TOLERANCE = Math.log1p(RULE.tolerance);

test.each<[string, number, Method, Partial<Decision>]>([
  ["enough, at the floor", FLOOR, owning(1000, 0), { state: "regressed" }],
  ["not quite enough", FLOOR, owning(999, 0), { state: "open" }],
  ["not quite at the floor", FLOOR - 1e-9, owning(1000, 0), { state: "open" }],
  ["enough for both, at the floor", FLOOR, owning(1000, 20), { state: "regressed" }],
  ["enough for both, below the floor", 0, owning(1000, 20), { state: "pass" }],
  ["enough to pass", 0, owning(0, 20), { state: "pass", improved: false }],
  ["not quite enough to pass", 0, owning(0, 19.9), { state: "open" }],
  ["enough to improve, at the floor", -FLOOR, owning(0, 200), { state: "pass", improved: true }],
  ["not quite enough to improve", -FLOOR, owning(0, 199), { state: "pass", improved: false }],
  ["less than the floor better", 1e-9 - FLOOR, owning(0, 200), { improved: false }],
  ["an end at the tolerance", 0, owning(0, 20, TOLERANCE), { state: "pass", worse: false }],
  ["one above it", 0, owning(0, 20, TOLERANCE + 1e-9), { state: "pass", worse: true }],
])("each limit is enough by itself: %s", (_, d, method, expected) => {
  expect(decide(calm([d]), RULE, method)).toMatchObject(expected);
});

test.each<[number, number, number]>([
  [0.2, -0.3, 0.2],
  [0, -0.3, -0.3],
  [-0.1, -0.3, -0.3],
  [0, 0.1, 0],
])("from all rounds %f up and from calm ones %f, a change is from %f up", (all, few, expected) => {
  const method: Method = {
    ...SYMMETRIC,
    interval: ({ length }) => ({ low: length === 2 ? all : few, high: 1, level: 0.9 }),
  };
  const rounds = [...calm([0]), { d: 0, calm: false }];
  expect(decide(rounds, RULE, method).interval).toEqual({ low: expected, high: 1, level: 0.9 });
});

test("what is bet on: beyond the tolerance, within the margin and, after a pass, better", () => {
  const check = (change: Partial<Rule>, expected: Bet[]): void => {
    const bets: Bet[] = [];
    const bettor = (bet: Bet) => {
      bets.push(bet);
      return bettorOn(bet);
    };
    const { state } = decide(calm(steady(-0.3)), { ...RULE, ...change }, { ...SYMMETRIC, bettor });
    expect(state).toBe("pass");
    expect(bets).toEqual(expected);
  };
  const margin = Math.log1p(RULE.margin);
  check({}, [
    { bound: TOLERANCE, direction: "+", scale: margin - TOLERANCE },
    { bound: margin, direction: "-", scale: margin },
    { bound: -TOLERANCE, direction: "-", scale: margin - TOLERANCE },
  ]);
  // Nothing lies between them.
  check({ tolerance: RULE.margin }, [
    { bound: margin, direction: "+", scale: margin },
    { bound: margin, direction: "-", scale: margin },
    { bound: -margin, direction: "-", scale: margin },
  ]);
});

test("the fewest rounds are those after which a bettor owns just enough", () => {
  const doubling = (): ReturnType<Method["bettor"]> => {
    let wealth = 1;
    return {
      take: () => {
        wealth *= 2;
      },
      get wealth() {
        return wealth;
      },
    };
  };
  const rule = { ...RULE, alpha: 1 / 64, hypotheses: 2, beta: 1 / 16 };
  expect(fewestRounds(rule, { ...SYMMETRIC, bettor: doubling })).toEqual({ regress: 7, pass: 4 });
});

test("rounds after the deciding one change nothing", () => {
  let decided = 0;
  fc.assert(
    fc.property(series, logs(0, 20), (d, later) => {
      const decision = decide(calm(d), RULE);
      if (decision.state === "open") return;
      decided++;
      const longer = decide(calm([...d.slice(0, decision.rounds), ...later]), RULE);
      expect({ ...longer, improved: false }).toEqual({ ...decision, improved: false });
    }),
  );
  expect(decided).toBeGreaterThan(0);
});

test("a decision follows from its trail", () => {
  fc.assert(
    fc.property(series, (d) => {
      const { state, rounds, trail, evidence } = decide(calm(d), RULE);
      expect(trail.map((step) => step.rounds)).toEqual(
        Array.from({ length: rounds }, (_, i) => i + 1),
      );
      const last = trail.at(-1);
      if (last !== undefined) expect(evidence).toEqual({ regress: last.regress, pass: last.pass });
      for (const step of trail.slice(0, -1)) expect(step.pass).toBeLessThan(1);
      if (state === "pass") expect(last?.pass).toBeGreaterThanOrEqual(1);
      if (state === "regressed") expect(last?.regress).toBeGreaterThanOrEqual(1);
      if (state === "open") expect(rounds).toBe(d.length);
    }),
  );
});

const limit = fc.integer({ min: 1, max: 400 }).map((k) => k / 1000);

test("whatever is true, it can fail or pass: no change lies between the limits", () => {
  let called = 0;
  fc.assert(
    fc.property(limit, limit, limit, fc.integer({ min: -50, max: 900 }), (a, b, floor, k) => {
      const [tolerance, margin] = [Math.min(a, b), Math.max(a, b) + 0.001];
      const rule = ruleOf({ tolerance, margin, floor }, RULE, 10);
      const truth = Math.log1p(k / 1000);
      // A little room around each limit, where rounds without number would be needed.
      const near = [tolerance, rule.margin, floor].some(
        (one) => Math.abs(truth - Math.log1p(one)) < 0.02,
      );
      if (near) return;
      called++;
      expect(decide(calm(Array(400).fill(truth)), rule).state).not.toBe("open");
    }),
    { numRuns: 200 },
  );
  expect(called).toBeGreaterThan(50);
});

/** 400 rounds of one ratio to a reference of 100, as the judge compares them. */
function compareTruth(truth: number, limits: Partial<MetricPolicy>, upTo: number | null) {
  const { policy } = makeConfig();
  const [first] = listHypotheses(makeConfig());
  if (first === undefined) throw new Error("no hypothesis");
  const hypothesis = { ...first, policy: { ...first.policy, ...limits } };
  const waiver: Waiver = {
    ...{ metric: "p99", estimator: null, scenario: "echo", service: "api" },
    ...{ upTo: upTo ?? 0, reason: "r", owner: "o", expires: "2026-12-31" },
  };
  const values = Array.from({ length: 400 }, (_, round) => {
    const candidate = 100 * Math.exp(truth);
    return { round, candidate, reference: 100, d: truth, beyond: null, calm: true };
  });
  return compareAlongside({
    ...{ hypothesis, policy, gating: 10, fault: null },
    waiver: upTo === null ? null : waiver,
    series: { values, zeros: 0, beforeZero: values.length },
  });
}

test("nor does one by any estimator, beside an absolute floor, under a waiver", () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(
      fc.constantFrom("typical", "pooled", "windows", "launch"),
      fc.tuple(limit, limit, limit, fc.constantFrom(0, 10, 30, 60)),
      fc.option(limit.map((one) => 2 * one)),
      fc.integer({ min: -50, max: 1500 }),
      (estimator, [a, b, floor, absoluteFloor], upTo, k) => {
        const [tolerance, margin] = [Math.min(a, b), Math.max(a, b) + 0.001];
        const limits = { estimator, tolerance, margin, floor, absoluteFloor };
        const truth = Math.log1p(k / 1000);
        const compared = compareTruth(truth, limits, upTo);
        const all = [tolerance, compared.margin, compared.floor, upTo ?? tolerance].map(Math.log1p);
        // The mean of slow answers is told in units of its margin: the room is a share of it.
        if (all.some((one) => Math.abs(truth - one) < 0.02 + 0.05 * one)) return;
        expect(compared.state).not.toBe("inconclusive");
        if (truth > Math.max(...all)) expect(compared.state).toBe("regressed");
        if (truth < Math.log1p(compared.floor)) expect(compared.state).not.toBe("regressed");
        seen.add(`${estimator} ${compared.state}`);
      },
    ),
    {
      numRuns: 400,
      // Drawn ones need not reach every end.
      examples: [
        ["windows", [0.05, 0.25, 0.1, 0], null, 0],
        ["windows", [0.04, 0.37, 0.36, 0], null, 290],
        ["windows", [0.05, 0.25, 0.1, 0], null, 600],
        ["windows", [0.05, 0.25, 0.1, 0], 0.8, 500],
      ],
    },
  );
  for (const one of ["windows pass", "windows worse-within", "windows regressed"]) {
    expect(seen).toContain(one);
  }
  expect([...seen].join()).toContain("waived");
});

const noisyRounds = fc.array(fc.boolean(), { minLength: 60, maxLength: 60 });
const noise = fc.oneof(fc.constant(Array<boolean>(60).fill(false)), noisyRounds);

test("the interval agrees with what is called, on calm rounds and beside noisy ones", () => {
  fc.assert(
    fc.property(series, noise, (d, noisy) => {
      const rounds = d.map((value, i) => ({ d: value, calm: noisy[i] === false }));
      const { state, estimate, interval } = decide(rounds, RULE);
      if (d.length === 0) return;
      expect(interval.low).toBeLessThanOrEqual(interval.high);
      if (state === "regressed") expect(estimate).toBeGreaterThan(Math.log1p(RULE.tolerance));
      if (state === "regressed") expect(interval.low).toBeGreaterThan(Math.log1p(RULE.tolerance));
      // A few parts in a million are the search's for the bound.
      const margin = Math.log1p(RULE.margin);
      if (state === "pass") expect(interval.high).toBeLessThan(margin + 1e-5);
      else expect(interval.high).toBeGreaterThan(margin - 1e-5);
    }),
  );
});

test("what is no number is refused", () => {
  expect(() => decide(calm([0, Number.NaN]), RULE)).toThrow(RangeError);
  expect(() => decide(calm([Number.POSITIVE_INFINITY]), RULE)).toThrow(RangeError);
});

const around = (level: number, n: number) =>
  steady(0, n, 0.003).map((value) => level * Math.exp(value));

function checkStored(
  candidate: readonly number[],
  reference: readonly number[],
  driftMargin: number,
  expected: Partial<Decision>,
  change: Partial<Rule> = {},
) {
  const rule = { ...RULE, hypotheses: 1, driftMargin, ...change };
  expect(decideStored(candidate, reference, rule)).toMatchObject({ isOfCalm: false, ...expected });
}

test("against a stored baseline drift is granted both ways", () => {
  const baseline = around(100, 20);
  checkStored(around(101, 8), baseline, 0, { state: "pass", rounds: 8, improved: false });
  checkStored(around(125, 20), baseline, 0, { state: "regressed", rounds: 16 });
  checkStored(around(80, 8), baseline, 0, { state: "pass", improved: true });
  checkStored(around(105, 8), baseline, 0, { state: "pass", worse: true });
  checkStored(around(125, 20), baseline, 0, { worse: false, improved: false });
  checkStored(around(125, 20), baseline, 0, { state: "open", rounds: 20 }, { floor: 0.5 });
  // Proven, and less than the floor.
  checkStored(around(97, 8), baseline, 0, { state: "pass", improved: false });
  checkStored(around(80, 7), baseline, 0, { state: "open", improved: false });
  checkStored(around(80, 8), baseline, 0, { improved: false }, { hypotheses: 1e9 });
  // By ranks with a chance of 1.4 %, which is too much for one of seven looks, and of 0.15 %.
  const few = [100, 101, 102, 103, 104, 105, 106, 107];
  const better = [93, 94, 95, 96, 97, 99.5, 102, 104.5];
  checkStored(better, few, 0, { state: "pass", rounds: 8, improved: false });
  const clearly = [92, 93, 94, 95, 96, 97, 98, 103.5];
  checkStored(clearly, few, 0, { state: "pass", rounds: 8, improved: true });
  checkStored(around(105, 8), baseline, 0.04, { worse: false });
  // Less than the tolerance and the drift together is nobody's fault, and no pass has room left.
  checkStored(around(112, 60), baseline, 0.2, { state: "open", rounds: 60 });
  checkStored(around(101, 60), baseline, 0.2, { state: "open", rounds: 60 });
  // A drift of 5 % leaves half of a margin of 10 %.
  checkStored(around(101, 8), baseline, 0.05, { state: "pass" });
  checkStored(around(80, 8), baseline, 0.25, { state: "pass", improved: false });
});

test("stored values are asked after fixed numbers of launches only", () => {
  checkStored(around(150, 7), around(100, 20), 0, { state: "open", trail: [] });
  checkStored(around(101, 11), around(100, 20), 0, { state: "pass", rounds: 8 });
  // Later launches do not change what is said of the answer.
  const estimate = expect.closeTo(0.01, 2);
  checkStored([...around(101, 8), ...around(200, 8)], around(100, 20), 0, { rounds: 8, estimate });
  // Twelve launches call no regression.
  checkStored(around(150, 12), around(100, 40), 0, { state: "open" });
});

test("a regression stands whatever later launches say, and what is open has all of them", () => {
  const later = [...around(125, 16), ...around(60, 44)];
  checkStored(later, around(100, 20), 0, { state: "regressed", rounds: 16 });
  checkStored(around(111, 11), around(100, 20), 0, { state: "open", rounds: 11 });
});

test("evidence of stored values is a test's share of its chance over its p", () => {
  // All of 8 below all of 20, and all of 16 above them, are one in so many ways.
  const ways = { of8: 3_108_105, of16: 7_307_872_110 };
  const pass = expect.closeTo((0.05 / 7) * ways.of8, 3);
  checkStored(around(80, 8), around(100, 20), 0, {
    evidence: { regress: expect.closeTo(0.01 / 5, 9), pass },
  });
  const regress = expect.closeTo((0.01 / 10) * ways.of16, 0);
  checkStored(
    around(150, 16),
    around(100, 20),
    0,
    {
      evidence: { regress, pass: expect.closeTo(0.05 / 7, 9) },
      trail: [8, 12, 16].map((rounds) => expect.objectContaining({ rounds })),
    },
    { hypotheses: 2 },
  );
});

test("against stored values each limit is enough by itself", () => {
  const ones = Array<number>(20).fill(1);
  const [twice, half] = [Array<number>(16).fill(2), Array<number>(8).fill(0.5)];
  // A floor of 100 % is twice as much, and half as much the other way.
  checkStored(twice, ones, 0, { state: "regressed" }, { floor: 1 });
  checkStored(half, ones, 0, { state: "pass", improved: true }, { floor: 1 });
  checkStored(twice, ones, 0, { state: "pass", worse: false }, { tolerance: 1, margin: 2 });
  checkStored(twice, ones, 0, { state: "pass", worse: true }, { tolerance: 0.9, margin: 2 });

  const logs = (values: readonly number[]): number[] => values.map(Math.log);
  // Of so many, whose chances are what they were after a multiplication and a division.
  const baseline = around(100, 19);
  const slow = around(125, 16);
  const chance = rankSumUpperTail(logs(slow), logs(baseline), Math.log1p(0.01));
  expect((5 * chance) / 5).toBe(chance);
  checkStored(slow, baseline, 0, { state: "regressed" }, { alpha: 5 * chance });
  checkStored(slow, baseline, 0, { state: "open" }, { alpha: 4.99 * chance });
  const good = around(98, 8);
  const within = rankSumUpperTail(logs(baseline), logs(good), -Math.log1p(0.1));
  expect((7 * within) / 7).toBe(within);
  checkStored(good, baseline, 0, { state: "pass" }, { beta: 7 * within });
  checkStored(good, baseline, 0, { state: "open" }, { beta: 6.99 * within });
  const better = rankSumUpperTail(logs(baseline), logs(good), Math.log1p(0.01));
  // Each of two questions has its share of each of seven looks.
  const shared = { floor: 0, hypotheses: 2 };
  checkStored(good, baseline, 0, { improved: true }, { ...shared, beta: 14 * better });
  checkStored(good, baseline, 0, { improved: false }, { ...shared, beta: 13.99 * better });
});

test("what has no ratio decides nothing", () => {
  const nothing = { state: "open", rounds: 0 } as const;
  checkStored(around(101, 8), [], 0, nothing);
  checkStored([], around(100, 20), 0, nothing);
  for (const wrong of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
    checkStored([...around(101, 8), wrong], around(100, 20), 0, nothing);
    checkStored(around(101, 8), [...around(100, 20), wrong], 0, nothing);
  }
});

const LIMIT = ruleOf({ margin: 0, tolerance: 0, floor: 0 }, RULE, 10);

test("at an absolute limit each side takes its evidence, and below is no improvement", () => {
  expect(fewestRounds(LIMIT)).toEqual({ pass: 5, regress: 11 });
  const held = (d: readonly number[], expected: Partial<Decision>) =>
    expect(decide(calm(d), LIMIT)).toMatchObject(expected);
  held(steady(-0.3), { state: "pass", rounds: 5, improved: false, worse: false });
  held(steady(0.1), { state: "regressed", rounds: 11 });
  held(steady(0.002, 60, 0.0001), { state: "regressed" });
  held(steady(-0.003, 60, 0.0001), { state: "pass" });
  held(Array(60).fill(0), { state: "open" });
});

test("only calm rounds show that a limit is broken, and all that it holds", () => {
  const noisy = (d: readonly number[]) => d.map((one) => ({ d: one, calm: false }));
  expect(decide(noisy(steady(-0.3)), LIMIT)).toMatchObject({ state: "pass", isOfCalm: false });
  const open = decide(noisy(steady(0.3)), LIMIT);
  expect(open.state).toBe("open");
  expect(open.interval.low).toBe(Number.NEGATIVE_INFINITY);
  expect(open.interval.high).toBeGreaterThan(0.2);
  // However many noisy ones are far above it, the calm ones are too few.
  expect(decide([...noisy(steady(2, 30)), ...calm(steady(0.3, 5))], LIMIT).state).toBe("open");
  // Its estimate is that of the rounds which broke it.
  const over = decide([...noisy(steady(2, 5)), ...calm(steady(0.3))], LIMIT);
  expect(over).toMatchObject({ state: "regressed", isOfCalm: true });
  expect(over.estimate).toBeLessThan(0.32);
  expect(over.interval.low).toBeGreaterThan(0);
});

test("whatever the rounds, a limit is broken by calm ones, and both sides are one another's mirror", () => {
  const rounds = fc
    .tuple(series, fc.infiniteStream(fc.boolean()))
    .map(([d, flags]) => d.map((one) => ({ d: one, calm: flags.next().value ?? true })));
  const even = { ...LIMIT, alpha: LIMIT.beta, hypotheses: 1 };
  fc.assert(
    fc.property(rounds, (some) => {
      const { state, interval, improved, worse } = decide(some, LIMIT);
      expect([improved, worse]).toEqual([false, false]);
      if (state === "pass") expect(interval.high).toBeLessThan(0);
      if (state === "regressed") {
        expect(interval.low).toBeGreaterThan(0);
        const alone = decide(
          some.filter((one) => one.calm),
          LIMIT,
        );
        expect(alone.state).toBe("regressed");
      }
      const quiet = some.map(({ d }) => ({ d, calm: true }));
      const [here, there] = [quiet, quiet.map(({ d }) => ({ d: -d, calm: true }))].map((all) =>
        decide(all, even),
      );
      const mirrored = { pass: "regressed", regressed: "pass", open: "open" } as const;
      expect(there?.state).toBe(mirrored[here?.state ?? "open"]);
      expect(there?.rounds).toBe(here?.rounds);
      expect(there?.interval.low).toBeCloseTo(-(here?.interval.high ?? 0), 9);
    }),
  );
});

test.each<[string, number, { calm?: boolean; shards?: number; change?: Partial<Rule> }, unknown]>([
  // Each of two sees what one would in half as many rounds, with 1.5 times the evidence.
  ["a pass, of two", -0.2, { shards: 2 }, 3],
  ["a pass, of three", -0.2, {}, 2],
  ["a pass, of one", -0.2, { shards: 1 }, 6],
  ["a pass of disturbed rounds", -0.2, { calm: false }, null],
  // All but one: by the fewest rounds that decide() takes for a regression.
  ["a regression, of two", 0.3, { shards: 2 }, 11],
  ["a regression, of three", 0.3, {}, 6],
  ["a regression of disturbed rounds", 0.3, { calm: false }, 6],
  ["a regression with one question", 0.3, { change: { hypotheses: 1 } }, 4],
  ["a regression at a larger alpha", 0.3, { change: { alpha: 0.1 } }, 4],
  ["proven, and below the floor", 0.3, { change: { floor: 0.5 } }, null],
  ["neither", Math.log(1.1), { change: { floor: 0.2 } }, null],
  ["above a limit", 0.3, { change: LIMIT }, 6],
  ["below a limit, disturbed", -0.3, { calm: false, change: LIMIT }, 2],
  ["above a limit, disturbed", 0.3, { calm: false, change: LIMIT }, null],
])("a shard's share: %s", (_, d, { calm = true, shards = 3, change = {} }, expected) => {
  const rule = { ...RULE, ...change };
  const isEnough = (rounds: number): boolean =>
    hasShare(Array(rounds).fill({ d, calm }), rule, { method: SYMMETRIC, shards });
  expect([...Array(40).keys()].find(isEnough) ?? null).toBe(expected);
});
