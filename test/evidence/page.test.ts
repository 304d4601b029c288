// The page: on a handful of synthetic runs as a golden file, and as it is checked in from the stored samples, to the byte.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { EFFORT, renderEvidence } from "../../scripts/evidence/page.ts";
import { readPlan } from "../../scripts/evidence/plan.ts";
import { readStoredRuns } from "../../scripts/evidence/runs.ts";
import { checkGolden } from "../support/golden.ts";
import { fewRuns } from "./fixture.ts";

const FOLDER = "docs/evidence";
const PLAN = {
  poolRounds: 100,
  chunkRounds: 16,
  gates: { "aa-all": 10, aa: 10, "p99+10": 10, "p99+5": 5 },
};
const LITTLE = { verdicts: 60, planted: 20, peers: 10, months: 1 };

test("a page from a few runs", () => {
  checkGolden("evidence/page.md", renderEvidence(fewRuns(), PLAN, LITTLE));
});

test("without runs nothing is claimed", () => {
  const page = renderEvidence([], PLAN, LITTLE);
  expect(page).toContain("no run has been recorded");
  expect(page).not.toContain("yes");
});

test("docs/evidence.md is what its samples say, to the byte", { timeout: 180_000 }, () => {
  const page = renderEvidence(readStoredRuns(FOLDER), readPlan(FOLDER), EFFORT);
  expect(
    page === readFileSync("docs/evidence.md", "utf8"),
    "node scripts/evidence/render.ts writes it",
  ).toBe(true);
});

test("runs that ask other questions are refused, by name", () => {
  const runs = fewRuns();
  const [first] = runs;
  if (first === undefined) throw new Error("no run");
  const { config } = first.samples;
  const other = {
    ...first,
    name: "stranger",
    samples: { ...first.samples, config: { ...config, scenarios: config.scenarios.slice(1) } },
  };
  expect(() => renderEvidence([...runs, other], PLAN, LITTLE)).toThrow("stranger");
});
