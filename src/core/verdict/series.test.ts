// From rounds to values: what an arm's value is when it was measured alone, and what a zero does.
import { expect, test } from "vitest";
import { makePolicy, makeSamples, type SamplesRecipe } from "../../../test/support/samples.ts";
import type { Round, Samples, Slice, Window } from "../model/samples.ts";
import { type Hypothesis, listHypotheses } from "./hypotheses.ts";
import { judge, openQuestions } from "./judge.ts";
import { quietValue, readSeries, seriesOf } from "./series.ts";

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
    if (slice.latency !== null)
      slice.latency = { ...slice.latency, p99: 900, p999: 5000, max: 9000 };
  }
  const [mixed] = seriesOf(hypothesis(samples, TYPICAL), samples.rounds);
  expect(mixed?.candidate).toBeCloseTo(100, 9);

  const { policy, ...typical } = hypothesis(samples, TYPICAL);
  if (first.latency === null) throw new Error("no latency");
  for (const [metric, other] of [
    ["p999", 5000],
    ["max", 9000],
  ] as const) {
    const [whole] = seriesOf({ ...typical, policy: { ...policy, metric } }, samples.rounds);
    expect(whole?.candidate, metric).toBeCloseTo(Math.sqrt(first.latency[metric] * other), 6);
  }
});

test("the requests beyond are counted by the window that has fewest", () => {
  const samples = makeSamples({ rounds: 1, noise: 0, compare: "stored" });
  for (const slice of samples.rounds[0]?.scenarios[0]?.slices ?? []) {
    slice.windows = [...windowsOf([100], 240), ...windowsOf([100], 1000)];
  }
  // Four of eight windows, two each.
  expect(seriesOf(hypothesis(samples, TYPICAL), samples.rounds)[0]?.beyond).toBe(8);
});

/** As fast as can be, so that it would show. */
function spoil(slice: Slice | undefined, isVoid: boolean): void {
  if (slice === undefined || slice.latency === null) throw new Error("no slice");
  slice.latency = { ...slice.latency, p99: 1, max: 1 };
  if (isVoid) slice.void = { rule: "incomplete", detail: "" };
}

test.each<[string, "base" | "stored", (slices: Slice[]) => void]>([
  ["a void one of an arm alone", "stored", ([first]) => spoil(first, true)],
  [
    "a void one of the candidate, and the other of its pair",
    "base",
    ([first, second]) => {
      spoil(first, true);
      spoil(second, false);
    },
  ],
  [
    "a void one of the reference, and the other of its pair",
    "base",
    ([first, second]) => {
      spoil(first, false);
      spoil(second, true);
    },
  ],
  [
    "one in which nothing was answered",
    "stored",
    ([first]) => {
      if (first !== undefined) first.latency = null;
    },
  ],
])("a slice that does not count: %s", (_, compare, change) => {
  const samples = makeSamples({ rounds: 1, noise: 0, compare });
  const values = () =>
    [typicalOf({ samples }), slowestOf({ samples })].map((value) => value?.candidate);
  const before = values();
  const slices = samples.rounds[0]?.scenarios[0]?.slices ?? [];
  expect(slices.every((slice) => slice.void === null)).toBe(true);
  change(slices);
  for (const [i, value] of values().entries()) expect(value).toBeCloseTo(before[i] ?? 0, 9);
});

test("slices of one arm have a typical value, and none has none", () => {
  const samples = makeSamples({ rounds: 1, noise: 0, compare: "stored" });
  const slices = samples.rounds[0]?.scenarios[0]?.slices ?? [];
  expect(quietValue("p99", slices)?.value).toBe(typicalOf({ samples })?.candidate);
  expect(quietValue("p99", [])).toBeNull();
});

const launchesOf = ({ launches }: Round) => {
  if (launches === null || launches.reference === null) throw new Error("no launches");
  return [launches.candidate, launches.reference] as const;
};

