import { expect, test } from "vitest";
import reference from "./fixtures/variance-components.json" with { type: "json" };
import { varianceComponents, winsorized } from "./variance-components.ts";

test("components of equal groups are those of an analysis of variance computed elsewhere", () => {
  const equal = reference.cases.flatMap(({ groups, anova }) => (anova ? [{ groups, anova }] : []));
  expect(new Set(equal.map(({ anova }) => anova.between > 0)).size).toBe(2);
  for (const { groups, anova } of equal) {
    const found = varianceComponents(groups);
    expect(found.within / anova.within).toBeCloseTo(1, 6);
    expect(found.between / anova.within).toBeCloseTo(Math.max(0, anova.between / anova.within), 6);
  }
});

test.each([
  // Means 0 and 2 of two values ±1 each: within 2, between 2 − 2 / 2.
  ["by hand", [[-1, 1], [1, 3]], 1, 2], // biome-ignore format: a case a line
  // Size 4 − (9 + 1) / 4; outside 3 · 0.5² + 1.5², less what is expected of within.
  ["of unequal size", [[-1, 0, 1], [2], []], (3 - 1) / 1.5, 1],
  ["one group", [[1, 3]], Number.NaN, 2],
  ["groups of one", [[1], [2], [3]], Number.NaN, Number.NaN],
  ["nothing", [], Number.NaN, Number.NaN],
])("components %s", (_, groups, between, within) => {
  expect(varianceComponents(groups)).toEqual({ between, within });
});

test("winsorising moves what is far to the limit, and nothing else", () => {
  expect(winsorized([-9, -1, 0, 2, 7], { centre: 1, limit: 3 })).toEqual([-2, -1, 0, 2, 4]);
});
