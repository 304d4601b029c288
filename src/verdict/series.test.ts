// From rounds to values: what an arm's value is when it was measured alone, and what a zero does.
import { expect, test } from "vitest";
import { makeSamples, type SamplesRecipe } from "../../test/support/samples.ts";
import type { Samples } from "../model/samples.ts";
import { type Hypothesis, listHypotheses } from "./hypotheses.ts";
import { judge, openQuestions } from "./judge.ts";
import { readSeries, seriesOf } from "./series.ts";

function hypothesis({ config }: Samples, id: string): Hypothesis {
  const found = listHypotheses(config).find((one) => one.id === id);
  if (found === undefined) throw new Error(`no hypothesis ${id}`);
  return found;
}

const TYPICAL = "api/echo p99 typical";

test("the typical value of an arm alone is its quieter half's", () => {
  const samples = makeSamples({ rounds: 1, noise: 0, compare: "stored" });
  const slices = samples.rounds[0]?.scenarios[0]?.slices ?? [];
  for (const [i, slice] of slices.entries()) {
    if (slice.latency !== null) slice.latency.p99 = [400, 100, 9000, 900][i] ?? Number.NaN;
  }
  const [value] = seriesOf(hypothesis(samples, TYPICAL), samples.rounds);
  expect(value?.candidate).toBeCloseTo(200, 9);
  expect(value).toMatchObject({ reference: Number.NaN, d: Number.NaN });
});

test("the typical value rests on the requests beyond the quantile in the quieter slices", () => {
  const check = (compare: "base" | "stored", requests: number, beyond: number): void => {
    const samples = makeSamples({ rounds: 1, noise: 0, compare });
    for (const slice of samples.rounds[0]?.scenarios[0]?.slices ?? []) {
      if (slice.latency !== null) slice.latency.requests = requests;
    }
    const [value] = seriesOf(hypothesis(samples, TYPICAL), samples.rounds);
    expect(value?.beyond, `${compare} ${requests}`).toBe(beyond);
  };
  // Two of four slices: two requests at 200 each, one at 100.
  check("base", 200, 4);
  check("base", 100, 2);
  check("stored", 100, 2);
});

test("a value that rests on a request a slice is thin", () => {
  const samples = makeSamples({ rounds: 16, noise: 0.02 });
  for (const { scenarios } of samples.rounds) {
    for (const slice of scenarios[0]?.slices ?? []) {
      if (slice.latency !== null) slice.latency.requests = 100;
    }
  }
  const thin = judge({ samples, baselines: [] }).warnings.filter(({ kind }) => kind === "thin");
  expect(thin.map(({ text }) => text.slice(0, 44))).toEqual([
    "api/echo p99 (typical) is thin: it rests on ",
  ]);
});

/** Gates a metric that can be 0, and is in these rounds. */
function withZeros(zeros: readonly number[], recipe: Partial<SamplesRecipe> = {}): Samples {
  const samples = makeSamples({ rounds: 28, noise: 0.02, ...recipe });
  const [policy] = samples.config.policy.metrics.filter(({ metric }) => metric === "rss");
  if (policy === undefined) throw new Error("rss is gated");
  policy.metric = "ctxInvoluntaryPer1k";
  for (const { index, launches } of samples.rounds) {
    for (const launch of [launches?.candidate, launches?.reference]) {
      if (launch == null) continue;
      const { rss = 0 } = launch.values;
      const isZero = zeros.includes(index) && launch === launches?.candidate;
      launch.values = { ctxInvoluntaryPer1k: isZero ? 0 : rss };
    }
  }
  return samples;
}

const SWITCHES = "api ctxInvoluntaryPer1k";

test("rounds with a zero are counted, not forgotten", () => {
  const samples = withZeros([3, 9]);
  const { values, zeros, beforeZero } = readSeries(hypothesis(samples, SWITCHES), samples.rounds);
  expect([values.length, zeros, beforeZero]).toEqual([26, 2, 3]);
});

test("from the first round with a zero on nothing is decided, and nothing is measured for it", () => {
  const check = (zeros: number[], state: string, recipe: Partial<SamplesRecipe> = {}): void => {
    const samples = withZeros(zeros, recipe);
    const verdict = judge({ samples, baselines: [] });
    const one = verdict.comparisons.find(({ id }) => id === SWITCHES);
    expect(one?.state, zeros.join()).toBe(state);
    if (state !== "inconclusive") return;
    expect(verdict.state).toBe("inconclusive");
    expect(one?.reason).toContain(`is 0 in ${zeros.length} of 28 rounds`);
    expect(verdict.next.join("\n")).toMatch(/cannot be gated: set the level of api .* to warn/);
    const open = openQuestions({ samples, baselines: [] });
    expect([...open.unanswerable]).toEqual([SWITCHES]);
    expect(open.services.size).toBe(0);
  };
  check([], "pass");
  check([0, 5], "inconclusive");
  check([5], "inconclusive", { rssRatio: { api: 1.5 } });
  // Eight rounds had decided before.
  check([20], "pass");
  const decided = openQuestions({ samples: withZeros([20]), baselines: [] });
  expect(decided.unanswerable.size).toBe(0);
});
