import { expect, test } from "vitest";
import type { Outcome } from "./act.ts";
import { type Expected, isSpoiled } from "./spoiled.ts";

const VOID = "INVALID: api/echo: 20 of 24 slices are void, mostly by rule steal: 12 % stolen";
const CRASHED = "INVALID: api crashed";

/** Verdict and headline of the step `gate`, by job. */
function outcome(jobs: Record<string, [string, string]>): Outcome {
  const outputs = Object.fromEntries(
    Object.entries(jobs).map(([job, [verdict, headline]]) => [
      job,
      { "1": {}, gate: { verdict, headline } },
    ]),
  );
  return { jobs: {}, steps: {}, outputs, summaries: {}, log: "" };
}

test.each<[string, Record<string, [string, string]>, Expected, boolean]>([
  ["all as expected", { gate: ["pass", "PASS"] }, { gate: "pass" }, false],
  ["void slices", { gate: ["invalid", VOID] }, { gate: "regressed" }, true],
  ["an open question", { gate: ["inconclusive", "INCONCLUSIVE"] }, { gate: "pass" }, true],
  ["a wrong answer", { gate: ["pass", "PASS"] }, { gate: "regressed" }, false],
  ["a false alarm", { gate: ["regressed", "REGRESSED"] }, { gate: "pass" }, false],
  ["a fault of ours", { gate: ["invalid", CRASHED] }, { gate: "pass" }, false],
  ["a failed build", { gate: ["error", "not built"] }, { gate: "pass" }, false],
  ["what is expected, spoiled or not", { gate: ["invalid", VOID] }, { gate: "invalid" }, false],
  [
    "one of two spoiled, the other wrong",
    { full: ["invalid", VOID], canary: ["pass", "PASS"] },
    { full: "pass", canary: "regressed" },
    false,
  ],
  [
    "one of two spoiled, the other right",
    { full: ["invalid", VOID], canary: ["regressed", "REGRESSED"] },
    { full: "pass", canary: "regressed" },
    true,
  ],
  [
    "no baseline from void slices",
    { update: ["error", `the measurement cannot become a baseline: ${VOID}`] },
    { update: "" },
    true,
  ],
  ["no baseline, refused by GitHub", { update: ["error", "not allowed"] }, { update: "" }, false],
  ["a job that did not come to its gate", {}, { gate: "pass" }, false],
])("%s", (_, jobs, expected, spoiled) => {
  expect(isSpoiled(outcome(jobs), expected)).toBe(spoiled);
});

test("red for one service, and nothing known of the other", () => {
  const red = outcome({ gate: ["regressed", "REGRESSED"] });
  const summaries = { gate: "2 gated metrics: 1 regressed, 1 inconclusive.\n" };
  expect(isSpoiled({ ...red, summaries }, { gate: "regressed" })).toBe(true);
  expect(isSpoiled({ ...red, summaries }, { gate: "pass" })).toBe(false);
});
