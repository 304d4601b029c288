// Against stored values: every gated question is asked, none without a counterpart passes, and what
// cannot be told is not measured.
import { expect, test } from "vitest";
import { recorded } from "../../../test/support/baseline-update-cases.ts";
import { makeSamples, type SamplesRecipe } from "../../../test/support/samples.ts";
import { makeSteadySamples, STEADY } from "../../../test/support/stored.ts";
import type { Baseline } from "../model/baseline.ts";
import type { Samples } from "../model/samples.ts";
import type { ComparisonState, VerdictState } from "../model/verdict.ts";
import { baselineKey } from "../model/workload.ts";
import { listHypotheses } from "./hypotheses.ts";
import { judge, openQuestions } from "./judge.ts";
import { findFaults } from "./validity.ts";

const STORED = recorded(8, { noise: 0.01 });

const alone = (recipe: Partial<SamplesRecipe> = {}): Samples =>
  makeSamples({ rounds: 28, noise: 0.01, seed: 77, compare: "stored", ...recipe });

function check(
  samples: Samples,
  baseline: Baseline,
  state: VerdictState,
  states: Record<string, ComparisonState> = {},
): void {
  const verdict = judge({ samples, baselines: [baseline] });
  expect(verdict.state, JSON.stringify(verdict.causes)).toBe(state);
  for (const [id, wanted] of Object.entries(states)) {
    const one = verdict.comparisons.find((comparison) => comparison.id.startsWith(`${id} `));
    expect(one?.state, JSON.stringify(one?.finding)).toBe(wanted);
  }
}

function without(key: string, from: "metrics" | "history", baseline: Baseline): Baseline {
  const rest = <T>(values: Record<string, T>): Record<string, T> =>
    Object.fromEntries(Object.entries(values).filter(([name]) => name !== key));
  if (from === "metrics") return { ...baseline, metrics: rest(baseline.metrics) };
  const history = baseline.history.map((entry) => ({ ...entry, medians: rest(entry.medians) }));
  return { ...baseline, history };
}

test("what every stored value shows to be within its margin passes", () => {
  check(makeSteadySamples(), STEADY, "pass");
});

test("a tail of 60 % more does not pass, although the pooled margin is 100 %", () => {
  check(makeSteadySamples({ "echo/p99": 1.6, "echo/p99Typical": 1.6 }), STEADY, "inconclusive", {
    "api/echo p99 pooled": "worse-within",
    "api/echo p99 typical": "inconclusive",
  });
  check(makeSteadySamples({ "echo/p99Typical": 1.6 }, 16), STEADY, "regressed", {
    "api/echo p99 typical": "regressed",
  });
});

test("noise of another day blames nobody: calm rounds alone are compared", () => {
  const slow = makeSteadySamples({ "echo/p99Typical": 1.6 }, 16);
  for (const { scenarios } of slow.rounds) {
    for (const { host } of scenarios.flatMap(({ slices }) => slices)) host.foreign = 0.4;
  }
  check(slow, STEADY, "inconclusive", {
    "api/echo p99 typical": "inconclusive",
    "api rss": "pass",
  });
});

test("every gated question has its own key, and is asked", () => {
  const samples = makeSteadySamples();
  const gated = listHypotheses(samples.config).filter(({ policy }) => policy.level === "gate");
  expect(gated.map(baselineKey)).toEqual([
    "echo/p99Typical",
    "echo/p99",
    "hello/p99Typical",
    "hello/p99",
    "rss",
  ]);
  const { comparisons } = judge({ samples, baselines: [STEADY] });
  expect(comparisons.map(({ id }) => id)).toEqual(
    gated.map(({ id }) => `${id} against the stored baseline`),
  );
});

test.each(Object.keys(STEADY.metrics))("without a stored %s nothing passes", (key) => {
  check(makeSteadySamples(), without(key, "metrics", STEADY), "no-baseline");
  check(makeSteadySamples(), without(key, "history", STEADY), "inconclusive");
});

test("what no round can answer is never open", () => {
  const started = { ...alone({ rounds: 0, state: "running" }), rounds: [] };
  const open = (baseline: Baseline) => openQuestions({ samples: started, baselines: [baseline] });
  expect(open(STORED).hypotheses.size).toBe(5);
  expect(open(STORED).unanswerable.size).toBe(0);
  const typical = "api/echo p99 typical against the stored baseline";
  for (const from of ["metrics", "history"] as const) {
    const { hypotheses, unanswerable } = open(without("echo/p99Typical", from, STORED));
    expect(hypotheses.size, from).toBe(4);
    expect([...unanswerable], from).toEqual([typical]);
  }
  expect(open(recorded(1)).hypotheses.size).toBe(0);
  const elsewhere = { ...STORED, fingerprint: { ...STORED.fingerprint, kernel: "7.0" } };
  expect(open(elsewhere).unanswerable.size).toBe(5);
});

test("a run that measured nothing because nothing could be told says so, and is not broken", () => {
  const samples = { ...alone({ rounds: 0 }), rounds: [] };
  expect(findFaults(samples)).toHaveLength(2);
  const young = judge({ samples, baselines: [recorded(1)] });
  expect(young.state).toBe("inconclusive");
  expect(young.causes[0]?.finding).toEqual({ code: "no-drift", rounds: 0, needed: 6 });
  expect(young.advice).toEqual([{ code: "record-more-days" }]);
  expect(judge({ samples, baselines: [] }).state).toBe("no-baseline");
  expect(judge({ samples, baselines: [STORED] }).state).toBe("invalid");
});

test("fewer rounds can be asked for", () => {
  const samples = makeSteadySamples({ rss: 1.12 });
  const all = openQuestions({ samples, baselines: [STEADY] });
  expect([...all.services]).toEqual(["api"]);
  expect(openQuestions({ samples, baselines: [STEADY], mostRounds: 12 }).hypotheses.size).toBe(0);
});

test("a zero of the candidate alone is told too", () => {
  const samples = makeSteadySamples();
  const launch = samples.rounds[3]?.launches?.candidate;
  if (launch !== undefined) launch.values.rss = 0;
  check(samples, STEADY, "inconclusive", { "api rss": "inconclusive" });
  const { causes, advice } = judge({ samples, baselines: [STEADY] });
  expect(causes[0]?.finding).toEqual({ code: "zero", rounds: 11, zeros: 1 });
  expect(advice.map(({ code }) => code)).toContain("ungate");
});
