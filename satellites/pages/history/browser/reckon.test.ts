import { expect, test } from "vitest";
import { median, runTicks, verticalDomain } from "./reckon.ts";

const NIGHT = Date.parse("2026-03-01T02:00:00Z") / 1000;

test("what stands below a chart is a day, or a time of the day before it", () => {
  const hours = [0, 1, 2, 30, 31, 400];
  const seconds = hours.map((hour) => NIGHT + 3600 * hour);
  expect(runTicks({ from: 0, to: 5.5 }, seconds, 1.2)).toEqual([
    { at: 0, text: "2026-03-01" },
    { at: 2, text: "04:00" },
    { at: 4, text: "2026-03-02" },
  ]);
  expect(runTicks({ from: 2.5, to: 5.5 }, seconds, 1).map(({ text }) => text)).toEqual([
    "2026-03-02",
    "09:00",
    "2026-03-17",
  ]);
});

const valuesOf = (reach: (number | null)[]) => ({
  value: reach.map(() => 10),
  low: reach.map((one) => (one === null ? null : -one)),
  high: reach,
});

test("a wide interval in four widens no axis, nor does one without an end", () => {
  const { low, high } = verticalDomain(valuesOf([20, 22, 20, 21, 900]), [0, 1, 2, 3, 4], 100);
  expect([low, high].map(Math.round)).toEqual([-24, 24]);
  expect(verticalDomain(valuesOf([null, null]), [0, 1], 100)).toEqual({ low: -0.5, high: 10.5 });
});

test("every value is on the axis, and no change", () => {
  const values = { value: [-30, 40], low: [null, null], high: [null, null] };
  const { low, high } = verticalDomain(values, [0, 1], 100);
  expect(low).toBeLessThan(-30);
  expect(high).toBeGreaterThan(40);
});

test.each([
  [[], null],
  [[3], 3],
  [[40, 10, 20], 20],
  [[40, 10, 30, 20], 25],
])("the median of %j is %j, as everywhere else", (values, expected) => {
  expect(median(values)).toBe(expected);
});
