import { describe, expect, test } from "vitest";
import { studentUpperQuantile, studentUpperTail } from "../../src/core/stats/student-t.ts";
import {
  bencherT,
  githubActionBenchmark,
  k6Threshold,
  type PeerRule,
  perfgateCheck,
  perfgatePaired,
  perfgateSignificant,
  postgrestLoadtest,
  type Recorded,
  tachometer,
  welchP,
} from "./rules.ts";

const none: Recorded = { history: [], reference: [], candidate: [] };
const repeat = (values: readonly number[], times: number): number[] =>
  Array.from({ length: times }, () => values).flat();

const gab = githubActionBenchmark({ threshold: 2 });
const bencher = bencherT({ boundary: 0.99, maxSamples: 64 });
const perfgate = perfgateCheck({ threshold: 0.2, repeats: 7 });
const tested = perfgateSignificant({ threshold: 0.2, repeats: 8, minSamples: 8 });
const paired = perfgatePaired({ pairs: 5, maxRetries: 0 });
const thirty = perfgatePaired({ pairs: 30, maxRetries: 0 });
const retried = perfgatePaired({ pairs: 5, maxRetries: 3 });
const postgrest = postgrestLoadtest({ limit: 0.05 });
const tacho = tachometer({ samples: 4, batch: 2 });
const k6 = k6Threshold({ margin: 0.2 });

/** Mean 10, sd 1 (n − 1): Σ(x − 10)² = 4. */
const FIVE = [9, 9, 10, 11, 11];

