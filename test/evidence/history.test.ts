// Recorded runs as stored baselines, one the record of the next: what is asked, of whom, and from when on.
import { describe, expect, test } from "vitest";
import { type HistoryRow, historyOf } from "../../scripts/evidence/history.ts";
import type { Plant, StoredRun } from "../../scripts/evidence/runs.ts";
import { makeRun, type TwinRecipe } from "./fixture.ts";

const MEMORY: Plant = {
  service: "twin",
  faults: "keep_bytes=1000000",
  finds: ["twin rss"],
  effect: 0.05,
};

/** One and the same machine, hour by hour. */
function runsOf(
  count: number,
  recipe: Partial<TwinRecipe> = {},
  plants: readonly Plant[] = [],
  from = 0,
): StoredRun[] {
  return Array.from({ length: count }, (_, i) => {
    const hour = from + i;
    const run = makeRun("aa-all", { rounds: 12, noise: 0.02, seed: hour + 1, ...recipe }, plants);
    const startedAt = `2026-01-02T${String(hour).padStart(2, "0")}:00:00.000Z`;
    return { ...run, samples: { ...run.samples, run: { ...run.samples.run, startedAt } } };
  });
}

function rowOf(runs: readonly StoredRun[], id: string): HistoryRow {
  const [first] = runs;
  if (first === undefined) throw new Error("no runs");
  const row = historyOf(runs, first.samples.config.policy).find((one) => one.id === id);
  if (row === undefined) throw new Error(`no row ${id}`);
  return row;
}

test("the sixth record knows a drift: from the seventh run on the record before it is asked", () => {
  const { records, hours, changes, unchanged, planted } = rowOf(runsOf(9), "api rss");
  expect({ records, hours, changes: changes.length }).toEqual({ records: 9, hours: 8, changes: 8 });
  expect(unchanged).toEqual({ times: 3, passed: 3, red: 0 });
  expect(planted.times).toBe(0);
});

describe("a plant", () => {
  // As many rounds as it takes before anything is called a regression.
  const runs = [...runsOf(7), ...runsOf(2, { rounds: 20, rssRatio: 1.1 }, [MEMORY], 7)];

  test("of the promise or more is asked of the candidate, and not passed", () => {
    expect(rowOf(runs, "twin rss").planted).toEqual({ times: 2, passed: 0, red: 2 });
  });

  test("is in no record, since those are the reference's", () => {
    expect(Math.max(...rowOf(runs, "twin rss").changes)).toBeLessThan(0.05);
    expect(rowOf(runs, "twin rss").unchanged).toEqual({ times: 3, passed: 3, red: 0 });
  });

  test("of less than the promise may pass, and is not asked", () => {
    const small = [...runsOf(7), ...runsOf(2, {}, [{ ...MEMORY, effect: 0.02 }], 7)];
    expect(rowOf(small, "twin rss").planted.times).toBe(0);
  });
});

describe("what is no record", () => {
  test("a run that is invalid", () => {
    const [first, ...others] = runsOf(3);
    if (first === undefined) throw new Error("no run");
    const invalid = { ...first, verdict: { state: "invalid", regressed: [] } };
    expect(rowOf([invalid, ...others], "api rss").records).toBe(2);
  });

  test("a run with fewer launches than a screen asks", () => {
    expect(rowOf([...runsOf(2), ...runsOf(1, { rounds: 8 }, [], 2)], "api rss").records).toBe(2);
  });

  test("one of another machine for the next: nothing is learned from between them", () => {
    const elsewhere = runsOf(2, {}, [], 2).map((run) => {
      const { host } = run.samples;
      const fingerprint = { ...host.fingerprint, kernel: "another" };
      return { ...run, samples: { ...run.samples, host: { ...host, fingerprint } } };
    });
    const runs = [...runsOf(2), ...elsewhere];
    const rows = historyOf(runs, runs[0]?.samples.config.policy as never);
    const own = rows.filter(({ id }) => id === "api rss");
    expect(own.map(({ records, changes }) => [records, changes.length])).toEqual([
      [2, 1],
      [2, 1],
    ]);
  });
});
