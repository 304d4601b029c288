// Against stored values: every gated question is asked, none without a counterpart passes, and what
// cannot be told is not measured.
import { expect, test } from "vitest";
import { NIGHTS, recorded } from "../../../test/support/baseline-update-cases.ts";
import { nightOf } from "../../../test/support/history.ts";
import { makeHost, makeSamples, type SamplesRecipe } from "../../../test/support/samples.ts";
import { makeSteadySamples, STEADY, STEADY_NIGHTS } from "../../../test/support/stored.ts";
import type { Baseline } from "../model/baseline.ts";
import type { Dependency } from "../model/config.ts";
import type { HistoryRecord } from "../model/history.ts";
import type { Fingerprint } from "../model/host.ts";
import type { Samples } from "../model/samples.ts";
import type { ComparisonState, VerdictState } from "../model/verdict.ts";
import { baselineKey, needsOf } from "../model/workload.ts";
import { describeFinding } from "../report/words/findings.ts";
import { describeVerdict } from "../report/words/verdict.ts";
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

test("of a long baseline its first 120 launches are compared, ties included", () => {
  const values = Object.entries(STEADY.metrics).map(([key, [first = 1]]) => {
    return [key, Array.from({ length: 600 }, (_, nth) => (nth < 120 ? first : first / 100))];
  });
  check(makeSteadySamples(), { ...STEADY, metrics: Object.fromEntries(values) }, "pass");
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

test.each(Object.keys(STEADY.metrics))("without a stored %s the rest is judged", (key) => {
  const { comparisons, causes } = judge({
    samples: makeSteadySamples(),
    baselines: [withoutValue(key)],
    history: STEADY_NIGHTS,
  });
  const states = Map.groupBy(comparisons, ({ state }) => state);
  expect(states.get("pass")).toHaveLength(4);
  expect(states.get("no-baseline")).toHaveLength(1);
  expect(causes.map(({ finding }) => finding)).toEqual([{ code: "no-stored-value", key }]);
  check(makeSteadySamples(), withoutValue(key), "pass");
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

const AMD = { architecture: "x64", cpuModel: "AMD EPYC", microcode: "0x9" };
const INTEL = { architecture: "x64", cpuModel: "Intel Xeon" };

/** A baseline of a machine, recorded so many days before the others. */
const of = (
  machine: Partial<Fingerprint>,
  { older = 0, ratios = {} }: { older?: number; ratios?: Record<string, number> } = {},
): Baseline => ({
  ...STEADY,
  fingerprint: makeHost(machine).fingerprint,
  recordedAt: new Date(Date.parse(STEADY.recordedAt) - older * 86_400_000).toISOString(),
  metrics: Object.fromEntries(
    Object.entries(STEADY.metrics).map(([key, values]) => [
      key,
      values.map((value) => value * (ratios[key] ?? 1)),
    ]),
  ),
});

interface Measured {
  on: Partial<Fingerprint>;
  ratios?: Record<string, number>;
  rounds?: number;
}

const measuredOn = ({ on, ratios = {}, rounds = 12 }: Measured): Samples => ({
  ...makeSteadySamples(ratios, rounds),
  host: makeHost(on),
});

const LATENCY = { "echo/p99": 2, "echo/p99Typical": 2, "hello/p99": 2, "hello/p99Typical": 2 };
const slowIntel = of(INTEL, { ratios: LATENCY });

/** The verdict, the state of memory and that of latency. */
test.each<
  [string, Measured, Baseline[], [state: VerdictState, rss: ComparisonState, p99: ComparisonState]]
>([
  ["a first run on a model", { on: AMD }, [of(INTEL)], ["pass", "pass", "no-baseline"]],
  [
    "more memory there",
    { on: AMD, ratios: { rss: 1.1 }, rounds: 16 },
    [of(INTEL)],
    ["regressed", "regressed", "no-baseline"],
  ],
  [
    "what the other model leaves open",
    { on: AMD, ratios: { rss: 1.035 } },
    [of(INTEL)],
    ["no-baseline", "no-baseline", "no-baseline"],
  ],
  ["both models", { on: AMD }, [slowIntel, of(AMD)], ["pass", "pass", "pass"]],
  [
    "both models, on the slower",
    { on: INTEL, ratios: LATENCY },
    [slowIntel, of(AMD)],
    ["pass", "pass", "pass"],
  ],
  [
    "both models, slower than its own",
    { on: AMD, ratios: LATENCY, rounds: 16 },
    [slowIntel, of(AMD)],
    ["regressed", "pass", "regressed"],
  ],
  [
    "its own, although another is newer",
    { on: AMD, ratios: { rss: 1.3 } },
    [of(INTEL), of(AMD, { older: 9, ratios: { rss: 1.3 } })],
    ["pass", "pass", "pass"],
  ],
  [
    "the newest of others",
    { on: { ...AMD, cpuModel: "Third" }, ratios: { rss: 1.3 } },
    [of(AMD, { older: 9 }), of(INTEL, { ratios: { rss: 1.3 } })],
    ["pass", "pass", "no-baseline"],
  ],
  [
    "another's, where its own is of another kernel",
    { on: AMD },
    [of({ ...AMD, kernel: "5.15.0" }), of(INTEL, { older: 9 })],
    ["pass", "pass", "no-baseline"],
  ],
  [
    "another architecture",
    { on: { ...AMD, architecture: "arm64" } },
    [of(INTEL)],
    ["no-baseline", "no-baseline", "no-baseline"],
  ],
  [
    "another model's of an older version",
    { on: AMD },
    [STEADY],
    ["no-baseline", "no-baseline", "no-baseline"],
  ],
])("%s", (_, measured, baselines, [state, rss, p99]) => {
  const verdict = judge({ samples: measuredOn(measured), baselines, history: STEADY_NIGHTS });
  const stateOf = (id: string) =>
    verdict.comparisons.find((one) => one.id.startsWith(`${id} `))?.state;
  expect([verdict.state, stateOf("api rss"), stateOf("api/echo p99 typical")]).toEqual([
    state,
    rss,
    p99,
  ]);
});

test("what is missing is said, and with what else memory is compared", () => {
  const terms = { baselines: [of(INTEL)], history: STEADY_NIGHTS };
  const { summary, reasons, comparisons } = describeVerdict(
    judge({ samples: measuredOn({ on: AMD }), ...terms }),
  );
  expect(summary).toBe(
    "no regression: the gated metric is shown to be within its limit; without a comparable baseline: api/echo p99, api/echo p99 of all requests, api/hello p99 and 1 more; memory is compared with the baseline of Intel Xeon, 2 CPUs",
  );
  expect(reasons[0]).toBe(
    "api/echo p99: there is no baseline of AMD EPYC, 2 CPUs yet (cpuModel: then Intel Xeon, now AMD EPYC)",
  );
  expect(comparisons.find(({ metric }) => metric === "rss")?.reason).toMatch(
    /^api RSS after load is .* against the stored baseline of Intel Xeon, 2 CPUs: shown to be/,
  );
  // What it was measured at is shown all the same.
  expect(comparisons[0]).toMatchObject({
    candidate: expect.closeTo(301.5),
    reference: null,
    rounds: 12,
  });
});

test("what the other machine's memory leaves open is not said to be compared with it", () => {
  const { rss: _, ...metrics } = STEADY.metrics;
  const { state, summary } = describeVerdict(
    judge({
      samples: measuredOn({ on: AMD, ratios: { rss: 1.035 } }),
      baselines: [{ ...of(AMD), metrics }, of(INTEL)],
      history: STEADY_NIGHTS,
    }),
  );
  expect(state).toBe("pass");
  expect(summary).toMatch(/within its limit; without a comparable baseline: api RSS after load$/);
});

test("a machine's own screen is no pass of what it cannot compare", () => {
  const open = openQuestions({
    samples: measuredOn({ on: AMD, rounds: 0 }),
    baselines: [of(INTEL)],
    history: STEADY_NIGHTS,
  });
  expect(open.unanswerable.size).toBe(4);
  expect([...open.services]).toEqual(["api"]);
});

test("a scenario that the baseline does not have is named, and the rest is judged", () => {
  const { hello, ...workloads } = STEADY.workloads;
  const younger = { ...STEADY, workloads: { ...workloads, bye: hello ?? "" }, dependencies: {} };
  const samples = makeSteadySamples();
  const { state, summary, reasons, oneArm } = describeVerdict(
    judge({ samples, baselines: [younger], history: STEADY_NIGHTS }),
  );
  expect(state).toBe("pass");
  expect(oneArm).toEqual({ new: ["api/hello"], changed: [], gone: ["api/bye"] });
  expect(summary).toBe(
    "no regression: each of 2 gated metrics is shown to be within its limit; without a comparable baseline: api/hello p99, api/hello p99 of all requests, api RSS after load; new: api/hello; gone: api/bye",
  );
  expect(reasons.at(-1)).toBe(
    "api RSS after load: a launch serves all scenarios, and differs from the baseline's in hello, bye",
  );
});

test("a service that has no baseline yet is named, and the rest is judged", () => {
  const samples = makeSteadySamples();
  const [service] = samples.config.services;
  const [scenario] = samples.config.scenarios;
  if (service === undefined || scenario === undefined) throw new Error("no service");
  samples.config.services.push({ ...service, name: "billing" });
  samples.config.scenarios.push({ ...scenario, service: "billing", id: "billing/echo" });
  for (const round of samples.rounds.slice()) {
    samples.rounds.push({
      ...round,
      service: "billing",
      scenarios: round.scenarios.slice(0, 1).map((one) => ({ ...one, scenario: "billing/echo" })),
    });
  }
  const verdict = judge({ samples, baselines: [STEADY], history: STEADY_NIGHTS });
  expect(verdict.state).toBe("pass");
  expect(verdict.oneArm.new).toEqual(["billing/echo"]);
});

test("what a service needs is told where it is new, defined otherwise or gone", () => {
  const samples = makeSteadySamples();
  const db: Dependency = { kind: "postgresql", name: "db", dir: ".", schema: [] };
  const needs = (...dependencies: Dependency[]): Samples => ({
    ...samples,
    config: {
      ...samples.config,
      dependencies,
      services: samples.config.services.map((one) => ({
        ...one,
        recipe: { ...one.recipe, needs: dependencies.map(({ name }) => name) },
      })),
    },
  });
  const recordedWith = (...dependencies: Dependency[]): Baseline => ({
    ...STEADY,
    dependencies: needsOf(needs(...dependencies).config, "api"),
  });
  const told = (now: Samples, then: Baseline) =>
    describeVerdict(judge({ samples: now, baselines: [then], history: STEADY_NIGHTS })).oneArm;
  const cache: Dependency = { kind: "redis", name: "cache" };
  expect(told(needs(db), recordedWith(db))).toBeUndefined();
  expect(told(needs(db, cache), recordedWith(db))?.new).toEqual(["cache"]);
  expect(told(needs({ ...db, dir: "sql" }), recordedWith(db))?.changed).toEqual(["db"]);
  expect(told(needs(db), recordedWith(db, cache))?.gone).toEqual(["cache"]);
  // An older file does not say.
  const { dependencies: _, ...older } = STEADY;
  expect(told(needs(db), older)).toBeUndefined();
});
