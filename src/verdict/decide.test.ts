// The decision rule: thresholds, order of looks, and what holds for any data. Its error rates: decide-simulation.test.ts.
import fc from "fast-check";
import { expect, test } from "vitest";
import { trimmedP } from "../stats/trimmed-shifts.ts";
import { type Decision, decide, decideUnpaired, type Rule, thresholdsOf } from "./decide.ts";

const RULE: Rule = {
  tolerance: 0.01,
  promise: 0.1,
  floor: 0.05,
  alpha: 0.01,
  hypotheses: 10,
  beta: 0.05,
  looks: [8, 12, 16, 20, 28, 40, 60],
};

const logs = (minLength: number, maxLength: number) =>
  fc.array(
    fc.integer({ min: -4000, max: 4000 }).map((k) => k / 8192),
    { minLength, maxLength },
  );
/** Around a centre that is often near a boundary of the rule, so that all three states occur. */
const series = (minLength: number) =>
  fc
    .tuple(fc.integer({ min: -3, max: 6 }), logs(minLength, 60), fc.constantFrom(0.02, 0.1, 0.5))
    .map(([centre, d, spread]) => d.map((value) => centre / 20 + spread * value));

/** n values in a narrow band above a level, no two alike. */
const steady = (level: number, n = 60, width = 0.0005) =>
  Array.from({ length: n }, (_, i) => level + width * ((i * 37) % 61) * 0.3);

const negative = (d: readonly number[]) => d.map((value) => -value);

test("alpha is shared among hypotheses and the looks that can call a regression, beta among all", () => {
  const cases: [Partial<Rule>, number, number][] = [
    [{}, 0.01 / (10 * 5), 0.05 / 7],
    [{ hypotheses: 30 }, 0.01 / (30 * 5), 0.05 / 7],
    [{ hypotheses: 7 }, 0.01 / (7 * 5), 0.05 / 7],
    [{ looks: [16, 20] }, 0.01 / (10 * 2), 0.05 / 2],
    // Where all looks are early, the last one is for regressions.
    [{ looks: [8, 12] }, 0.01 / 10, 0.05 / 2],
    [{ looks: [3] }, 0.01 / 10, 0.05],
  ];
  for (const [change, regress, pass] of cases) {
    const levels = thresholdsOf({ ...RULE, ...change });
    expect(levels.regress).toBeCloseTo(regress, 15);
    expect(levels.pass).toBeCloseTo(pass, 15);
  }
});

function check(d: readonly number[], expected: Partial<Decision>, change: Partial<Rule> = {}) {
  expect(decide(d, { ...RULE, ...change })).toMatchObject(expected);
}

test("a clear change is called at the first look that can", () => {
  check(steady(0.3), { state: "regressed", look: 16, improved: false });
  check(steady(0), { state: "pass", look: 8, improved: false });
  check(steady(-0.3), { state: "pass", look: 8, improved: true });
});

test("no early look calls a regression, however small its p", () => {
  // With one hypothesis 2^-12 is below the level of a single test.
  const decision = decide(steady(0.3), { ...RULE, hypotheses: 1 });
  expect(decision.look).toBe(16);
  const [, twelve] = decision.trail;
  expect(twelve?.pRegress).toBeLessThanOrEqual(decision.thresholds.regress);
  check(steady(0.3, 12), { state: "regressed", look: 12 }, { hypotheses: 1, looks: [8, 12] });
});

test("proven but under the floor passes, and over the promise never does", () => {
  check(steady(0.03), { state: "pass", look: 8 });
  check(steady(0.12), { state: "regressed", look: 16 });
  check(steady(0.12), { state: "open", look: 60 }, { floor: 0.5 });
  // The floor is a ratio: 1.05, not a log ratio of 0.05.
  check(steady(0.0495, 60, 1e-6), { state: "regressed" }, { promise: 0.02 });
  check(steady(0.048, 60, 1e-6), { state: "open" }, { promise: 0.02 });
});

