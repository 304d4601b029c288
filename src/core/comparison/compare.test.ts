// What a comparison of two services says of synthetic samples.
import fc from "fast-check";
import { expect, test } from "vitest";
import { describeServices } from "../../../satellites/sheets/comparison/words.ts";
import {
  type ComparisonRecipe,
  makeComparisonSamples,
  swapped,
} from "../../../test/support/comparison.ts";
import type { Samples, Slice } from "../model/samples.ts";
import { compareServices } from "./compare.ts";
import type { ComparisonRow, Finding, ServiceComparison } from "./model.ts";

const told = (samples: Samples) => describeServices(compareServices(samples));

function rowOf(
  { scenarios, rows }: ServiceComparison,
  id: string,
  scenario = "echo",
): ComparisonRow {
  const inScenario = scenarios.find(({ name }) => name === scenario)?.rows ?? [];
  const found = [...inScenario, ...rows].find((row) => row.id === id);
  if (found === undefined) throw new Error(`no row ${id}`);
  return found;
}

const allRows = ({ scenarios, rows }: ServiceComparison): ComparisonRow[] => [
  ...scenarios.flatMap((scenario) => scenario.rows),
  ...rows,
];

test.each<{ about: string; recipe: ComparisonRecipe; id: string; finding: Finding }>([
  { about: "a tail a quarter shorter", recipe: {}, id: "p99 typical", finding: "lower" },
  {
    about: "a tail a third longer",
    recipe: { p99Ratio: { "api/echo": 1.33 } },
    id: "p99 pooled",
    finding: "higher",
  },
  {
    about: "the same service",
    recipe: { p99Ratio: {}, seed: 3 },
    id: "p99 typical",
    finding: "no-difference-shown",
  },
  { about: "less memory", recipe: {}, id: "rss", finding: "lower" },
  { about: "five rounds", recipe: { rounds: 5 }, id: "p99 typical", finding: "too-few-rounds" },
  { about: "eight rounds", recipe: { rounds: 8 }, id: "p99 typical", finding: "lower" },
  { about: "a pause that only one has", recipe: {}, id: "gcPauseMax", finding: "no-ratio" },
  {
    about: "a count that is zero on one side",
    recipe: { values: { candidate: { gcCycles: 0 }, reference: { gcCycles: 9 } } },
    id: "gcCycles",
    finding: "no-ratio",
  },
  {
    about: "the second cannot keep up",
    recipe: { saturated: "both" },
    id: "p99 typical",
    finding: "invalid",
  },
  { about: "equal counts", recipe: {}, id: "rate", finding: "no-difference-shown" },
])("$about: $id is $finding", ({ recipe, id, finding }) => {
  expect(rowOf(told(makeComparisonSamples(recipe)), id).finding).toBe(finding);
});

test("every row of a scenario counts the same rounds", () => {
  const samples = makeComparisonSamples();
  const spoilt = samples.rounds[4]?.scenarios[0]?.arms.candidate;
  if (spoilt === undefined) throw new Error("no such round");
  spoilt.pooled = null;
  const [echo] = told(samples).scenarios;
  expect(new Set(echo?.rows.map(({ rounds }) => rounds))).toEqual(new Set([11]));
});

test("each side's value is shown where there is no ratio", () => {
  const row = rowOf(told(makeComparisonSamples()), "gcPauseMax");
  expect(row).toMatchObject({ candidate: null, reference: 180, estimate: null, interval: null });
});

test.each<{ about: string; recipe: ComparisonRecipe; says: RegExp }>([
  { about: "a crash", recipe: { crashInRound: 3 }, says: /exited with code 70 in round 4/ },
  { about: "a scenario never measured", recipe: { omitScenario: "api/echo" }, says: /no round/ },
  { about: "no round", recipe: { rounds: 0 }, says: /no round was measured/ },
])("$about makes it invalid, as in the gate", ({ recipe, says }) => {
  const { state, faults } = told(makeComparisonSamples(recipe));
  expect(state).toBe("invalid");
  expect(faults[0]).toMatch(says);
});

test("a first service that cannot keep up is measured, and told", () => {
  const { state, notes } = told(makeComparisonSamples({ saturated: "candidate" }));
  expect(state).toBe("measured");
  expect(notes[0]).toMatch(/rusty could not keep up with the rate in 12 of 12 rounds/);
});

