import { expect, test } from "vitest";
import { firstEstimate, levelsOf } from "../../scripts/evidence/levels.ts";
import { poolOf } from "../../scripts/evidence/pool.ts";
import type { StoredRun } from "../../scripts/evidence/runs.ts";
import { observationsOf } from "../../scripts/evidence/size.ts";
import { fewRuns } from "./fixture.ts";

const runs = fewRuns();
const planted = runs.find(({ kind }) => kind === "p99+10") as StoredRun;

test("levels are those of the reference where nothing was planted", () => {
  const levels = levelsOf(poolOf(runs), runs);
  expect(Object.keys(levels.p99Us)).toEqual(["api", "twin"]);
  for (const service of ["api", "twin"]) {
    expect(levels.p99Us[service]).toBeGreaterThan(250);
    expect(levels.p99Us[service]).toBeLessThan(350);
    expect(levels.rssBytes[service]).toBeCloseTo(20e6, -6);
    expect(levels.requests[service]).toBe(10_000);
  }
});

test("a plant's effect is estimated from the first rounds alone", () => {
  const id = "twin/echo p99 typical";
  const estimate = firstEstimate(planted, id);
  expect(estimate?.rounds).toBe(8);
  expect(estimate?.logRatio).toBeCloseTo(Math.log(1.12), 1);
  const shortened = (turns: number): StoredRun => ({
    ...planted,
    samples: { ...planted.samples, rounds: planted.samples.rounds.slice(0, 2 * turns) },
  });
  expect(firstEstimate(shortened(8), id)).toEqual(estimate);
  expect(firstEstimate(shortened(3), id)).toBeNull();
  const changed: StoredRun = {
    ...planted,
    samples: {
      ...planted.samples,
      rounds: [
        ...planted.samples.rounds.slice(0, 16),
        ...planted.samples.rounds.slice(16).reverse(),
      ],
    },
  };
  expect(firstEstimate(changed, id)).toEqual(estimate);
});

test("delays teach sizes, other faults do not", () => {
  const observed = observationsOf(runs, "twin", firstEstimate);
  expect(observed.map(({ latencyUs, rounds }) => [latencyUs, rounds])).toEqual([
    [30, 8],
    [30, 8],
  ]);
  expect(observationsOf(runs, "api", firstEstimate)).toEqual([]);
});