test.each<[string, (round: Round) => void, zeros?: number]>([
  [
    "of another service",
    (round) => {
      round.service = "other";
    },
  ],
  [
    "that failed",
    (round) => {
      round.failure = { kind: "crash", arm: "candidate", scenario: null, text: "", detail: "" };
    },
  ],
  [
    "without launches",
    (round) => {
      round.launches = null;
    },
  ],
  [
    "without a value of the candidate",
    (round) => {
      launchesOf(round)[0].values = {};
    },
  ],
  [
    "without a value of the reference",
    (round) => {
      launchesOf(round)[1].values = {};
    },
  ],
  [
    "with a zero of the reference",
    (round) => {
      launchesOf(round)[1].values.rss = 0;
    },
    1,
  ],
])("a round has no value of a launch: one %s", (_, change, zeros = 0) => {
  const samples = makeSamples({ rounds: 3, noise: 0 });
  const [, second] = samples.rounds;
  if (second === undefined) throw new Error("no round");
  change(second);
  const series = readSeries(hypothesis(samples, "api rss"), samples.rounds);
  expect(series.values.map(({ round }) => round)).toEqual([0, 2]);
  expect(series.zeros).toBe(zeros);
});

test.each<[string, (round: Round) => void]>([
  [
    "the candidate answered nothing",
    ({ scenarios: [first] }) => {
      if (first !== undefined) first.arms.candidate.pooled = null;
    },
  ],
  [
    "no slice was answered",
    ({ scenarios: [first] }) => {
      for (const slice of first?.slices ?? []) slice.latency = null;
    },
  ],
  [
    "no pair counts",
    ({ scenarios: [first] }) => {
      for (const slice of first?.slices ?? []) spoil(slice, true);
    },
  ],
])("a round in which %s has no value of a scenario, which is not a zero", (_, change) => {
  const samples = makeSamples({ rounds: 1, noise: 0 });
  for (const round of samples.rounds) change(round);
  const typical = hypothesis(samples, TYPICAL);
  const slow = { metric: "slow", estimator: "windows" } as const;
  for (const policy of [typical.policy, { ...typical.policy, ...slow }]) {
    expect(readSeries({ ...typical, policy }, samples.rounds)).toEqual({
      values: [],
      zeros: 0,
      beforeZero: 0,
    });
  }
});

/** One round of identical arms, whose slices are cut into the windows that `cut` makes of them. */
function cutRound(cut: (slice: Slice) => Window[]): { samples: Samples; slices: Slice[] } {
  const samples = makeSamples({ rounds: 1, noise: 0 });
  const slices = samples.rounds[0]?.scenarios[0]?.slices ?? [];
  for (const slice of slices) slice.windows = cut(slice);
  return { samples, slices };
}

const lagging = (lags: readonly number[], p99s: readonly number[]): Window[] =>
  windowsOf(p99s).map((window, k) => ({ ...window, lagMax: lags[k] ?? 0 }));

function typicalOf({ samples }: { samples: Samples }) {
  return seriesOf(hypothesis(samples, TYPICAL), samples.rounds)[0];
}

test("the typical value is that of calm windows, where half of each arm's are", () => {
  // The quieter of all windows are those in which the generator was stopped.
  const half = cutRound(() => lagging([9000, 9000, 100, 100], [50, 50, 200, 800]));
  expect(typicalOf(half)).toMatchObject({ calm: true, d: 0 });
  expect(typicalOf(half)?.candidate).toBeCloseTo(200, 9);

  const fewer = cutRound(() => lagging([9000, 9000, 9000, 100], [50, 50, 200, 800]));
  expect(typicalOf(fewer)).toMatchObject({ calm: false });
  expect(typicalOf(fewer)?.candidate).toBeCloseTo(50, 9);
});

test("one arm's noise decides for both: all windows, and no calm value", () => {
  for (const noisy of ["candidate", "reference"] as const) {
    const one = cutRound(({ arm }) =>
      lagging(arm === noisy ? [9000, 9000, 9000, 100] : [9000, 100, 100, 100], [50, 50, 200, 800]),
    );
    expect(typicalOf(one), noisy).toMatchObject({ calm: false });
    expect(typicalOf(one)?.candidate).toBeCloseTo(50, 9);
    expect(typicalOf(one)?.reference).toBeCloseTo(50, 9);
  }
});

const withMax = (maxima: readonly (number | undefined)[], lags: readonly number[] = []): Window[] =>
  lagging(
    lags,
    maxima.map(() => 50),
  ).map((window, k) => ({ ...window, ...(maxima[k] === undefined ? {} : { max: maxima[k] }) }));

function slowestOf({ samples }: { samples: Samples }) {
  const typical = hypothesis(samples, TYPICAL);
  const policy = { ...typical.policy, metric: "slow", estimator: "windows" } as const;
  return seriesOf({ ...typical, policy }, samples.rounds)[0];
}

