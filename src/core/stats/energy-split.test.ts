import fc from "fast-check";
import { expect, test } from "vitest";
import { normal } from "../../../test/support/samples.ts";
import { createPrng } from "../base/prng.ts";
import { testSplit, type Weighted } from "./energy-split.ts";

const alike = (values: readonly number[]): Weighted => ({
  values: Float64Array.from(values),
  weights: Float64Array.from(values, () => 1),
});
const TEST = { least: 2, level: 1, permutations: 199, seed: 1 };

test("by hand: parts of −1, −1 and 1, 1, 1", () => {
  // The median is 1, more than half are equal, the sample's sd is 1.0954: means differ by 2 / 1.0954.
  const split = testSplit(alike([-1, -1, 1, 1, 1]), TEST);
  expect(split?.index).toBe(2);
  expect(split?.statistic).toBeCloseTo(((2 * 3) / 5) * 2 * (2 / Math.sqrt(1.2)) ** 2, 10);
});

test("p is what counting all orders gives", () => {
  // Of the 20 ways to choose three of six places, two put these three on one side.
  const split = testSplit(alike([0, 0.1, 0.2, 5, 5.1, 5.2]), {
    ...TEST,
    least: 3,
    permutations: 20_000,
  });
  expect(split?.index).toBe(3);
  expect(Math.abs((split?.p ?? 0) - 0.1)).toBeLessThan(4 * Math.sqrt((0.1 * 0.9) / 20_000));
});

test("counting ends where the level is out of reach", () => {
  const prng = createPrng(1);
  const noise = alike(Array.from({ length: 30 }, () => normal(prng)));
  const test = { least: 3, permutations: 19_999, seed: 1 };
  const early = testSplit(noise, { ...test, level: 5e-5 })?.p ?? 0;
  expect(early).toBeGreaterThan(5e-5);
  expect(early).toBeLessThanOrEqual(testSplit(noise, { ...test, level: 1 })?.p ?? 0);
});

test.each([
  ["too short", [1, 2, 3]],
  ["all equal", [3, 3, 3, 3, 3, 3]],
  ["empty", []],
])("%s: none", (_, values) => {
  expect(testSplit(alike(values), TEST)).toBeNull();
});

test("neither units, the zero nor the weights' scale say anything", () => {
  const values = fc.array(fc.integer({ min: -50, max: 50 }), { minLength: 6, maxLength: 20 });
  fc.assert(
    fc.property(values, fc.integer({ min: -4, max: 4 }), (own, power) => {
      const one = testSplit(alike(own), TEST);
      const scaled = alike(own.map((value) => value * 2 ** power));
      const other = testSplit({ ...scaled, weights: scaled.weights.map(() => 2 ** power) }, TEST);
      expect([other?.index, other?.p]).toEqual([one?.index, one?.p]);
    }),
  );
});

test("values of no weight to speak of do not say where", () => {
  const values = [0, 0.1, 0, 0.1, 1, 1.1, 1, 1.1, 9, 9, 9];
  const stretch = alike(values);
  const light = { ...stretch, weights: stretch.values.map((value) => (value === 9 ? 1e-9 : 1)) };
  expect(testSplit(stretch, TEST)?.index).toBe(8);
  expect(testSplit(light, TEST)?.index).toBe(4);
});
