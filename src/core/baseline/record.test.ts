import { expect, test } from "vitest";
import { sharedFolder } from "../../../test/support/files.ts";
import { daysFrom, nightOf } from "../../../test/support/history.ts";
import { makeSamples } from "../../../test/support/samples.ts";
import { readBaselines, writeBaseline } from "../../app/documents/baselines.ts";
import { UserError } from "../base/errors.ts";
import { renderReviewableJson } from "../base/reviewable-json.ts";
import type { Baseline } from "../model/baseline.ts";
import { judge } from "../verdict/judge.ts";
import { recordBaseline } from "./record.ts";

const folder = sharedFolder();

const DAY = 24 * 3600 * 1000;
const START = Date.parse("2026-01-01T00:00:00.000Z");
const NOISE = { rounds: 12, noise: 0.01, compare: "stored" } as const;

const SAMPLES = makeSamples({ ...NOISE, seed: 1 });
const STORED = recordBaseline(SAMPLES, "api");
/** A machine that wanders by 2 %. */
const NIGHTS = daysFrom(-7, 0).map((day) => nightOf({ day, anchor: 300 * (1 + 0.02 * (day & 1)) }));

test("a baseline is read back as it was written, one metric a line", () => {
  writeBaseline(folder, STORED);
  expect(readBaselines(folder, SAMPLES.config)).toEqual([STORED]);
  const lines = renderReviewableJson(STORED).split("\n");
  expect(lines.filter((line) => line.includes('"rss": ['))).toHaveLength(1);
  expect(Object.keys(STORED.metrics)).toEqual([
    "echo/p99",
    "echo/p99Typical",
    "hello/p99",
    "hello/p99Typical",
    "rss",
  ]);
});

test("it is of the day on which its run began", () => {
  expect(STORED.recordedAt).toBe("2026-01-02T03:04:05.000Z");
});

test("without history a stored comparison passes nothing", () => {
  const samples = makeSamples({ rounds: 28, noise: 0.01, compare: "stored" });
  const verdict = judge({ samples, baselines: [STORED] });
  expect(verdict.state).toBe("inconclusive");
  expect(verdict.causes[0]?.finding).toMatchObject({ code: "no-drift", needed: 6 });
});

test("without a baseline, or with another's, the answer is no-baseline", () => {
  const samples = makeSamples({ rounds: 28, noise: 0.01, compare: "stored" });
  expect(judge({ samples, baselines: [] }).state).toBe("no-baseline");
  const baseline = STORED;
  const elsewhere = { ...baseline, fingerprint: { ...baseline.fingerprint, kernel: "7.0" } };
  const verdict = judge({ samples, baselines: [elsewhere] });
  expect(verdict.state).toBe("no-baseline");
  expect(verdict.causes[0]?.finding).toMatchObject({
    code: "incomparable",
    difference: expect.stringMatching(/another machine \(kernel: then 7\.0, now 6\.1\.0\)/),
  });
  const workload = { ...baseline, workloads: { ...baseline.workloads, echo: "0".repeat(16) } };
  const [redefined] = judge({ samples, baselines: [workload] }).comparisons;
  expect(redefined?.finding).toMatchObject({
    difference: expect.stringMatching(/defined differently/),
  });
});

test("with history what is within the margin passes, and what is far beyond the drift does not", () => {
  const stored = { baselines: [STORED], history: NIGHTS };
  const steady = makeSamples({ rounds: 28, noise: 0.01, seed: 77, compare: "stored" });
  const verdict = judge({ samples: steady, ...stored });
  expect(verdict.comparisons.find(({ id }) => id.startsWith("api rss"))?.state).toBe("pass");
  expect(verdict.state).not.toBe("regressed");
  const heavier = makeSamples({
    rounds: 28,
    noise: 0.01,
    seed: 78,
    compare: "stored",
    rssRatio: { api: 1.3 },
  });
  expect(judge({ samples: heavier, ...stored }).state).toBe("regressed");
});

test("beside a measured reference the stored baseline is context: it warns and never decides", () => {
  const samples = makeSamples({ rounds: 16, noise: 0.01, rssRatio: {}, seed: 5 });
  const rss = Array.from({ length: 10 }, (_, i) => 10e6 + 1e4 * i);
  const light: Baseline = { ...STORED, metrics: { ...STORED.metrics, rss } };
  const verdict = judge({ samples, baselines: [light], history: NIGHTS });
  expect(verdict.state).toBe("pass");
  expect(verdict.cautions.map(({ code }) => code)).toContain("creep");
  const late = judge({
    samples,
    baselines: [STORED],
    now: new Date(START + 90 * DAY).toISOString(),
  });
  expect(late.cautions.map(({ code }) => code)).toContain("stale");
});

test("a run without a gated metric makes no baseline", () => {
  const samples = makeSamples({ rounds: 0, noise: 0.01, compare: "stored" });
  expect(() => recordBaseline(samples, "api")).toThrow(UserError);
});

test("values of rounds that the host disturbed are not stored", () => {
  const samples = makeSamples({ rounds: 8, noise: 0.01, compare: "stored" });
  const record = () => recordBaseline(samples, "api");
  const counts = (): number[] => Object.values(record().metrics).map((values) => values.length);
  const disturb = (rounds: number): void => {
    for (const { scenarios } of samples.rounds.slice(0, rounds)) {
      for (const { host } of scenarios.flatMap(({ slices }) => slices)) host.steal = 0.4;
    }
  };
  disturb(3);
  // Memory is memory, whoever else was at work.
  expect(counts()).toEqual([5, 5, 5, 5, 8]);
  disturb(8);
  expect(record).toThrow("cannot record a baseline of api: no calm round has echo/p99");
});

test("a metric that was 0 in a launch is not stored as what it was in the others", () => {
  const samples = makeSamples({ rounds: 8, noise: 0.01, compare: "stored" });
  const launch = samples.rounds[3]?.launches?.candidate;
  if (launch !== undefined) launch.values.rss = 0;
  const record = () => recordBaseline(samples, "api");
  expect(record).toThrow("cannot record a baseline of api: 1 rounds have a 0 for rss");
  for (const policy of samples.config.policy.metrics) {
    if (policy.metric === "rss") policy.level = "info";
  }
  expect(record().metrics.rss).toBeUndefined();
});

test("memory read after another number of requests is another series", () => {
  const samples = makeSamples({ rounds: 8, noise: 0.01, compare: "stored", seed: 9 });
  samples.config.services = samples.config.services.map((service) => ({
    ...service,
    memory: { requests: 9000 },
  }));
  expect(recordBaseline(samples, "api").memoryRequests).toBe(9000);
  const findings = judge({ samples, baselines: [STORED] }).comparisons.map(
    ({ finding }) => finding,
  );
  expect(findings).toContainEqual({
    code: "incomparable",
    difference:
      "the baseline's memory was read after the measured requests, this one's after 9000 requests",
  });
});
