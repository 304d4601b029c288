// What makes a measurement invalid: an arm's own answers by a count of theirs, a generator that
// never managed, and never the host.
import { expect, test } from "vitest";
import { makeSamples } from "../../../test/support/samples.ts";
import type { Arm, Samples, Slice, SliceRule } from "../model/samples.ts";
import type { Verdict } from "../model/verdict.ts";
import { describeVerdict } from "../report/words/verdict.ts";
import { judge } from "./judge.ts";
import { cannotRecover, findFaults, lostScenarios } from "./validity.ts";

/** Marks the first `count` slices of an arm of api/echo, as its answers or the host made them. */
function spoil(samples: Samples, arm: Arm, rule: SliceRule, count: number): Samples {
  const own = slicesOf(samples, arm);
  for (const slice of own.slice(0, count)) {
    slice.void = { rule, detail: `12 of 1000 by ${rule}` };
    if (rule === "status") slice.statuses = { "200": 988, "503": 12 };
    if (rule === "transport") slice.errors = { "operation timed out": 12 };
  }
  return samples;
}

function slicesOf(samples: Samples, arm: Arm): Slice[] {
  return samples.rounds
    .flatMap(({ scenarios }) => scenarios.filter(({ scenario }) => scenario === "api/echo"))
    .flatMap(({ slices }) => slices)
    .filter((slice) => slice.arm === arm);
}

/** 32 rounds of 4 slices an arm: 2 % of 128 is 2.56. */
const good = (): Samples => makeSamples({ rounds: 32, noise: 0.02 });

const worded = (samples: Samples): Verdict => describeVerdict(judge({ samples, baselines: [] }));

const kinds = (samples: Samples): string[] => findFaults(samples).map(({ kind }) => kind);

test("an arm's wrong answers are counted by arm, not diluted by the other", () => {
  const check = (arm: Arm, rule: SliceRule, count: number, expected: string[]): void => {
    expect(kinds(spoil(good(), arm, rule, count)), `${arm} ${rule} ${count}`).toEqual(expected);
  };
  for (const rule of ["status", "transport", "unanswered", "service-gone"] as const) {
    check("candidate", rule, 2, []);
    check("candidate", rule, 3, ["errors"]);
    check("reference", rule, 3, ["errors"]);
  }
  for (const rule of ["generator-busy", "incomplete"] as const) check("candidate", rule, 60, []);
  // As files of versions before have them.
  for (const rule of ["lag", "steal", "foreign-cpu", "throttled"] as const) {
    check("candidate", rule, 60, []);
  }
  const both = spoil(spoil(good(), "candidate", "status", 3), "reference", "transport", 3);
  expect(kinds(both)).toEqual(["errors", "errors"]);
});

test("a single slice is an accident, however few there are", () => {
  const few = (): Samples => makeSamples({ rounds: 2, noise: 0.02, state: "running" });
  expect(kinds(spoil(few(), "candidate", "status", 1))).toEqual([]);
  expect(kinds(spoil(few(), "candidate", "status", 2))).toEqual(["errors"]);
});