test("tolerance and promise are ratios and the borders of their nulls", () => {
  check(steady(Math.log(1.01) - 0.006), { state: "open" }, { floor: 0, promise: 0.001 });
  check(steady(Math.log(1.01) + 0.001), { state: "regressed" }, { floor: 0, promise: 0.001 });
  // 50 % is a log ratio of 0.405.
  check(steady(0.45), { state: "regressed" }, { tolerance: 0.5, promise: 0.51 });
  check(steady(0.45), { state: "open" }, { tolerance: 0.6, promise: 0.5 });
  check(steady(Math.log(1.1) - 0.012), { state: "pass" });
  check(steady(Math.log(1.1) + 0.001), { state: "open" }, { floor: 1 });
});

test("where both could be called, the regression is", () => {
  check(steady(0.06), { state: "regressed", look: 20 }, { looks: [20], promise: 0.2 });
});

test("an improvement must be beyond tolerance and floor", () => {
  check(steady(-0.07), { state: "pass", improved: true });
  check(steady(-0.04), { state: "pass", improved: false });
  check(steady(-0.04), { state: "pass", improved: true }, { floor: 0.02 });
  check(steady(-0.03), { state: "pass", improved: false }, { floor: 0.02, tolerance: 0.05 });
});

test("an improvement is proven at beta shared among the hypotheses", () => {
  // All of eight rounds better: p is 2^-8, which 0.05 / 12 allows and 0.05 / 13 does not.
  check(steady(-0.3), { look: 8, improved: true }, { hypotheses: 12 });
  check(steady(-0.3), { look: 8, improved: false }, { hypotheses: 13 });
});

test("what did not pass is no improvement, however well it is proven", () => {
  // One hypothesis has all of beta for good news, and a fourteenth of it for a pass: 2^-8 is between the two.
  const looks = Array.from({ length: 14 }, (_, i) => 8 + i);
  check(steady(-0.3, 8), { state: "open", improved: false }, { hypotheses: 1, looks });
});

test("two clusters around nothing are no regression, although the larger alone would prove one", () => {
  // Thirteen of sixteen at +5 %, three at -5 %: the trim at the tolerance sets the three aside.
  const clusters = steady(0.05, 16, 1e-4).map((value, i) => (i % 6 === 2 ? -value : value));
  const memory = { tolerance: 0.01, promise: 0.02, floor: 0.025, looks: [16], hypotheses: 1 };
  check(clusters, { state: "open" }, memory);
  check(clusters.map(Math.abs), { state: "regressed" }, memory);
});

test("the p-values are those of the tests at the tolerance and the promise", () => {
  const d = steady(0.06, 20, 0.004).map((value, i) => (i === 3 ? 1.5 : i === 9 ? -1.2 : value));
  const rule = { ...RULE, looks: [20], hypotheses: 1, beta: 1, alpha: 1 };
  const decision = decide(d, rule);
  expect(decision.pRegress).toBe(trimmedP(d, Math.log(1.01), "+"));
  expect(decision.pPass).toBe(trimmedP(d, Math.log(1.1), "-"));
  expect(decision.kept).toBe(18);
});

test("data after the deciding look change nothing", () => {
  let decided = 0;
  fc.assert(
    fc.property(series(12), logs(0, 20), (d, later) => {
      const decision = decide(d, RULE);
      if (decision.state === "open") return;
      decided++;
      expect(decide([...d.slice(0, decision.look), ...later], RULE)).toEqual(decision);
    }),
  );
  expect(decided).toBeGreaterThan(0);
});

test("a decision follows from its trail", () => {
  fc.assert(
    fc.property(series(0), (d) => {
      const decision = decide(d, RULE);
      const { thresholds, trail } = decision;
      const reached = RULE.looks.filter((look) => look <= d.length);
      expect(trail.map(({ rounds }) => rounds)).toEqual(reached.slice(0, trail.length));
      const replayed = trail.map((look) => {
        const proven = look.rounds >= 16 && look.pRegress <= thresholds.regress;
        if (proven && look.estimate >= Math.log(1.05)) return "regressed";
        return look.pPass <= thresholds.pass ? "pass" : "open";
      });
      const last = replayed.pop() ?? "open";
      expect(replayed.every((state) => state === "open")).toBe(true);
      expect(decision.state).toBe(last);
      if (last === "open") {
        expect([trail.length, decision.look]).toEqual([reached.length, d.length]);
      } else {
        const { rounds, ...values } = trail[trail.length - 1] as (typeof trail)[number];
        expect(decision).toMatchObject({ look: rounds, ...values });
      }
    }),
  );
});

