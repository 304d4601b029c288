// What a comparison says of rounds that are given: its finding, its numbers, whose fault spoils it.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { makeConfig } from "../../../test/support/samples.ts";
import type { Waiver } from "../model/config.ts";
import type { Fault } from "../model/fault.ts";
import type { Finding, JudgedComparison } from "../model/verdict.ts";
import { compareAlongside, describe as describeComparison, faultOf, findingOf } from "./compare.ts";
import { decide, ruleOf } from "./decide.ts";
import { type Hypothesis, listHypotheses } from "./hypotheses.ts";
import type { RoundValue } from "./series.ts";

const { policy } = makeConfig();
const [hypothesis] = listHypotheses(makeConfig()) as [Hypothesis, ...Hypothesis[]];

/** Rounds of a reference of 100 µs, 101 µs, … */
const rounds = (ratios: readonly number[]): RoundValue[] =>
  ratios.map((ratio, round) => ({
    round,
    candidate: (100 + round) * ratio,
    reference: 100 + round,
    d: Math.log(ratio),
    beyond: round % 2 === 0 ? 40 + round : null,
    calm: true,
  }));
const many = (ratio: number, count = 20) => rounds(Array<number>(count).fill(ratio));

const fault = (scenario: string | null): Fault => ({
  kind: "errors",
  scenario,
  rule: null,
  arm: "candidate",
  failed: 1,
  slices: 1,
  mostly: null,
  example: "",
});
const waiver = (upTo: number): Waiver => ({
  metric: "p99",
  estimator: null,
  scenario: "echo",
  service: "api",
  upTo,
  reason: "caching is off",
  owner: "somebody",
  expires: "2026-12-31",
});

interface Given {
  values: RoundValue[];
  zeros?: number;
  waiver?: Waiver;
  fault?: Fault;
  /** Of the metric. */
  policy?: Hypothesis["policy"];
}
const SLOW = { ...hypothesis.policy, metric: "slow", estimator: "windows" } as const;
const compare = ({ values, zeros = 0, policy: own, ...given }: Given): JudgedComparison =>
  compareAlongside({
    ...{ policy, gating: 3, waiver: null, fault: null, ...given },
    hypothesis: { ...hypothesis, policy: own ?? hypothesis.policy },
    series: { values, zeros, beforeZero: zeros > 0 ? 0 : values.length },
  });

describe("the finding", () => {
  const cases: [string, Given, JudgedComparison["state"], Finding][] = [
    ["worse", { values: many(1.5) }, "regressed", { code: "worse", rounds: 10 }],
    ["the same", { values: many(1) }, "pass", { code: "within", rounds: 5 }],
    ["better", { values: many(0.5) }, "improved", { code: "better", rounds: 5 }],
    ["no round", { values: [] }, "inconclusive", { code: "unmeasured" }],
    [
      "an answer of 0",
      { values: many(1), zeros: 2 },
      "inconclusive",
      { code: "zero", rounds: 20, zeros: 2 },
    ],
    [
      "a few that are worse",
      { values: many(1.5, 3) },
      "inconclusive",
      { code: "likely-worse", rounds: 3, more: 7 },
    ],
    [
      "a few that are the same",
      { values: many(1, 3) },
      "inconclusive",
      { code: "open", rounds: 3, more: 2 },
    ],
    [
      "a few that are worse by less than a waiver accepts",
      { values: many(1.5, 3), waiver: waiver(0.8) },
      "inconclusive",
      { code: "open", rounds: 3, more: 2 },
    ],
    [
      "up and down, in as many rounds as a pass takes",
      { values: rounds([0.5, 2, 0.5, 2, 0.5]) },
      "inconclusive",
      { code: "open", rounds: 5 },
    ],
    [
      "up and down, in more rounds than any answer takes",
      { values: rounds(Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? 2 : 0.5))) },
      "inconclusive",
      { code: "open", rounds: 20 },
    ],
    [
      "a few at the margin",
      { values: many(1.1, 3).map((one) => ({ ...one, d: Math.log1p(0.1) })) },
      "inconclusive",
      { code: "open", rounds: 3, more: 2 },
    ],
    [
      "worse by less than the margin, shown and not proven enough",
      { values: many(1.08, 8).map((one) => ({ ...one, calm: false })) },
      "inconclusive",
      { code: "likely-worse", rounds: 8 },
    ],
    [
      "worse, and accepted",
      { values: many(1.5), waiver: waiver(0.8) },
      "waived",
      { code: "waiver", rounds: 10, expires: "2026-12-31" },
    ],
    [
      "the same, with a waiver that is not needed",
      { values: many(1), waiver: waiver(0.8) },
      "pass",
      { code: "within", rounds: 5 },
    ],
    [
      "worse, of a scenario that cannot be trusted",
      { values: many(1.5), fault: fault("api/echo") },
      "invalid",
      { code: "fault", fault: fault("api/echo") },
    ],
  ];
  test.each(cases)("%s", (_, given, state, finding) => {
    expect(compare(given)).toMatchObject({ against: "alongside", state });
    expect(compare(given).finding).toEqual(finding);
  });
});

