// What changed slowest answers are told as: counts of windows and requests from a latency on.
import fc from "fast-check";
import { expect, test } from "vitest";
import { toGitHubActionBenchmark } from "../../../satellites/export/json.ts";
import { toJunit } from "../../../satellites/export/junit.ts";
import { renderReportPage } from "../../../satellites/pages/report.ts";
import { renderAnnotations } from "../../../satellites/sheets/annotations.ts";
import { makeContext } from "../../../test/support/comment-context.ts";
import { checkGolden } from "../../../test/support/golden.ts";
import { makePolicy, makeSamples, makeScenario, normal } from "../../../test/support/samples.ts";
import { createPrng, type Prng } from "../base/prng.ts";
import { ARMS, type Arm, type Samples, type Slice } from "../model/samples.ts";
import { renderMarkdown } from "../report/gate/markdown.ts";
import { renderTerminal } from "../report/gate/terminal.ts";
import { renderComment } from "../report/pull-request/comment.ts";
import { statusOf } from "../report/pull-request/status.ts";
import { describeRun, describeVerdict } from "../report/words/verdict.ts";
import { cutWindows, summarizeLatency } from "../slice/slice.ts";
import { sortSample } from "../stats/quantile.ts";
import { judge } from "./judge.ts";
import { withSlowAnswers } from "./slow-answers.ts";

/** Microseconds of one request, `at` of its slice. */
type Requests = (arm: Arm, at: number, prng: Prng) => number;

function answered(slice: Slice, latencies: readonly number[], rateRps: number): void {
  slice.latency = summarizeLatency(sortSample(latencies));
  const windows = cutWindows(latencies.length, rateRps);
  if (windows === null) return;
  slice.windows = windows.map(({ from, to }) => {
    const { p999: _, ...window } = summarizeLatency(sortSample(latencies.slice(from, to)));
    return { ...window, lagMax: 900 };
  });
}

/** All that is judged are the slowest answers of `api/echo`, with 960 requests in a slice. */
function measured(requests: Requests, rounds = 40): Samples {
  const samples = makeSamples({ rounds, noise: 0, omitScenario: "api/hello" });
  samples.config.scenarios = samples.config.scenarios.slice(0, 1);
  samples.config.policy.metrics = [makePolicy("slow", "windows", "gate", [0.4, 0.1, 0])];
  const prng = createPrng(5);
  for (const slice of samples.rounds.flatMap((round) => round.scenarios[0]?.slices ?? [])) {
    const latencies = Array.from({ length: 960 }, (_, at) => requests(slice.arm, at, prng));
    answered(slice, latencies, 2000);
  }
  return samples;
}

const usual = (prng: Prng): number => 300 * Math.exp(0.1 * normal(prng));

/** The candidate's, or with `arm` the other's, are planted. */
const planting =
  (plant: (at: number, prng: Prng) => number | null, planted: Arm = "candidate"): Requests =>
  (arm, at, prng) =>
    (arm === planted ? plant(at, prng) : null) ?? usual(prng);

const oneIn = (n: number, us: number) => (_: number, prng: Prng) =>
  prng.next() < 1 / n ? us : null;

/** 150 ms in every other slice or so: what was released meanwhile waits for its end. */
function stalls(): (at: number, prng: Prng) => number | null {
  let from = Number.POSITIVE_INFINITY;
  return (at, prng) => {
    if (at === 0) from = prng.next() < 0.5 ? Math.floor(660 * prng.next()) : 960;
    const leftUs = 150_000 - (at - from) * 500;
    return at >= from && leftUs > 0 ? leftUs : null;
  };
}