test("the slowest answer is that of every calm window, however slow", () => {
  const rare = cutRound(({ arm }) => withMax([100, 100, 100, arm === "candidate" ? 1600 : 100]));
  expect(slowestOf(rare)?.candidate).toBeCloseTo(200, 9);
  expect(slowestOf(rare)?.reference).toBeCloseTo(100, 9);
  expect(slowestOf(rare)).toMatchObject({ calm: true, beyond: null });

  const stopped = cutRound(() => withMax([9e5, 100, 100, 1600], [9000, 9000]));
  expect(slowestOf(stopped)).toMatchObject({ calm: true, d: 0 });
  expect(slowestOf(stopped)?.candidate).toBeCloseTo(400, 9);
  const worse = cutRound(() => withMax([9e5, 100, 100, 1600], [9000, 9000, 9000]));
  expect(slowestOf(worse)).toMatchObject({ calm: false });
});

test("where too few are calm, the slowest answer is of all windows but those of slow CPUs", () => {
  const slowed = (shares: readonly number[]): Window[] =>
    withMax([9e5, 100, 100, 1600], [9000, 9000, 9000]).map((window, k) => ({
      ...window,
      slowed: shares[k] ?? 0,
    }));
  const check = (shares: readonly number[], value: number): void => {
    const some = cutRound(() => slowed(shares));
    expect(slowestOf(some)).toMatchObject({ calm: false, d: 0 });
    expect(slowestOf(some)?.candidate).toBeCloseTo(value, 6);
  };
  check([0.9], (100 * 100 * 1600) ** (1 / 3));
  check([0.02], (9e5 * 100 * 100 * 1600) ** (1 / 4));
  check([0.9, 0.9, 0.9, 0.9], (9e5 * 100 * 100 * 1600) ** (1 / 4));
  // Both arms must have one.
  const one = cutRound(({ arm }) => slowed(arm === "candidate" ? [0.9] : [0.9, 0.9, 0.9, 0.9]));
  expect(slowestOf(one)).toMatchObject({ calm: false, d: 0 });
});

test("a slice that is not cut is one window of slowest answers, and so is one of an earlier file", () => {
  for (const cut of [() => withMax([undefined, undefined]), () => withMax([undefined, 7])]) {
    const earlier = cutRound(cut);
    const most = earlier.slices.find(({ arm }) => arm === "candidate")?.latency?.max ?? Number.NaN;
    expect(slowestOf(earlier)?.candidate).toBeCloseTo(most, 6);
  }
  const { samples, slices } = cutRound(() => []);
  for (const slice of slices) delete slice.windows;
  expect(slowestOf({ samples })?.candidate).toBeGreaterThan(50);
});

test("a CPU that was taken disturbs all windows of its slice", () => {
  const check = (taken: number, calm: boolean): void => {
    const cut = cutRound(() => lagging([], [100, 200]));
    for (const slice of cut.slices) {
      if (slice.pair < taken) slice.host = { ...slice.host, foreign: 0.3 };
    }
    expect(typicalOf(cut)?.calm, `${taken} of 4 pairs`).toBe(calm);
  };
  check(0, true);
  check(2, true);
  check(3, false);
});

test("a pooled value is calm where no slice that counts was disturbed; a launch's always is", () => {
  const check = (change: (slice: Slice) => void, calm: boolean, which = 0): void => {
    const samples = makeSamples({ rounds: 1, noise: 0 });
    const slices = samples.rounds[0]?.scenarios[0]?.slices ?? [];
    const slice = slices[which];
    if (slice === undefined) throw new Error("no slice");
    change(slice);
    const of = (id: string) => seriesOf(hypothesis(samples, id), samples.rounds)[0]?.calm;
    expect(of("api/echo p99 pooled")).toBe(calm);
    expect(of("api rss")).toBe(true);
  };
  const steal = (slice: Slice): void => {
    slice.host = { ...slice.host, steal: 0.2 };
  };
  check(() => {}, true);
  check(steal, false, 0);
  check(steal, false, 1);
  // A stop in one window that the slice's own lag does not show moves no p99 of all requests.
  check((slice) => {
    slice.windows = lagging([9000, 100], [100, 100]);
  }, true);
});

