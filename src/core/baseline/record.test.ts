// Recording, reading back, comparing with: a baseline's life.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { makeSamples } from "../../../test/support/samples.ts";
import { readBaselines, renderBaseline, writeBaseline } from "../../app/documents/baselines.ts";
import { UserError } from "../base/errors.ts";
import type { Baseline } from "../model/baseline.ts";
import { judge } from "../verdict/judge.ts";
import { recordBaseline } from "./record.ts";

const folder = mkdtempSync(join(tmpdir(), "tailgate-baseline-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const DAY = 24 * 3600 * 1000;
const START = Date.parse("2026-01-01T00:00:00.000Z");

/** Records day after day, with what the machine's wandering makes of the same service. */
function recorded(days: number): Baseline {
  let baseline: Baseline | null = null;
  for (let day = 0; day < days; day++) {
    const samples = makeSamples({
      rounds: 12,
      noise: 0.01,
      seed: day + 1,
      compare: "stored",
      p99Us: 300 * (1 + 0.02 * (day % 2)),
    });
    baseline = recordBaseline(samples, "api", new Date(START + day * DAY).toISOString(), baseline);
  }
  if (baseline === null) throw new Error("no day");
  return baseline;
}

test("a baseline is read back as it was written, one metric a line", () => {
  const baseline = recorded(3);
  writeBaseline(folder, baseline);
  expect(readBaselines(folder, "test", ["api", "other"])).toEqual([baseline]);
  const lines = renderBaseline(baseline).split("\n");
  expect(lines.filter((line) => line.includes('"rss": ['))).toHaveLength(1);
  expect(baseline.history).toHaveLength(2);
  expect(Object.keys(baseline.metrics)).toEqual([
    "echo/p99",
    "echo/p99Typical",
    "hello/p99",
    "hello/p99Typical",
    "rss",
  ]);
});

test("without history a stored comparison passes nothing", () => {
  const samples = makeSamples({ rounds: 28, noise: 0.01, compare: "stored" });
  const verdict = judge({ samples, baselines: [recorded(1)] });
  expect(verdict.state).toBe("inconclusive");
  expect(verdict.causes[0]?.finding).toMatchObject({ code: "no-drift", needed: 6 });
});

test("without a baseline, or with another's, the answer is no-baseline", () => {
  const samples = makeSamples({ rounds: 28, noise: 0.01, compare: "stored" });
  expect(judge({ samples, baselines: [] }).state).toBe("no-baseline");
  const baseline = recorded(8);
  const elsewhere = { ...baseline, fingerprint: { ...baseline.fingerprint, kernel: "7.0" } };
  const verdict = judge({ samples, baselines: [elsewhere] });
  expect(verdict.state).toBe("no-baseline");
  expect(verdict.causes[0]?.finding).toMatchObject({
    code: "incomparable",
    difference: expect.stringMatching(/another machine \(kernel: then 7\.0, now 6\.1\.0\)/),
  });
  const workload = { ...baseline, workloads: { ...baseline.workloads, echo: "0".repeat(16) } };
  expect(judge({ samples, baselines: [workload] }).causes[0]?.finding).toMatchObject({
    difference: expect.stringMatching(/defined differently/),
  });
});

test("with history what is within the margin passes, and what is far beyond the drift does not", () => {
  const baselines = [recorded(8)];
  const steady = makeSamples({ rounds: 28, noise: 0.01, seed: 77, compare: "stored" });
  const verdict = judge({ samples: steady, baselines });
  expect(verdict.comparisons.find(({ id }) => id.startsWith("api rss"))?.state).toBe("pass");
  expect(verdict.state).not.toBe("regressed");
  const heavier = makeSamples({
    rounds: 28,
    noise: 0.01,
    seed: 78,
    compare: "stored",
    rssRatio: { api: 1.3 },
  });
  expect(judge({ samples: heavier, baselines }).state).toBe("regressed");
});

test("beside a measured reference the stored baseline is context: it warns and never decides", () => {
  const samples = makeSamples({ rounds: 16, noise: 0.01, rssRatio: {}, seed: 5 });
  const baseline = recorded(8);
  const light: Baseline = {
    ...baseline,
    metrics: { ...baseline.metrics, rss: Array.from({ length: 10 }, (_, i) => 10e6 + 1e4 * i) },
    history: baseline.history.map((entry) => ({
      ...entry,
      medians: { ...entry.medians, rss: 10e6 },
    })),
  };
  const verdict = judge({ samples, baselines: [light] });
  expect(verdict.state).toBe("pass");
  expect(verdict.cautions.map(({ code }) => code)).toContain("creep");
  const late = judge({
    samples,
    baselines: [baseline],
    now: new Date(START + 90 * DAY).toISOString(),
  });
  expect(late.cautions.map(({ code }) => code)).toContain("stale");
});

test("a run without a gated metric makes no baseline", () => {
  const samples = makeSamples({ rounds: 0, noise: 0.01, compare: "stored" });
  expect(() => recordBaseline(samples, "api", new Date(START).toISOString(), null)).toThrow(
    UserError,
  );
});

test("values of rounds that the host disturbed are not stored", () => {
  const samples = makeSamples({ rounds: 8, noise: 0.01, compare: "stored" });
  const record = () => recordBaseline(samples, "api", new Date(START).toISOString(), null);
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
  const record = () => recordBaseline(samples, "api", new Date(START).toISOString(), null);
  expect(record).toThrow("cannot record a baseline of api: 1 rounds have a 0 for rss");
  for (const policy of samples.config.policy.metrics) {
    if (policy.metric === "rss") policy.level = "info";
  }
  expect(record().metrics.rss).toBeUndefined();
});

test("memory of another set of scenarios is another series", () => {
  const before = recorded(3);
  const samples = makeSamples({ rounds: 8, noise: 0.01, compare: "stored", seed: 9 });
  const medians = (): string[] => {
    const next = recordBaseline(samples, "api", new Date(START + 9 * DAY).toISOString(), before);
    return Object.keys(next.history.at(-1)?.medians ?? {});
  };
  expect(medians()).toEqual(Object.keys(before.metrics));
  samples.config.scenarios = samples.config.scenarios.filter(({ name }) => name === "echo");
  expect(medians()).toEqual(["echo/p99", "echo/p99Typical"]);
});

test("memory read after another number of requests is another series", () => {
  const before = recorded(3);
  const samples = makeSamples({ rounds: 8, noise: 0.01, compare: "stored", seed: 9 });
  samples.config.services = samples.config.services.map((service) => ({
    ...service,
    memory: { requests: 9000 },
  }));
  const next = recordBaseline(samples, "api", new Date(START + 9 * DAY).toISOString(), before);
  expect(next.memoryRequests).toBe(9000);
  expect(Object.keys(next.history.at(-1)?.medians ?? {})).not.toContain("rss");
  expect(Object.keys(next.history.at(-1)?.medians ?? {})).toContain("echo/p99");
  const findings = judge({ samples, baselines: [before] }).comparisons.map(
    ({ finding }) => finding,
  );
  expect(findings).toContainEqual({
    code: "incomparable",
    difference: "the baseline's memory was read after the slices, this one's after 9000 requests",
  });
});