describe("the numbers", () => {
  test("are of the rounds that decided; the series has all", () => {
    const compared = compare({ values: many(1.5, 12) });
    expect(compared).toMatchObject({ rounds: 10, reference: 104.5, requestsBeyond: 40 });
    expect(compared.candidate).toBeCloseTo(156.75);
    expect(compared.series.map(({ round }) => round)).toEqual([
      0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11,
    ]);
    expect(compared.series[0]?.d).toBeCloseTo(Math.log(1.5));
  });

  /** Noisy rounds of ten times the level, then calm ones. */
  const afterNoise = (ratio: number, noisy: number, calm: number): RoundValue[] => [
    ...many(ratio, noisy).map((one) => ({
      ...one,
      candidate: 10 * one.candidate,
      reference: 10 * one.reference,
      calm: false,
    })),
    ...many(ratio, calm),
  ];
  test.each<[string, Given, Partial<JudgedComparison>]>([
    [
      "a pass has the values of the calm rounds, which it rests on",
      { values: afterNoise(1, 8, 7) },
      { state: "pass", rounds: 13, reference: 102, candidate: 102 },
    ],
    [
      "so has what a waiver lets pass",
      { values: afterNoise(2, 12, 7), waiver: waiver(2) },
      { state: "waived", rounds: 18, reference: 102.5, candidate: 205 },
    ],
    [
      "no answer yet: those of all",
      { values: afterNoise(1, 5, 2) },
      { state: "inconclusive", rounds: 7, reference: 1010, candidate: 1010 },
    ],
    [
      "a regression: those of all",
      { values: afterNoise(2, 8, 7) },
      { state: "regressed", rounds: 10, reference: 1025, candidate: 2050 },
    ],
  ])("%s", (_, given, shown) => {
    expect(compare(given)).toMatchObject(shown);
  });

  test("a candidate is its reference and the change, whatever the medians of both are", () => {
    const value = fc.double({ min: 1, max: 1e4, noNaN: true });
    const round = fc.record({ candidate: value, reference: value, calm: fc.boolean() });
    const metrics = fc.constantFrom<Hypothesis["policy"]>(hypothesis.policy, SLOW);
    fc.assert(
      fc.property(fc.array(round, { minLength: 1, maxLength: 25 }), metrics, (made, own) => {
        const values = made.map((one, k) => ({
          ...one,
          round: k,
          d: Math.log(one.candidate / one.reference),
          beyond: null,
        }));
        const compared = compare({ values, policy: own });
        const { candidate, reference, estimate, interval, clipped } = compared;
        const seen = Math.log((candidate ?? 0) / (reference ?? 0));
        if (clipped === undefined) expect(seen).toBeCloseTo(estimate ?? Number.NaN, 9);
        else {
          // It is proven, and the values have more of it.
          expect((seen - (estimate ?? 0)) * (estimate ?? 0)).toBeGreaterThan(0);
          expect(Math.max(interval?.low ?? 0, -(interval?.high ?? 0))).toBeGreaterThan(0);
        }
      }),
    );
    const stalls = compare({ values: many(20, 30), policy: SLOW });
    expect(stalls).toMatchObject({ state: "regressed", clipped: true });
    expect((stalls.candidate ?? 0) / (stalls.reference ?? 0)).toBeCloseTo(20, 9);
    expect(compare({ values: many(1.2, 30), policy: SLOW })).not.toHaveProperty("clipped");
  });

  test("what is detected is a matter of how the metric is decided, and of the drift", () => {
    const values = many(1);
    const series = { values, zeros: 0, beforeZero: values.length };
    const asked = { policy, gating: 3, waiver: null, fault: null, series };
    const detectable = (one: Hypothesis) =>
      compareAlongside({ ...asked, hypothesis: one }).detectable;
    // Nothing differs between rounds, so that all but the floor is known.
    expect(detectable(hypothesis)).toBeCloseTo(0.05, 9);
    // A bounded bet takes its time however steady a change is.
    expect(detectable({ ...hypothesis, policy: SLOW })).toBeGreaterThan(0.06);
    const rule = ruleOf(hypothesis.policy, policy, 3);
    const stored = (drift: number, shown: readonly RoundValue[], one = hypothesis) =>
      describeComparison(one, shown, decide(values, rule), { rule, drift });
    // Of stored values by ranks, whatever the metric.
    expect(stored(0, values, { ...hypothesis, policy: SLOW }).detectable).toBeCloseTo(0.05, 9);
    expect(stored(0.1, values).detectable).toBeCloseTo(1.01 * Math.exp(0.1) - 1, 9);
    const alone = values.map((one) => ({ ...one, d: Number.NaN, reference: Number.NaN }));
    expect(stored(0, alone)).toMatchObject({ series: [], reference: null, candidate: 102 });
  });

  test("are none without a round", () => {
    const none = { reference: null, candidate: null, requestsBeyond: null, detectable: null };
    expect(compare({ values: [] })).toMatchObject({ ...none, rounds: 0, series: [] });
  });
});