test("services are called by their names, and disturbances are told", () => {
  const check = (recipe: ComparisonRecipe, spoil: (slice: Slice, k: number) => void) => {
    const samples = makeComparisonSamples(recipe);
    const slices = samples.rounds.flatMap(({ scenarios }) => scenarios[0]?.slices ?? []);
    for (const [k, slice] of slices.entries()) spoil(slice, k);
    const { faults, notes } = told(samples);
    return [...faults, ...notes].join("\n");
  };
  expect(check({ saturated: "both" }, () => {})).toMatch(/beyond what gopher can serve/);
  const wrong = check({}, (slice, k) => {
    if (k === 0) slice.void = { rule: "status", detail: "" };
  });
  expect(wrong).toMatch(/requests to (rusty|gopher) went wrong in 1 of 48 measurements/);
  const disturbed = check({}, (slice, k) => {
    if (k < 2) slice.host.steal = 0.2;
  });
  expect(disturbed).toBe(
    "In 2 of 192 measurements something else took the machine (the hypervisor 2); they count.",
  );
  expect(check({}, () => {})).toBe("");
});

const recipes = fc.record({
  rounds: fc.integer({ min: 0, max: 14 }),
  seed: fc.integer({ min: 1, max: 1e6 }),
  noise: fc.constantFrom(0.001, 0.03, 0.4),
});

test("the services in the other order: ratios and intervals are the exact inverse", () => {
  const opposite: Partial<Record<Finding, Finding>> = { lower: "higher", higher: "lower" };
  // 0 − x: the negative of zero would be told from zero.
  const negative = (value: number | null): number | null => (value === null ? null : 0 - value);
  const plain = (value: number | null): number | null => (value === null ? null : value + 0);
  fc.assert(
    fc.property(recipes, (recipe) => {
      const samples = makeComparisonSamples(recipe);
      const rows = allRows(told(samples));
      const others = allRows(told(swapped(samples)));
      expect(others.map(({ id }) => id)).toEqual(rows.map(({ id }) => id));
      for (const [index, row] of rows.entries()) {
        const other = others[index] as ComparisonRow;
        for (const { candidate, reference, estimate } of [row, other]) {
          if (estimate === null) continue;
          expect((candidate ?? 0) / (reference ?? 0)).toBeCloseTo(Math.exp(estimate), 9);
        }
        expect(plain(other.estimate)).toBe(negative(row.estimate));
        expect(plain(other.interval?.low ?? null)).toBe(negative(row.interval?.high ?? null));
        expect(plain(other.interval?.high ?? null)).toBe(negative(row.interval?.low ?? null));
        expect(other.finding).toBe(opposite[row.finding] ?? row.finding);
      }
    }),
    { numRuns: 30 },
  );
});

test("a first service slower by a factor: ratio and interval move by it", () => {
  fc.assert(
    fc.property(recipes, fc.double({ min: 0.5, max: 3, noNaN: true }), (recipe, factor) => {
      const at = (ratio: number): ComparisonRow =>
        rowOf(
          told(makeComparisonSamples({ ...recipe, p99Ratio: { "api/echo": ratio } })),
          "p99 typical",
        );
      const [one, scaled] = [at(1), at(factor)];
      const moved = (value: number | null | undefined): number | null =>
        value == null ? null : Math.exp(value) * factor;
      for (const [was, is] of [
        [one.estimate, scaled.estimate],
        [one.interval?.low, scaled.interval?.low],
        [one.interval?.high, scaled.interval?.high],
      ]) {
        if (moved(was) === null) expect(is ?? null).toBeNull();
        else expect(Math.exp(is ?? Number.NaN)).toBeCloseTo(moved(was) ?? Number.NaN, 9);
      }
    }),
    { numRuns: 30 },
  );
});

test("a slice that a side answered wrongly is noted, and many make the scenario invalid", () => {
  const check = (wrong: number, state: ServiceComparison["state"], note: boolean): void => {
    const samples = makeComparisonSamples({});
    const slices = samples.rounds
      .flatMap(({ scenarios }) => scenarios[0]?.slices ?? [])
      .filter(({ arm }) => arm === "candidate");
    for (const slice of slices.slice(0, wrong)) slice.void = { rule: "status", detail: "" };
    const comparison = told(samples);
    expect(comparison.state).toBe(state);
    expect(comparison.notes.some((text) => text.includes("went wrong"))).toBe(note);
  };
  check(0, "measured", false);
  check(1, "measured", true);
  check(9, "invalid", false);
});