test("slices that files of versions before hold as void do not count", () => {
  const samples = makeSamples({ rounds: 1, noise: 0, voidShare: 0.5 });
  const slices = samples.rounds[0]?.scenarios[0]?.slices ?? [];
  for (const slice of slices.filter((one) => one.void !== null)) {
    slice.lag = { p50: 1e5, p99: 1e6, max: 1e6 };
  }
  expect(slices.some((slice) => slice.void !== null)).toBe(true);
  expect(typicalOf({ samples })?.calm).toBe(true);
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
  const { cautions } = judge({ samples, baselines: [] });
  expect(cautions.filter(({ code }) => code === "thin")).toMatchObject([
    { scenario: "api/echo", metric: "p99", estimator: "typical", wanted: 10 },
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
    const rounds = 28 - zeros.length;
    expect(one?.finding).toEqual({ code: "zero", rounds, zeros: zeros.length });
    expect(verdict.advice).toContainEqual({ code: "ungate", comparisons: [SWITCHES] });
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

const IDS = ["api/echo", "api/hello"];

/** A round of both scenarios, whose slowest answers are so many times the reference's 100 us. */
function roundOfSlow(ratios: readonly number[], change: (round: Round) => void = () => {}) {
  const samples = makeSamples({ rounds: 1, noise: 0 });
  const { policy } = samples.config;
  policy.metrics = [makePolicy("slow", "windows", "gate", [0.4, 0.1, 0])];
  policy.slowOfServices = true;
  const [round] = samples.rounds;
  if (round === undefined) throw new Error("no round");
  for (const { scenario, slices } of round.scenarios) {
    const ratio = ratios[IDS.indexOf(scenario)] ?? Number.NaN;
    for (const { arm, latency } of slices) {
      if (latency !== null) latency.max = arm === "candidate" ? 100 * ratio : 100;
    }
  }
  change(round);
  return seriesOf(hypothesis(samples, "api slow"), samples.rounds);
}

test("a service's slowest answers: the mean of its scenarios' log ratios, each weighted by its size", () => {
  const check = (ratios: readonly number[], ratio: number, candidate: number): void => {
    const [value] = roundOfSlow(ratios);
    expect(value?.d).toBeCloseTo(Math.log(ratio), 9);
    expect(value?.candidate).toBeCloseTo(candidate, 9);
    expect(value).toMatchObject({ round: 0, beyond: null, calm: true });
  };
  check([1, 1], 1, 100);
  check([2, 1], 2, 200);
  check([1, 1 / 2], 1 / 2, 50);
  check([2, 2], 2, 200);
  check([4, 2], 2 ** (5 / 3), 400);
  check([8, 1 / 2], 4, 800);
  check([4, 1 / 2], 2, 400);
});

test("a round without all of a service's scenarios says nothing of it, and is calm if all are", () => {
  expect(roundOfSlow([2, 1], ({ scenarios }) => scenarios.pop())).toEqual([]);
  const given = ({ scenarios: [, hello] }: Round): void => {
    if (hello?.arms.reference != null) hello.arms.reference.pooled = null;
  };
  expect(roundOfSlow([2, 1], given)).toEqual([]);
  const noisy = ({ scenarios: [, hello] }: Round): void => {
    for (const { host } of hello?.slices ?? []) host.steal = 0.5;
  };
  expect(roundOfSlow([2, 1], noisy)).toMatchObject([{ calm: false }]);
});

test("PSS stands for RSS alone, and for no value that is missing or zero", () => {
  const samples = makeSamples({ rounds: 3, noise: 0 });
  samples.config.policy.metrics.push(makePolicy("rssPeak", "launch", "gate", [0.1, 0.05, 0]));
  const [of, missing, zero] = samples.rounds.map(({ launches }) => launches);
  if (of == null || missing?.candidate == null || zero?.candidate == null) throw new Error("none");
  for (const launches of [of, missing, zero]) {
    for (const launch of [launches.candidate, launches.reference]) {
      if (launch !== null) Object.assign(launch.values, { pss: 50, rss: 90, rssPeak: 120 });
    }
    launches.candidate.processes = 4;
  }
  delete missing.candidate.values.pss;
  zero.candidate.values.pss = 0;
  const valuesOf = (metric: string) =>
    readSeries(hypothesis(samples, `api ${metric}`), samples.rounds);
  expect(valuesOf("rss").values).toMatchObject([{ candidate: 50, isPss: true }]);
  expect(valuesOf("rss").zeros).toBe(1);
  const [peak] = valuesOf("rssPeak").values;
  expect(peak).toMatchObject({ candidate: 120 });
  expect(peak).not.toHaveProperty("isPss");
});