test("estimate lies in its interval, and both are mirrored with the data", () => {
  fc.assert(
    fc.property(logs(1, 40), (d) => {
      // A single look beyond the data: both sides are open and rest on all of it.
      const rule = { ...RULE, looks: [100] };
      const { estimate, interval } = decide(d, rule);
      const mirrored = decide(negative(d), rule);
      expect(interval.low).toBeLessThanOrEqual(estimate);
      expect(interval.high).toBeGreaterThanOrEqual(estimate);
      expect(mirrored.estimate).toBeCloseTo(-estimate, 12);
      // Not toBe, which tells 0 from -0.
      expect(mirrored.interval.low === -interval.high).toBe(true);
    }),
  );
});

test("the mirror image of a regression is an improvement", () => {
  let seen = 0;
  fc.assert(
    fc.property(
      logs(16, 20),
      fc.constantFrom(0.1, 0.3),
      fc.constantFrom(0.02, 0.2),
      (x, up, by) => {
        const d = x.map((value) => up + by * value);
        const rule = { ...RULE, looks: [16] };
        if (decide(d, rule).state !== "regressed") return;
        seen++;
        expect(decide(negative(d), rule)).toMatchObject({ state: "pass", improved: true });
      },
    ),
    { numRuns: 300 },
  );
  expect(seen).toBeGreaterThan(0);
});

test("too few rounds decide nothing and describe what there is", () => {
  check([], { state: "open", look: 0, pRegress: 1, pPass: 1, kept: 0, trail: [] });
  expect(decide([], RULE).estimate).toBeNaN();
  check(steady(0.3, 7), { state: "open", look: 7, kept: 7, trail: [] });
});

test("what is no number is refused", () => {
  expect(() => decide([...steady(0, 8), Number.NaN], { ...RULE, looks: [9] })).toThrow(RangeError);
  expect(() => decide([Number.POSITIVE_INFINITY], RULE)).toThrow(RangeError);
});

const around = (level: number, n: number) =>
  steady(0, n, 0.003).map((value) => level * Math.exp(value));

function checkStored(
  candidate: readonly number[],
  reference: readonly number[],
  driftMargin: number,
  expected: Partial<Decision>,
) {
  const rule = { ...RULE, hypotheses: 1, driftMargin };
  expect(decideUnpaired(candidate, reference, rule)).toMatchObject(expected);
}

test("against a stored baseline drift is granted both ways", () => {
  const baseline = around(100, 20);
  checkStored(around(101, 8), baseline, 0, { state: "pass", look: 8, improved: false });
  checkStored(around(125, 20), baseline, 0, { state: "regressed", look: 16 });
  checkStored(around(80, 8), baseline, 0, { state: "pass", improved: true });
  // Less than the tolerance and the drift together is nobody's fault, and no pass has room left.
  checkStored(around(112, 60), baseline, 0.2, { state: "open", look: 60 });
  checkStored(around(101, 60), baseline, 0.2, { state: "open", look: 60 });
  // A drift of 5 % leaves half of a promise of 10 %.
  checkStored(around(101, 8), baseline, 0.05, { state: "pass" });
  checkStored(around(80, 8), baseline, 0.25, { state: "pass", improved: false });
});

test("twelve fresh launches call no regression against a stored baseline either", () => {
  checkStored(around(150, 12), around(100, 40), 0, { state: "open" });
});

test("what has no ratio decides nothing", () => {
  const nothing = { state: "open", look: 0, pRegress: 1, pPass: 1 } as const;
  checkStored(around(101, 8), [], 0, nothing);
  checkStored([], around(100, 20), 0, nothing);
  for (const wrong of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
    checkStored([...around(101, 8), wrong], around(100, 20), 0, nothing);
    checkStored(around(101, 8), [...around(100, 20), wrong], 0, nothing);
  }
});
