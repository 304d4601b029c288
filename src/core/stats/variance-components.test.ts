import fc from "fast-check";
import { describe, expect, test } from "vitest";
import reference from "./fixtures/variance-components.json" with { type: "json" };
import { varianceComponents, winsorized } from "./variance-components.ts";

describe("components", () => {
  test("are those of the whole restricted likelihood, maximised elsewhere", () => {
    expect(reference.cases.length).toBeGreaterThan(8);
    for (const { groups, between, within } of reference.cases) {
      const found = varianceComponents(groups);
      expect(found.within / within).toBeCloseTo(1, 5);
      // A ratio of the two says nothing where both are 0.
      expect((found.between - between) / (between + within)).toBeCloseTo(0, 5);
    }
  });

  test("of equal groups are those of the analysis of variance, unless that is negative", () => {
    const equal = reference.cases.filter(({ anova }) => anova !== undefined);
    const positive = equal.filter(({ anova }) => (anova?.between ?? 0) > 0);
    expect([positive.length, equal.length - positive.length].every((n) => n > 0)).toBe(true);
    for (const { groups, anova } of positive) {
      const found = varianceComponents(groups);
      expect(found.within / (anova?.within ?? 0)).toBeCloseTo(1, 6);
      expect(found.between / (anova?.between ?? 0)).toBeCloseTo(1, 6);
    }
    for (const { groups, anova } of equal) {
      if ((anova?.between ?? 0) < 0) expect(varianceComponents(groups).between).toBe(0);
    }
  });

  const cases: [string, number[][], number, number][] = [
    // Means 0 and 2 of two values ±1 each: within 2, between 2 − 2 / 2.
    [
      "by hand",
      [
        [-1, 1],
        [1, 3],
      ],
      1,
      2,
    ],
    [
      "no spread inside",
      [
        [1, 1],
        [3, 3],
      ],
      2,
      0,
    ],
    [
      "no spread at all",
      [
        [1, 1],
        [1, 1],
      ],
      0,
      0,
    ],
    ["one group", [[1, 3]], Number.NaN, 2],
    ["groups of one", [[1], [2], [3]], Number.NaN, Number.NaN],
    ["nothing", [], Number.NaN, Number.NaN],
    [
      "not a number",
      [
        [1, Number.NaN],
        [1, 2],
      ],
      Number.NaN,
      Number.NaN,
    ],
  ];
  test.each(cases)("%s", (_, groups, between, within) => {
    const found = varianceComponents(groups);
    if (Number.isNaN(between)) expect(found.between).toBeNaN();
    else expect(found.between).toBeCloseTo(between, 6);
    if (Number.isNaN(within)) expect(found.within).toBeNaN();
    else expect(found.within).toBeCloseTo(within, 6);
  });

  test("empty groups count for nothing", () => {
    const groups = [
      [1, 2],
      [4, 5.5],
    ];
    expect(varianceComponents([[], ...groups, []])).toEqual(varianceComponents(groups));
  });

  test("a shift changes nothing, a factor enters squared", () => {
    const group = fc.array(fc.integer({ min: -500, max: 500 }), { minLength: 2, maxLength: 6 });
    fc.assert(
      fc.property(fc.array(group, { minLength: 2, maxLength: 8 }), (groups) => {
        const plain = varianceComponents(groups);
        const moved = varianceComponents(groups.map((g) => g.map((value) => 3 * value + 1000)));
        const scale = Math.max(1, plain.within, plain.between);
        expect((moved.within / 9 - plain.within) / scale).toBeCloseTo(0, 4);
        expect((moved.between / 9 - plain.between) / scale).toBeCloseTo(0, 4);
        expect(plain.between).toBeGreaterThanOrEqual(0);
      }),
      { numRuns: 60 },
    );
  });
});

test("winsorising moves what is far to the limit, and nothing else", () => {
  expect(winsorized([-9, -1, 0, 2, 7], { centre: 1, limit: 3 })).toEqual([-2, -1, 0, 2, 4]);
  expect(winsorized([], { centre: 0, limit: 1 })).toEqual([]);
});