test.each<[string, Requests, string]>([
  [
    "rare requests",
    planting(oneIn(200, 20_000)),
    "regressed: api/echo: about 1 in 200 requests took 20.0 ms or more (none before)",
  ],
  [
    "rare requests of either arm",
    (arm, at, prng) => oneIn(arm === "candidate" ? 150 : 3000, 20_000)(at, prng) ?? usual(prng),
    "regressed: api/echo: about 1 in 140 requests took 20.0 ms or more (about 1 in 2,700 requests before)",
  ],
  [
    "a request of each window, at times with the next",
    planting((at, prng) => {
      const nth = at % 107;
      return nth === 50 || (nth === 51 && prng.next() < 0.1) ? 20_000 : null;
    }),
    "regressed: api/echo: about 1 in 85 requests took 20.0 ms or more (none before)",
  ],
  [
    "stalls, where nobody counted the requests that waited",
    planting(stalls()),
    "regressed: api/echo: in 257 of 1,440 windows of 53 ms an answer took 11.0 ms or more (typically 106 ms; none before)",
  ],
  [
    "every request",
    (arm, _, prng) => (arm === "candidate" ? 2 : 1) * usual(prng),
    "regressed: api/echo: in most windows of 53 ms an answer took 728 µs or more (1,355 of 1,440 windows; none before)",
  ],
  [
    "rare requests that are gone",
    planting(oneIn(200, 20_000), "reference"),
    "improved: api/echo: no answer took 20.0 ms or more (about 1 in 210 requests before); nothing is worse",
  ],
  [
    "stalls that are gone",
    planting(stalls(), "reference"),
    "improved: api/echo: no answer took 14.5 ms or more (265 of 1,440 windows before); nothing is worse",
  ],
])("%s", (_, requests, headline) => {
  const verdict = describeVerdict(judge({ samples: measured(requests), baselines: [] }));
  expect(verdict.headline).toBe(headline);
  const told = headline.replace(/^\w+: (.*\)).*$/, "$1");
  expect(verdict.comparisons[0]?.reason).toMatch(
    /; api\/echo slowest answer is .* after \d+ rounds: /,
  );
  expect(verdict.comparisons[0]?.reason.startsWith(told)).toBe(true);
});

test("nothing is told of slowest answers that have not changed", () => {
  const { state, comparisons } = judge({
    samples: measured(planting(() => null)),
    baselines: [],
  });
  expect(state).toBe("pass");
  expect(comparisons[0]).not.toHaveProperty("slowAnswers");
});

test("a window in which no answer took any time, as a foreign file may have, ends no count", () => {
  const samples = measured(planting(oneIn(200, 20_000)));
  const slices = samples.rounds.at(-1)?.scenarios[0]?.slices ?? [];
  for (const [window = null] of slices.map(({ windows = [] }) => windows)) {
    if (window !== null) window.max = 0;
  }
  const [comparison] = judge({ samples, baselines: [] }).comparisons;
  expect(comparison?.slowAnswers).toMatchObject({ us: 20_000, candidate: { windows: 1440 } });
});

test("a run of hours, with more windows than a call has arguments, is told too", () => {
  const samples = measured(planting(oneIn(200, 20_000)), 20);
  for (const slice of samples.rounds.flatMap((round) => round.scenarios[0]?.slices ?? [])) {
    slice.windows = Array.from({ length: 200 }, () => slice.windows ?? []).flat();
  }
  const [comparison] = judge({ samples, baselines: [] }).comparisons;
  expect(comparison?.slowAnswers).toMatchObject({ us: 20_000, candidate: { windows: 144_000 } });
});

test("every medium says how many took how long before it says what was tested", async () => {
  const samples = measured(planting(oneIn(200, 20_000)));
  const report = describeRun(samples, judge({ samples, baselines: [] }));
  const events = "api/echo: about 1 in 200 requests took 20.0 ms or more (none before)";
  const media: Record<string, string> = {
    Markdown: renderMarkdown(report),
    comment: renderComment(report, makeContext()),
    terminal: renderTerminal(report, { width: 120, color: "never" }),
    annotations: JSON.stringify(renderAnnotations(report)),
    status: statusOf(
      report,
      { trust: "own", base: { ref: "main", commit: "1b2c3d4" } },
      { inconclusive: "fail" },
    ).description,
    page: renderReportPage(report),
    JUnit: toJunit(report),
    "github-action-benchmark": toGitHubActionBenchmark(report),
  };
  for (const [medium, text] of Object.entries(media)) {
    const [before = "", ...rest] = text.replaceAll("\\", "").split(events);
    expect(rest.length, medium).toBeGreaterThan(0);
    expect(before, medium).not.toContain("slowest answer");
  }
  await checkGolden("report/slow-answers.md", renderMarkdown(report));
});