test("the fault names arm, scenario, count, the worst status and an example, and what to do", () => {
  const verdict = worded(spoil(good(), "candidate", "status", 5));
  expect(verdict.state).toBe("invalid");
  expect(verdict.headline).toBe(
    "invalid measurement: api/echo: requests to the candidate went wrong in 5 of 128 measurements, mostly 503 (60 ×); the last: 12 of 1000 by status; the other 3 gated metrics are within their limits",
  );
  expect(verdict.next.join("\n")).toMatch(/Try the scenario's request by hand.*\n.*errorBudget/);
  const late = worded(spoil(good(), "reference", "transport", 5));
  expect(late.headline).toContain(
    "the reference went wrong in 5 of 128 measurements, mostly operation timed out (60 ×)",
  );
});

test("fewer are a warning, and never counted as the host's", () => {
  const { state, warnings } = worded(spoil(good(), "candidate", "status", 2));
  expect(state).toBe("pass");
  expect(warnings.find(({ kind }) => kind === "errors")).toMatchObject({
    text: "api/echo: requests to the candidate went wrong in 2 of 128 measurements, mostly 503 (24 ×); the last: 12 of 1000 by status. They were measured again.",
  });
  expect(warnings.map(({ kind }) => kind)).not.toContain("void");
});

test("what an error budget let through is told", () => {
  const samples = good();
  samples.config.policy.errorBudget = 0.02;
  for (const slice of slicesOf(samples, "candidate").slice(0, 10)) {
    slice.statuses = { "200": 985, "500": 10 };
    slice.errors = { "operation timed out": 5 };
  }
  const { state, warnings } = worded(samples);
  expect(state).toBe("pass");
  expect(warnings.filter(({ kind }) => kind === "errors")).toMatchObject([
    {
      text: "api/echo: requests failed or were not answered with 200, within the error budget of 2 %: 150 of 128000 of the candidate, 0 of 128000 of the reference. Quantiles are of what was answered.",
    },
  ]);
});

/** As rounds are in which a scenario is given up after three tries at its first pair. */
function givenUp(rounds: number, rule: SliceRule, arms: readonly Arm[]): Samples {
  const samples = makeSamples({ rounds, noise: 0.02 });
  for (const round of samples.rounds) {
    const [entry] = round.scenarios;
    if (entry === undefined) continue;
    entry.slices = [0, 1, 2].flatMap((attempt) =>
      entry.slices.slice(0, 2).map((slice) => ({ ...structuredClone(slice), pair: 0, attempt })),
    );
    entry.arms.candidate.pooled = null;
    if (entry.arms.reference !== null) entry.arms.reference.pooled = null;
  }
  for (const arm of arms) spoil(samples, arm, rule, 3 * rounds);
  return samples;
}

const isLost = (samples: Samples): boolean => lostScenarios(samples).has("api/echo");

test("errors in every slice end a scenario early, a few do not", () => {
  expect(isLost(givenUp(3, "status", ["candidate"]))).toBe(false);
  expect(isLost(givenUp(4, "status", ["candidate"]))).toBe(true);
  // The other scenario goes on.
  expect(cannotRecover(givenUp(4, "status", ["candidate"]))).toBe(false);
  // Half of all slices, and none of them the host's.
  expect(kinds(givenUp(4, "status", ["candidate"]))).toEqual(["errors"]);
  const few = spoil(makeSamples({ rounds: 8, noise: 0.02 }), "candidate", "status", 2);
  expect(kinds(few)).toEqual(["errors"]);
  expect(isLost(few)).toBe(false);
  expect(isLost(spoil(makeSamples({ rounds: 8, noise: 0.02 }), "candidate", "status", 4))).toBe(
    true,
  );
});

test("a host that disturbs every slice makes nothing invalid", () => {
  const samples = good();
  for (const slice of slicesOf(samples, "candidate").concat(slicesOf(samples, "reference"))) {
    slice.host = { ...slice.host, steal: 0.5, foreign: 0.4, throttled: 9 };
    slice.lag = { p50: 5e4, p99: 4e5, max: 9e5 };
  }
  expect(findFaults(samples)).toEqual([]);
  expect(cannotRecover(samples)).toBe(false);
  expect(judge({ samples, baselines: [] }).state).not.toBe("invalid");
});

test("a generator that a busy host keeps from sending makes nothing invalid, one that fails by itself does", () => {
  const check = (foreign: number, rule: SliceRule, state: string): void => {
    const samples = givenUp(4, rule, ["candidate", "reference"]);
    for (const arm of ["candidate", "reference"] as const) {
      for (const slice of slicesOf(samples, arm)) slice.host = { ...slice.host, foreign };
    }
    expect(isLost(samples), `${foreign} ${rule}`).toBe(state === "invalid");
    const verdict = judge({ samples, baselines: [] });
    expect(verdict.state, `${foreign} ${rule}`).toBe(state);
    const blamesHost = verdict.advice.some(({ code }) => code === "quiet-machine");
    expect(blamesHost, `${foreign} ${rule}`).toBe(state === "inconclusive");
  };
  check(0.9, "incomplete", "inconclusive");
  check(0.01, "incomplete", "invalid");
  check(0.9, "generator-busy", "invalid");
  check(0.9, "status", "invalid");
});

test("a generator that never manages ends a scenario after four rounds, and is to blame", () => {
  const check = (rounds: number, hopeless: boolean): void => {
    const samples = givenUp(rounds, "generator-busy", ["candidate"]);
    samples.run.state = "running";
    expect(isLost(samples), String(rounds)).toBe(hopeless);
  };
  check(3, false);
  check(4, true);
});

test("a scenario that was never measured says why", () => {
  const samples = givenUp(4, "generator-busy", ["candidate"]);
  expect(findFaults(samples)).toEqual([
    {
      scenario: "api/echo",
      kind: "missing",
      rule: "generator-busy",
      voided: 12,
      slices: 24,
      example: "12 of 1000 by generator-busy",
      ended: "answered",
    },
  ]);
  expect(judge({ samples, baselines: [] }).advice).toEqual([{ code: "relieve-generator" }]);
  const [unseen] = findFaults(makeSamples({ rounds: 4, noise: 0, omitScenario: "api/echo" }));
  expect(unseen).toMatchObject({
    kind: "missing",
    rule: null,
    slices: 0,
  });
});
