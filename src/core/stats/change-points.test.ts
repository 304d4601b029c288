import { expect, test } from "vitest";
import { normal } from "../../../test/support/samples.ts";
import { createPrng } from "../base/prng.ts";
import { changePoints, type SeriesPoint, WINDOW } from "./change-points.ts";

interface Recipe {
  nights: number;
  sd?: number;
  seed?: number;
  level?: (night: number) => number;
  breaks?: readonly number[];
}

function series({
  nights,
  sd = 0.01,
  seed = 1,
  level = () => 0,
  breaks = [],
}: Recipe): SeriesPoint[] {
  const prng = createPrng(seed);
  return Array.from({ length: nights }, (_, night) => ({
    value: level(night) + sd * normal(prng),
    standardError: sd,
    afterBreak: breaks.includes(night),
  }));
}

const step = (at: number, size: number) => (night: number) => (night < at ? 0 : size);
const find = (recipe: Recipe) => changePoints(series(recipe), { seed: 7 });

test("a step: its night, its size, and how soon", () => {
  const [change, ...more] = find({ nights: 60, level: step(40, 0.05) });
  expect(more).toEqual([]);
  expect(change).toMatchObject({ first: 40, until: 40 });
  expect(change?.earliest).toBeLessThanOrEqual(40);
  expect(change?.latest).toBeGreaterThanOrEqual(40);
  expect(change?.foundAfter).toBeLessThanOrEqual(50);
  expect(change?.p).toBeLessThanOrEqual(5e-5);
  expect(change?.size.low).toBeLessThan(0.05);
  expect(change?.size.high).toBeGreaterThan(0.05);
});

test("a regression and its mending are two changes", () => {
  const level = (night: number): number => (night >= 30 && night < 50 ? 0.05 : 0);
  expect(
    find({ nights: 90, level }).map(({ first, size }) => [first, Math.sign(size.estimate)]),
  ).toEqual([
    [30, 1],
    [50, -1],
  ]);
});

test("two steps up are two changes, a creep over as many nights is one", () => {
  const stairs = (night: number): number => (night < 30 ? 0 : night < 60 ? 0.05 : 0.1);
  expect(find({ nights: 90, level: stairs }).map(({ first }) => first)).toEqual([30, 60]);
  const creep = (night: number): number => 0.1 * Math.min(1, Math.max(0, (night - 29) / 30));
  const [change, ...more] = find({ nights: 90, level: creep });
  expect(more).toEqual([]);
  expect(change?.earliest).toBeLessThanOrEqual(30);
  expect(change?.latest).toBeGreaterThanOrEqual(30);
  expect(change?.until).toBeGreaterThan(50);
  expect(change?.size.low).toBeLessThan(0.1);
  expect(change?.size.high).toBeGreaterThan(0.1);
});

test("a break is no change, and what lies before it is compared with nothing", () => {
  expect(find({ nights: 80, level: step(40, 0.2), breaks: [40] })).toEqual([]);
  const both = (night: number): number => step(40, 0.2)(night) + step(60, 0.05)(night);
  expect(find({ nights: 90, level: both, breaks: [40] }).map(({ first }) => first)).toEqual([60]);
});

test.each([1, 2])("%d wild nights are none", (wild) => {
  expect(
    find({ nights: 80, level: (night) => (night >= 40 && night < 40 + wild ? 0.3 : 0) }),
  ).toEqual([]);
});

test("what was found stays as more nights come", () => {
  const all = series({
    nights: 160,
    level: (night) => step(50, 0.05)(night) - step(90, 0.05)(night),
  });
  let known: string[] = [];
  for (const nights of [0, 49, 53, 60, 90, 100, 159, 160]) {
    const now = changePoints(all.slice(0, nights), { seed: 7 }).map(
      ({ foundAfter, p }) => `${foundAfter} ${p}`,
    );
    expect(now.slice(0, known.length)).toEqual(known);
    known = now;
  }
  expect(known).toHaveLength(2);
});

test("a wild last night does not move a change that was found before", () => {
  const level = (night: number): number => step(48, 0.03)(night) - step(89, 0.4)(night);
  const [change, ...more] = find({ nights: 90, level, breaks: [40] });
  expect(more).toEqual([]);
  expect(change).toMatchObject({ first: 48, until: 48 });
  expect(change?.latest).toBeLessThan(change?.foundAfter ?? 0);
});

test("a night that was measured badly counts for less", () => {
  const points = series({ nights: 60, level: step(50, 0.05) });
  // Five nights of the old level, measured to ten times the spread, after the change.
  const poor = points.slice(20, 25).map((point) => ({ ...point, standardError: 0.5 }));
  const mixed = [...points.slice(0, 55), ...poor, ...points.slice(55)];
  expect(changePoints(mixed, { seed: 7 }).map(({ first }) => first)).toEqual([50]);
});

test("of exact values, as of binaries' sizes, the night is exact", () => {
  const [change, ...more] = find({ nights: 60, sd: 0, level: step(30, 0.01) });
  expect(more).toEqual([]);
  expect(change).toMatchObject({ first: 30, until: 30, earliest: 30, latest: 30 });
  expect(change?.size.estimate).toBeCloseTo(0.01, 12);
  expect(find({ nights: 60, sd: 0 })).toEqual([]);
});

test("nothing, one, and what is no number", () => {
  expect(changePoints([], { seed: 1 })).toEqual([]);
  expect(find({ nights: 1 })).toEqual([]);
  const wrong = [{ value: Number.NaN, standardError: null, afterBreak: false }];
  expect(() => changePoints(wrong, { seed: 1 })).toThrow("not a finite number: NaN");
});

test("a long series takes its time once", () => {
  expect(
    find({ nights: 4 * WINDOW, level: step(3 * WINDOW, 0.05) }).map(({ first }) => first),
  ).toEqual([3 * WINDOW]);
});
