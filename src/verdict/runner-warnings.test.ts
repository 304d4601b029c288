import { expect, test } from "vitest";
import type { RunnerFacts } from "../model/profile.ts";
import type { Comparison } from "../model/verdict.ts";
import { runnerWarnings } from "./runner-warnings.ts";

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
      promise: 0.15,
      kept: false,
    },
    { id: "api rss", sd: 0.01, sdHigh: 0.02, rounds: 8, passMs: 1, promise: 0.03, kept: true },
  ],
};
const comparison = (id: string, sd: number | null) => ({ id, sd, promise: 0.1 }) as Comparison;

const cases: [string, Comparison[], string[]][] = [
  ["a promise that it does not keep", [comparison("api/echo p99 typical", 0.08)], ["+15.0 %"]],
  ["noise as calibrated", [comparison("api rss", 0.03)], []],
  ["noise far above", [comparison("api rss", 0.031)], ["0.031"]],
  ["nothing measured", [comparison("api rss", null)], []],
  ["another question", [comparison("api/hello p99 typical", 1)], []],
];
test.each(cases)("%s", (_, comparisons, words) => {
  const texts = runnerWarnings({ runner: RUNNER }, comparisons).map(({ text }) => text);
  expect(texts).toHaveLength(words.length);
  for (const [i, word] of words.entries()) expect(texts[i]).toContain(word);
});

test("a runner that was not calibrated is not spoken of", () => {
  expect(runnerWarnings({}, [comparison("api rss", 9)])).toEqual([]);
});