const cases: [string, PeerRule, Partial<Recorded>, "regressed" | "silent", number][] = [
  // One value over the last stored one, strictly.
  ["twice", gab, { history: [50, 100], candidate: [200] }, "silent", 1],
  ["more than twice", gab, { history: [50, 100], candidate: [200.1] }, "regressed", 1],
  ["only the last stored one counts", gab, { history: [1, 100], candidate: [150] }, "silent", 1],
  ["nothing over nothing", gab, { history: [0], candidate: [0] }, "silent", 1],
  ["something over nothing", gab, { history: [0], candidate: [1] }, "regressed", 1],
  ["nothing stored", gab, { candidate: [100] }, "silent", 0],

  // t(.99, 4) = 3.746947; 10 + 3.746947 · 1 · √1.2 = 14.104575.
  ["inside the limit", bencher, { history: FIVE, candidate: [14.104] }, "silent", 1],
  ["outside", bencher, { history: FIVE, candidate: [14.105] }, "regressed", 1],
  ["the others do not count", bencher, { history: FIVE, candidate: [10, 99] }, "silent", 1],
  ["no spread, no limit", bencher, { history: [10, 10, 10], candidate: [99] }, "silent", 1],
  ["one stored", bencher, { history: [10], candidate: [99] }, "silent", 1],

  // Medians of seven: 100 and 120; the eighth is not looked at.
  [
    "a fifth",
    perfgate,
    { history: repeat([100], 7), candidate: [1, 2, 3, 120, 130, 140, 150, 999] },
    "silent",
    7,
  ],
  [
    "more than a fifth",
    perfgate,
    { history: repeat([100], 7), candidate: [1, 2, 3, 120.1, 130, 140, 150] },
    "regressed",
    7,
  ],
  ["faster", perfgate, { history: [100], candidate: [10] }, "silent", 1],
  ["baseline of nothing", perfgate, { history: [0], candidate: [10] }, "silent", 1],

  [
    "beyond the budget, and proven",
    tested,
    { history: repeat([9, 11], 4), candidate: repeat([13, 15], 4) },
    "regressed",
    8,
  ],
  [
    "beyond the budget, with one value too few for the test",
    tested,
    { history: repeat([9, 11], 4).slice(1), candidate: repeat([13, 15], 4).slice(1) },
    "silent",
    7,
  ],
  [
    "beyond the budget by wild values",
    tested,
    { history: repeat([5, 15], 4), candidate: [1, 1, 1, 12, 13, 13, 14, 90] },
    "silent",
    8,
  ],

  // Differences 1, 2, 3, 4, 5: mean 3, sd √2 (divisor n), 2 · √2 / √5 = 1.265.
  [
    "all pairs slower",
    paired,
    { reference: repeat([10], 5), candidate: [11, 12, 13, 14, 15] },
    "regressed",
    5,
  ],
  // Differences −3, 1, 1, 1, 5: mean 1, sd √6.4, margin 2.263.
  [
    "the interval holds 0",
    paired,
    { reference: repeat([10], 5), candidate: [7, 11, 11, 11, 15] },
    "silent",
    5,
  ],
  // Mean .99, sd 1 (divisor n): two standard errors are 1. Of 30 pairs with mean .3615, 2 of them
  // are .3651 and 1.96 .3578.
  [
    "two standard errors, of few pairs",
    paired,
    { reference: repeat([10], 4), candidate: repeat([11.99, 9.99], 2) },
    "silent",
    4,
  ],
  [
    "1.96 of them from 30 on",
    thirty,
    { reference: repeat([10], 30), candidate: repeat([11 + 0.3615, 9 + 0.3615], 15) },
    "regressed",
    30,
  ],
  [
    "faster for sure",
    paired,
    { reference: repeat([10], 5), candidate: repeat([5], 5) },
    "silent",
    5,
  ],
  ["two pairs are no test", paired, { reference: [10, 10], candidate: [20, 20] }, "silent", 2],
  // 5, then 2 more, then 3 more: after 10 pairs significant.
  [
    "measured on until it is significant",
    retried,
    { reference: repeat([10], 20), candidate: [7, 11, 11, 11, 15, 10, 11, 12, 12, 12, 0, 0, 0] },
    "regressed",
    10,
  ],
  [
    "no more retries than allowed",
    retried,
    { reference: repeat([10], 40), candidate: repeat([7, 13], 20) },
    "silent",
    15,
  ],

  ["just below 5 %", postgrest, { reference: [100], candidate: [104.99] }, "silent", 1],
  ["5 %", postgrest, { reference: [100], candidate: [105] }, "regressed", 1],
  ["the first of each", postgrest, { reference: [100, 1], candidate: [100, 900] }, "silent", 1],

  // Means 10 and 13, variances 4/3 each over 4: relative variance (13² + 10²)/3 / 10⁴ = .0089667,
  // t(.975, 3) = 3.182446, margin .30135 against .3: not yet. With 6: variances .2 over 6 each of
  // 1.2: t(.975, 5) = 2.570582, margin .1885.
  [
    "decided after the second look",
    tacho,
    { reference: [9, 11, 9, 11, 9, 11], candidate: [12, 14, 12, 14, 12, 14] },
    "regressed",
    6,
  ],
  [
    "decided at once",
    tacho,
    { reference: [9, 11, 9, 11, 9, 11], candidate: [19, 21, 19, 21, 19, 21] },
    "regressed",
    4,
  ],
  [
    "never decided",
    tacho,
    { reference: repeat([9, 11], 5), candidate: repeat([9, 11], 5) },
    "silent",
    10,
  ],
  ["one sample", tacho, { reference: [9], candidate: [99] }, "silent", 1],

  // Median 100, limit 120, which must be met with room.
  ["below the limit", k6, { history: [1, 100, 999], candidate: [119.9] }, "silent", 1],
  ["on the limit", k6, { history: [1, 100, 999], candidate: [120] }, "regressed", 1],
  ["no limit was set", k6, { candidate: [120] }, "silent", 0],
];
test.each(cases)("%s", (_, rule, recorded, state, rounds) => {
  expect(rule.judge({ ...none, ...recorded })).toEqual({ state, rounds });
});

describe("Student's t", () => {
  // scipy.stats.t.isf(q, freedom).
  const quantiles: [number, number, number][] = [
    [0.01, 4, 3.746947387979197],
    [0.025, 3, 3.1824463052837086],
    [0.025, 5, 2.5705818356363155],
    [0.025, 49, 2.0095752371292397],
    [0.01, 29, 2.4620213601504126],
    [0.005, 1, 63.656741162871583],
    [0.05, 2.5, 2.5582186141359364],
  ];
  test.each(quantiles)("exceeded with chance %d on %d degrees", (q, freedom, t) => {
    expect(studentUpperQuantile(q, freedom)).toBeCloseTo(t, 8);
    expect(studentUpperTail(t, freedom)).toBeCloseTo(q, 10);
  });

  test("is symmetric", () => {
    expect(studentUpperTail(-1.3, 7)).toBeCloseTo(1 - studentUpperTail(1.3, 7), 12);
    expect(studentUpperTail(0, 3)).toBeCloseTo(0.5, 12);
  });
});

test("Welch's p is scipy's", () => {
  // scipy.stats.ttest_ind([9, 9, 10, 11, 11], [10, 12, 13, 17], equal_var=False).pvalue
  expect(welchP(FIVE, [10, 12, 13, 17])).toBeCloseTo(0.1317455782546278, 9);
  expect(welchP([1, 1], [1, 1])).toBe(1);
  expect(welchP([1, 1], [2, 2])).toBe(0);
});