describe("whose fault it is", () => {
  const echo = fault("api/echo");
  const all = fault(null);
  const cases: [string, string | null, Fault[], Fault | null][] = [
    ["none", "api/echo", [], null],
    ["its own", "api/echo", [fault("api/hello"), echo], echo],
    ["another's", "api/echo", [fault("api/hello")], null],
    ["the run's, before its own", "api/echo", [echo, all], all],
    ["of the load that it is a part of", "api/echo[buy]", [echo], echo],
    [
      "of a part of the same load",
      "api/echo[buy]",
      [fault("api/echo[sell]")],
      fault("api/echo[sell]"),
    ],
    ["a scenario's, of a metric of launches", null, [echo], null],
    ["the run's, of a metric of launches", null, [echo, all], all],
  ];
  test.each(cases)("%s", (_, scenario, faults, expected) => {
    expect(faultOf({ ...hypothesis, scenario }, faults)).toEqual(expected);
  });
});

test.each<[string, { low: number; estimate?: number; waived?: boolean }, Finding["code"]]>([
  ["an interval above 0", { low: 0.01 }, "likely-worse"],
  ["one that begins at 0", { low: 0 }, "open"],
  ["above 0, and waived", { low: 0.01, waived: true }, "open"],
  ["beyond the margin, and waived", { low: 0.01, estimate: 0.2, waived: true }, "likely-worse"],
])("undecided: %s", (_, { low, estimate = 0.05, waived = false }, code) => {
  const known = decide([], ruleOf(hypothesis.policy, policy, 10));
  const decision = { ...known, rounds: 3, estimate, interval: { level: 0.9, low, high: 0.3 } };
  const series = { values: many(1.05, 3), zeros: 0, beforeZero: 3 };
  const fewest = { regress: 11, pass: 5 };
  const terms = { waiver: waived ? waiver(0.1) : null, margin: 0.1, fewest };
  expect(findingOf({ state: "inconclusive", decision, held: null }, series, terms).code).toBe(code);
});
