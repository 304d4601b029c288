import { describe, expect, test } from "vitest";
import { makeSamples } from "../../../test/support/samples.ts";
import type { Metric } from "../model/metric.ts";
import type { RunnerFacts } from "../model/profile.ts";
import type { JudgedComparison } from "../model/verdict.ts";
import { runnerCautions, unsteadyCpus } from "./warnings.ts";

const RUNNER: RunnerFacts = {
  calibratedAt: "2026-01-02T03:04:05.000Z",
  rounds: 16,
  unusable: null,
  gateMs: null,
  expectations: [
    {
      id: "api/echo p99 typical",
      sd: 0.08,
      sdHigh: 0.12,
      rounds: 12,
      passMs: 1,
      margin: 0.15,
      kept: false,
    },
    { id: "api rss", sd: 0.01, sdHigh: 0.02, rounds: 8, passMs: 1, margin: 0.03, kept: true },
  ],
};
const comparison = (id: string, sd: number | null) => ({ id, sd, margin: 0.1 }) as JudgedComparison;

const cases: [string, JudgedComparison[], object[]][] = [
  [
    "a margin that it does not keep",
    [comparison("api/echo p99 typical", 0.08)],
    [{ code: "beyond-runner", margin: 0.1, least: 0.15 }],
  ],
  ["noise as calibrated", [comparison("api rss", 0.03)], []],
  [
    "noise far above",
    [comparison("api rss", 0.031)],
    [{ code: "noisier", sd: 0.031, calibrated: 0.01, most: 0.02 }],
  ],
  ["nothing measured", [comparison("api rss", null)], []],
  ["another question", [comparison("api/hello p99 typical", 1)], []],
];
test.each(cases)("%s", (_, comparisons, expected) => {
  expect(runnerCautions({ runner: RUNNER }, comparisons)).toMatchObject(expected);
});

test("a runner that was not calibrated is not spoken of", () => {
  expect(runnerCautions({}, [comparison("api rss", 9)])).toEqual([]);
});

describe("cores whose speed varies unseen", () => {
  const { rounds } = makeSamples({ rounds: 1, noise: 0 });
  const told = (...seen: [Metric, number | null][]) =>
    unsteadyCpus(
      { rounds },
      seen.map(([metric, sd]) => ({ id: `api ${metric}`, service: "api", metric, sd })),
    ).map(({ sd }) => sd);

  test("are told where no service is steady", () => {
    expect(told(["cpuPer1k", 0.051])).toEqual([0.051]);
    expect(told(["cpuPer1k", 0.2], ["cpuPer1k", 0.1])).toEqual([0.1]);
    expect(told(["cpuPer1k", 0.2], ["cpuPer1k", 0.05])).toEqual([]);
    expect(told(["rss", 0.2], ["cpuPer1k", null])).toEqual([]);
  });

  test("are not told from a service whose CPU time is a few ticks", () => {
    for (const { launches } of rounds) if (launches?.reference) launches.reference.requests = 4000;
    expect(told(["cpuPer1k", 0.2])).toEqual([]);
  });
});
