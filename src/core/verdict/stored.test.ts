// Against stored values: every gated question is asked, none without a counterpart passes, and what
// cannot be told is not measured.
import { expect, test } from "vitest";
import { NIGHTS, recorded } from "../../../test/support/baseline-update-cases.ts";
import { nightOf } from "../../../test/support/history.ts";
import { makeSamples, type SamplesRecipe } from "../../../test/support/samples.ts";
import { makeSteadySamples, STEADY, STEADY_NIGHTS } from "../../../test/support/stored.ts";
import type { Baseline } from "../model/baseline.ts";
import type { HistoryRecord } from "../model/history.ts";
import type { Samples } from "../model/samples.ts";
import type { ComparisonState, VerdictState } from "../model/verdict.ts";
import { baselineKey } from "../model/workload.ts";
import { describeFinding } from "../report/words/findings.ts";
import { listHypotheses } from "./hypotheses.ts";
import { judge, openQuestions } from "./judge.ts";
import { findFaults } from "./validity.ts";

const STORED = recorded(0, { noise: 0.01 });

const alone = (recipe: Partial<SamplesRecipe> = {}): Samples =>
  makeSamples({ rounds: 28, noise: 0.01, seed: 77, compare: "stored", ...recipe });

function check(
  samples: Samples,
  baseline: Baseline,
  state: VerdictState,
  states: Record<string, ComparisonState> = {},
  history: readonly HistoryRecord[] = STEADY_NIGHTS,
): void {
  const verdict = judge({ samples, baselines: [baseline], history });
  expect(verdict.state, JSON.stringify(verdict.causes)).toBe(state);
  for (const [id, wanted] of Object.entries(states)) {
    const one = verdict.comparisons.find((comparison) => comparison.id.startsWith(`${id} `));
    expect(one?.state, JSON.stringify(one?.finding)).toBe(wanted);
  }
}

const rest = <T>(key: string, values: Record<string, T>): Record<string, T> =>
  Object.fromEntries(Object.entries(values).filter(([name]) => name !== key));

const withoutValue = (key: string): Baseline => ({ ...STEADY, metrics: rest(key, STEADY.metrics) });

const withoutSeries = (
  id: string,
  history: readonly HistoryRecord[] = STEADY_NIGHTS,
): HistoryRecord[] => history.map((record) => ({ ...record, series: rest(id, record.series) }));

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
  const { comparisons } = judge({ samples, baselines: [STEADY], history: STEADY_NIGHTS });
  expect(comparisons.map(({ id }) => id)).toEqual(
    gated.map(({ id }) => `${id} against the stored baseline`),
  );
});

test.each(Object.keys(STEADY.metrics))("without a stored %s nothing passes", (key) => {
  check(makeSteadySamples(), withoutValue(key), "no-baseline");
  check(makeSteadySamples(), STEADY, "inconclusive", {}, withoutSeries(`api/${key}`));
});

test("what no round can answer is never open", () => {
  const started = { ...alone({ rounds: 0, state: "running" }), rounds: [] };
  const open = (baseline: Baseline, history = NIGHTS) =>
    openQuestions({ samples: started, baselines: [baseline], history });
  expect(open(STORED).hypotheses.size).toBe(5);
  expect(open(STORED).unanswerable.size).toBe(0);
  const typical = "api/echo p99 typical against the stored baseline";
  const key = "echo/p99Typical";
  const cases = [
    open({ ...STORED, metrics: rest(key, STORED.metrics) }),
    open(STORED, withoutSeries(`api/${key}`, NIGHTS)),
  ];
  for (const { hypotheses, unanswerable } of cases) {
    expect(hypotheses.size).toBe(4);
    expect([...unanswerable]).toEqual([typical]);
  }
  expect(open(STORED, []).hypotheses.size).toBe(0);
  const elsewhere = { ...STORED, fingerprint: { ...STORED.fingerprint, kernel: "7.0" } };
  expect(open(elsewhere).unanswerable.size).toBe(5);
});

test("a run that measured nothing because nothing could be told says so, and is not broken", () => {
  const samples = { ...alone({ rounds: 0 }), rounds: [] };
  expect(findFaults(samples)).toHaveLength(2);
  const young = judge({ samples, baselines: [STORED] });
  expect(young.state).toBe("inconclusive");
  expect(young.causes[0]?.finding).toEqual({
    code: "no-drift",
    rounds: 0,
    needed: 6,
    nights: 0,
    ready: null,
  });
  expect(young.advice).toEqual([{ code: "record-more-days" }]);
  expect(judge({ samples, baselines: [] }).state).toBe("no-baseline");
  expect(judge({ samples, baselines: [STORED], history: NIGHTS }).state).toBe("invalid");
});

test("before there is enough, it is shown with what is known, what is missing, and when it will be there", () => {
  const samples = makeSteadySamples({ rss: 1.2 });
  const history = [-2, -1, 0].map((day) => nightOf({ day }));
  const { state, comparisons } = judge({ samples, baselines: [STEADY], history });
  expect(state).toBe("inconclusive");
  const rss = comparisons.find(({ metric }) => metric === "rss");
  expect(rss).toMatchObject({
    state: "inconclusive",
    estimate: expect.closeTo(Math.log(1.2), 2),
    finding: { code: "no-drift", rounds: 12, nights: 3, needed: 6, ready: "2026-01-04" },
  });
  expect(rss === undefined ? "" : describeFinding(rss)).toMatch(
    /^api RSS after load is \+20\.\d % .* against the stored baseline; this machine's drift is not known yet: the history has 3 of 6 nights, and the night of 2026-01-04 is the last of them, so this is context only$/,
  );
});

test("fewer rounds can be asked for", () => {
  const samples = makeSteadySamples({ rss: 1.12 });
  const all = openQuestions({ samples, baselines: [STEADY], history: STEADY_NIGHTS });
  expect([...all.services]).toEqual(["api"]);
  expect(
    openQuestions({ samples, baselines: [STEADY], history: STEADY_NIGHTS, mostRounds: 12 })
      .hypotheses.size,
  ).toBe(0);
});

test("a zero of the candidate alone is told too", () => {
  const samples = makeSteadySamples();
  const launch = samples.rounds[3]?.launches?.candidate;
  if (launch !== undefined) launch.values.rss = 0;
  check(samples, STEADY, "inconclusive", { "api rss": "inconclusive" });
  const { causes, advice } = judge({ samples, baselines: [STEADY], history: STEADY_NIGHTS });
  expect(causes[0]?.finding).toEqual({ code: "zero", rounds: 11, zeros: 1 });
  expect(advice.map(({ code }) => code)).toContain("ungate");
});