test("of a service the scenario is told where they are clearest, once beside its own", () => {
  const samples = measured(planting(oneIn(200, 20_000)));
  const { config, rounds } = samples;
  const quiet = measured(planting(() => null));
  config.scenarios.push(makeScenario({}, "hello"));
  for (const [k, { scenarios }] of rounds.entries()) {
    const [other] = quiet.rounds[k]?.scenarios ?? [];
    if (other !== undefined) scenarios.unshift({ ...other, scenario: "api/hello" });
  }
  const judged = judge({ samples, baselines: [] });
  const own = judged.comparisons.find(({ state }) => state === "regressed");
  if (own === undefined) throw new Error("nothing regressed");
  const among = config.scenarios.map(({ id }) => id);
  const whole = { ...own, id: "api slow", scenario: null, among, slowAnswers: undefined };
  const told = withSlowAnswers(whole, rounds, config.scenarios);
  expect(told.slowAnswers).toEqual(own.slowAnswers);
  expect(told.slowAnswers?.scenario).toBe("api/echo");
  const { headline } = describeVerdict({ ...judged, comparisons: [own, told] });
  expect(headline.match(/about 1 in 200 requests/g)).toHaveLength(1);
});

/** Of one round in which each slice is a window. */
function tellOf(windows: Readonly<Record<Arm, readonly (readonly number[])[]>>) {
  const samples = measured(() => 1, 1);
  const [entry] = samples.rounds[0]?.scenarios ?? [];
  const [comparison] = judge({ samples, baselines: [] }).comparisons;
  if (entry === undefined || comparison === undefined) throw new Error("nothing was measured");
  const [like] = entry.slices;
  entry.slices = windows.candidate.flatMap((_, pair) =>
    ARMS.map((arm) => {
      const latencies = windows[arm][pair] ?? [];
      const latency = summarizeLatency(sortSample(latencies));
      return { ...(like as Slice), arm, pair, attempt: 0, latency, windows: undefined };
    }),
  );
  return withSlowAnswers(
    { ...comparison, state: "regressed" },
    samples.rounds,
    samples.config.scenarios,
  ).slowAnswers;
}

test("no latency tells the windows of the arms much better apart, and counts are those of windows", () => {
  const window = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 120 });
  const pair = fc.record({ candidate: window, reference: window });
  let told = 0;
  fc.assert(
    fc.property(fc.array(pair, { minLength: 1, maxLength: 12 }), (pairs) => {
      const windows = {
        candidate: pairs.map(({ candidate }) => candidate),
        reference: pairs.map(({ reference }) => reference),
      };
      const slowIn = (arm: Arm, us: number): number =>
        windows[arm].filter((own) => own.some((one) => one >= us)).length;
      const scoreAt = (us: number): number => {
        const [c, r] = [slowIn("candidate", us), slowIn("reference", us)];
        return (c - r) / Math.sqrt(Math.max(1, c + r));
      };
      const thresholds = Array.from({ length: 30 }, (_, k) => k + 1);
      const best = Math.max(...thresholds.map(scoreAt));
      const found = tellOf(windows);
      if (best <= 0) {
        expect(found).toBeUndefined();
        return;
      }
      if (found === undefined) throw new Error("nothing is told");
      const { us, candidate, reference, typicalUs } = found;
      expect(scoreAt(us)).toBeGreaterThanOrEqual(0.97 * best - 1e-9);
      for (const larger of thresholds.filter((one) => one > us)) {
        expect(scoreAt(larger)).toBeLessThan(0.97 * best + 1e-9);
      }
      expect(typicalUs).toBeGreaterThanOrEqual(us);
      for (const [arm, count] of [
        ["candidate", candidate] as const,
        ["reference", reference] as const,
      ]) {
        expect(count).toMatchObject({ windows: pairs.length, slow: slowIn(arm, us) });
        if (count.oneIn === undefined) continue;
        const requests = windows[arm].flat().length / count.oneIn;
        expect(requests).toBeGreaterThan(count.slow - 1e-9);
        expect(requests).toBeLessThan(windows[arm].flat().length + 1e-9);
      }
      told++;
    }),
  );
  expect(told).toBeGreaterThan(20);
});
