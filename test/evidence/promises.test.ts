// What the page says about each promise: shown, contradicted, or neither.
import { expect, test } from "vitest";
import { renderPromises } from "../../scripts/evidence/promises.ts";
import type { Replayed } from "../../scripts/evidence/replay.ts";
import type { StoredRun } from "../../scripts/evidence/runs.ts";
import type { Alarms } from "../../scripts/evidence/section-alarms.ts";
import { fewRuns } from "./fixture.ts";

const verdicts = (passed: number, red: number): Replayed[] =>
  Array.from({ length: passed + red }, (_, i) => ({
    state: i < red ? "regressed" : "pass",
    answers: new Map(),
    turns: 8,
    minutes: 5,
  }));
const alarms = (passed: number, red: number): Alarms => ({
  whole: [],
  twoBuilds: [],
  small: [],
  disjoint: verdicts(passed, red),
  // However many there are, they show nothing.
  resampled: verdicts(100_000, 0),
});

/** The last cell of the row. */
const wordOf = (page: string, promise: string): string =>
  page
    .split("\n")
    .find((line) => line.startsWith(`| ${promise}`))
    ?.split("|")
    .at(-2)
    ?.trim() ?? "no such row";

test.each([
  [298, 0, "not yet"],
  [299, 0, "yes"],
  [299, 1, "not yet"],
  [20, 0, "not yet"],
  [0, 0, "not yet"],
  [18, 2, "**no**"],
])("%d verdicts that passed and %d red ones: %s", (passed, red, word) => {
  expect(wordOf(renderPromises([], alarms(passed, red)), "at most 1 %")).toBe(word);
});

/** So many gates with a plant, of which the first few were found. */
function gates(count: number, found: number): StoredRun[] {
  const run = fewRuns().find(({ kind }) => kind === "p99+10");
  if (run === undefined) throw new Error("no planted run");
  return Array.from({ length: count }, (_, i) => ({
    ...run,
    verdict: { state: "regressed", regressed: i < found ? ["twin/echo p99 typical"] : [] },
  }));
}

test.each([
  [58, 58, "not yet"],
  [59, 59, "yes"],
  [59, 58, "not yet"],
  [30, 24, "**no**"],
])("of %d gates with +10 %% p99 %d found: %s", (count, found, word) => {
  const page = renderPromises(gates(count, found), alarms(0, 0));
  expect(wordOf(page, "+10 % p99")).toBe(word);
  expect(page).toContain(`found in ${found} of ${count}`);
  // The same gates had a heavier service too, which none of them found.
  expect(wordOf(page, "+5 % RSS")).toBe("**no**");
});

test("a gate that promises less than was planted is asked nothing", () => {
  const smaller = gates(3, 0).map((run) => ({
    ...run,
    plants: run.plants.map((plant) => ({ ...plant, effect: 0.05 })),
  }));
  expect(renderPromises(smaller, alarms(0, 0))).toMatch(/^\| \+5 % p99 .* \| no gate yet \|/m);
});

test("an invalid gate is no gate that missed something", () => {
  const invalid = gates(3, 0).map((run) => ({
    ...run,
    verdict: { state: "invalid", regressed: [] },
  }));
  expect(renderPromises(invalid, alarms(0, 0))).toContain(
    "| +10 % p99 found in 95 of 100 | no gate yet |",
  );
});
