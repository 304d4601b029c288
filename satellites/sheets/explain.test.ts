import { expect, test } from "vitest";
import { makeReport } from "../../test/support/report.ts";
import { reportCase } from "../../test/support/report-cases.ts";
import { describeExplanation } from "./explain.ts";

const ID = "axum-api/echo p99 typical";

/** What is said of one comparison, after so many rounds. */
function explained(rounds: number): string[] {
  const { verdict } = makeReport({ measured: 40, changes: { [ID]: { rounds } } });
  const lines = describeExplanation(verdict).split("\n");
  const start = lines.findIndex((line) => line.startsWith("axum-api/echo p99 ["));
  return lines.slice(start, lines.indexOf("", start));
}

test("an explanation has the names that reports give", () => {
  const { verdict } = makeReport({ measured: 40 });
  expect(describeExplanation(verdict)).toMatch(/^axum-api RSS after load \[gate\]: pass$/m);
});

test("of a long run the last ten rounds are shown, and of those before them the most", () => {
  const steps = explained(36).filter((line) => line.includes("evidence for worse"));
  expect(steps).toHaveLength(11);
  expect(steps[0]).toMatch(
    /^ {2}until round 26: evidence for worse at most \S+, for a pass at most \S+$/,
  );
  expect(steps.at(-1)).toMatch(/^ {2}after 36 rounds: /);
});

test("a short one is shown whole", () => {
  const steps = explained(10).filter((line) => line.includes("evidence for worse"));
  expect(steps.map((line) => /after +\d+ rounds/.exec(line)?.[0])).toEqual(
    Array.from({ length: 10 }, (_, i) => `after ${String(i + 1).padStart(2)} rounds`),
  );
});

test("wrong answers are proven to be a larger share, and never to be few enough", () => {
  const report = reportCase("wrong-answers");
  const lines = describeExplanation(report.verdict).split("\n");
  const start = lines.findIndex((line) => line.startsWith("api/echo wrong answers"));
  expect([...lines.slice(start, start + 2), lines[lines.indexOf("", start) - 1]]).toEqual([
    "api/echo wrong answers [gate]: regressed",
    "  regressed needs evidence of 1 for a larger share, and more than 0 % of all",
    "  api/echo: 88 of 44,000 answers were wrong (0.2 %: 88 × 500); none of 44,000 before: a larger share than before is proven after 11 rounds",
  ]);
});
