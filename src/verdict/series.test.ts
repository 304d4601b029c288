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

/** Windows of one p99 each; the other quantiles are theirs by a factor. */
const windowsOf = (p99s: readonly number[], requests = 240) =>
  p99s.map((p99) => ({ requests, p50: p99 / 4, p90: p99 / 2, p95: p99 / 2, p99 }));

test("of slices that are cut into windows it is the quieter half of the windows", () => {
  const samples = makeSamples({ rounds: 1, noise: 0, compare: "stored" });
  const slices = samples.rounds[0]?.scenarios[0]?.slices ?? [];
  // Every slice has a spoiled window, so that each slice's own p99 is spoiled.
  for (const slice of slices) {
    if (slice.latency !== null) slice.latency.p99 = 9000;
    slice.windows = windowsOf([100, 9000, 400, 9000]);
  }
  const [value] = seriesOf(hypothesis(samples, TYPICAL), samples.rounds);
  expect(value?.candidate).toBeCloseTo(200, 9);
  // Eight windows of four slices, each with two requests beyond.
  expect(value?.beyond).toBe(16);
});

test("a slice that is not cut is one window, and so is each for a quantile that windows are too short for", () => {
  const samples = makeSamples({ rounds: 1, noise: 0, compare: "stored" });
  const [first, ...others] = samples.rounds[0]?.scenarios[0]?.slices ?? [];
  if (first === undefined) throw new Error("no slice");
  first.windows = windowsOf([100, 100, 100]);
  for (const slice of others) {
    if (slice.latency !== null) slice.latency = { ...slice.latency, p99: 900, p999: 5000 };
  }
  const [mixed] = seriesOf(hypothesis(samples, TYPICAL), samples.rounds);
  expect(mixed?.candidate).toBeCloseTo(100, 9);

  const { policy, ...typical } = hypothesis(samples, TYPICAL);
  const p999 = { ...typical, policy: { ...policy, metric: "p999" as const } };
  const [whole] = seriesOf(p999, samples.rounds);
  if (first.latency === null) throw new Error("no latency");
  expect(whole?.candidate).toBeCloseTo(Math.sqrt(first.latency.p999 * 5000), 6);
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
