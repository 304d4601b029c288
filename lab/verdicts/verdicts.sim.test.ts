// Verdicts stay: every stored run is judged again, and must get the state and the numbers, to the
// last bit, that verdicts.txt has for it.
//
// A run collected later, and a change of the rule that is meant, are recorded by
// `npx vitest run lab/verdicts -u`; the diff says which runs got another answer.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { Samples } from "../../src/core/model/samples.ts";
import type { Judgement } from "../../src/core/model/verdict.ts";
import { judge } from "../../src/core/verdict/judge.ts";
import { renderEvidence } from "../evidence/page.ts";
import { readRuns } from "../evidence/runs.ts";
import { RUNS } from "../evidence/working-copy.ts";

/** The only place that knows how a verdict calls these. */
function answersOf({ state, comparisons }: Judgement) {
  return {
    state,
    comparisons: comparisons.map(({ level, state, estimate, interval }) => ({
      isGate: level === "gate",
      state,
      numbers: [estimate, interval?.low ?? null, interval?.high ?? null],
    })),
  };
}

/** The first runs were stored without the lag of their windows, which says which were calm. */
function isWhole({ rounds }: Samples): boolean {
  const slices = rounds.flatMap(({ scenarios }) => scenarios.flatMap((one) => one.slices));
  return slices.some(({ windows }) => windows?.some(({ lagMax }) => lagMax !== undefined));
}

/** Name, state, hash of every comparison's state and numbers, and the states of those that gate. */
function line(name: string, verdict: Judgement): string {
  const { state, comparisons } = answersOf(verdict);
  const text = comparisons.map((one) => JSON.stringify([one.state, ...one.numbers])).join("\n");
  const hash = createHash("sha256").update(text).digest("hex");
  const gated = comparisons.filter(({ isGate }) => isGate).map((one) => one.state);
  return [name, state, hash, ...gated].join(" ");
}

/** Not found in 150 rounds by the rule of that day, which took slow CPUs in (docs/adr/0038). */
const FOUND_SINCE = "2026-11-28T221937Z-stall-all-in-source";

test("every stored run gets the verdict that it had", { timeout: 120_000 }, async () => {
  const runs = readRuns(RUNS).map((run) => ({
    ...run,
    judged: judge({ samples: run.samples, baselines: [] }),
  }));
  for (const { name, verdict, samples, judged } of runs) {
    const state = name === FOUND_SINCE ? "regressed" : verdict.state;
    if (isWhole(samples)) expect(judged.state, name).toBe(state);
  }
  const lines = runs.map(({ name, judged }) => line(name, judged));
  await expect(lines.map((one) => `${one}\n`).join("")).toMatchFileSnapshot("verdicts.txt");
});

test("the evidence page is what the stored runs say, to the byte", () => {
  const page = readFileSync("lab/evidence/README.md", "utf8");
  expect(renderEvidence(readRuns(RUNS)) === page).toBe(true);
});
