import fc from "fast-check";
import { expect, test } from "vitest";
import type { Unit } from "../model/metric.ts";
import {
  formatAmount,
  formatChange,
  formatCount,
  formatCpuList,
  formatDetectable,
  formatDuration,
  formatEstimate,
  formatFraction,
  formatInterval,
  formatLimit,
  formatPair,
  formatShare,
  formatValue,
} from "./format.ts";

const KIB = 1024;

test.each<[Unit, number | null, string]>([
  ["us", 312, "312 µs"],
  ["us", 8.416, "8.42 µs"],
  ["us", 999.4, "999 µs"],
  ["us", 999.6, "1.00 ms"],
  ["us", 1240, "1.24 ms"],
  ["us", 2_100_000, "2.10 s"],
  ["us", 0, "0 µs"],
  ["us", 0.0004, "0.000 µs"],
  ["us", 3.6e9, "3,600 s"],
  ["ms", 14.24, "14.2 ms"],
  ["ms", 0.5, "500 µs"],
  ["ms", 1500, "1.50 s"],
  ["bytes", 512, "512 B"],
  ["bytes", 18.3 * KIB ** 2, "18.3 MiB"],
  ["bytes", 1023.9 * KIB, "1.00 MiB"],
  ["bytes", 2 * KIB ** 3, "2.00 GiB"],
  ["count", 7, "7"],
  ["count", 7.5, "7.50"],
  ["count", 12_345, "12,345"],
  ["count", -3.21, "−3.21"],
  ["us", null, "–"],
  ["us", Number.NaN, "–"],
  ["us", Number.POSITIVE_INFINITY, "–"],
])("value %s %s is %s", (unit, value, expected) => {
  expect(formatValue(unit, value)).toBe(expected);
});

test("a chosen amount has no idle zeros", () => {
  expect([50, 1000, 1250, 100, 0].map((value) => formatAmount("us", value))).toEqual([
    "50 µs",
    "1 ms",
    "1.25 ms",
    "100 µs",
    "0 µs",
  ]);
});

test.each<[number | null, number | null, string]>([
  [312, 351, "312 → 351 µs"],
  [312, 350.5, "312.0 → 350.5 µs"],
  [978, 1030, "0.978 → 1.03 ms"],
  [978.4, 1029, "0.9784 → 1.029 ms"],
  [1000, 1000.4, "1.00 → 1.00 ms"],
  [0, 351, "0 → 351 µs"],
  [null, 351, "– → 351 µs"],
  [312, null, "312 → – µs"],
  [null, null, "–"],
])("pair %s, %s is %s", (reference, candidate, expected) => {
  expect(formatPair("us", reference, candidate)).toBe(expected);
});

test.each<[number | null, string]>([
  [Math.log(1.124), "+12.4 %"],
  [Math.log(0.969), "−3.1 %"],
  [Math.log(2.5), "+150 %"],
  [Math.log(13.5), "+1,250 %"],
  [Math.log(1.9996), "+100 %"],
  [0.0004, "0 %"],
  [-0.0004, "0 %"],
  [0, "0 %"],
  [1e4, "+∞ %"],
  [null, "–"],
  [Number.NaN, "–"],
])("change %s is %s", (logRatio, expected) => {
  expect(formatChange(logRatio)).toBe(expected);
});

test("a change that counts for less than it was is a bound", () => {
  const clipped = true;
  expect([0.05, -0.05, null].map((estimate) => formatEstimate({ estimate, clipped }))).toEqual([
    "≥ +5.1 %",
    "≤ −4.9 %",
    "–",
  ]);
  expect(formatEstimate({ estimate: 0.05 })).toBe("+5.1 %");
});

test("whoever divides two values as shown gets the change as shown, and its sign", () => {
  const read = (text: string): number => Number(text.replace(/,/g, ""));
  const value = fc.double({ min: 0.5, max: 1e9, noNaN: true });
  const change = fc.double({ min: -2, max: 3, noNaN: true });
  const units = fc.constantFrom<Unit>("us", "ms", "bytes", "count");
  fc.assert(
    fc.property(units, value, change, (unit, reference, by) => {
      const text = formatPair(unit, reference, reference * Math.exp(by));
      const [from = "", to = ""] = text.replace(/ [a-zµ]+$/i, "").split(" → ");
      expect(formatChange(Math.log(read(to) / read(from)))).toBe(formatChange(by));
    }),
    { numRuns: 2000 },
  );
});

test.each<[number | null, number | null, string]>([
  [Math.log(1.0825), Math.log(1.1681), "[+8.2, +16.9] %"],
  [Math.log(1.1), Math.log(1.1), "[+10.0, +10.0] %"],
  [-0.0004, 0.0004, "[−0.1, +0.1] %"],
  [null, Math.log(1.169), "[−∞, +16.9] %"],
  [Math.log(0.9), null, "[−10.0, +∞] %"],
  [null, null, "(no bound yet)"],
])("interval %s, %s is %s", (low, high, expected) => {
  const estimated = { estimate: 0, interval: { low, high, level: 0.95 } };
  expect(formatInterval(estimated)).toBe(expected);
  expect(formatInterval({ ...estimated, estimate: null })).toBe("–");
});

test("an interval is never shown narrower than it is", () => {
  const read = (text: string): number => Number(text.replace("−", "-").replace(/,/g, ""));
  fc.assert(
    fc.property(
      fc.double({ min: -1.5, max: 3, noNaN: true }),
      fc.double({ min: 0, max: 2, noNaN: true }),
      (low, width) => {
        const text = formatInterval({
          estimate: low,
          interval: { low, high: low + width, level: 0.95 },
        });
        const [shownLow = "", shownHigh = ""] = text.slice(1, -3).split(", ");
        expect(read(shownLow)).toBeLessThanOrEqual(Math.expm1(low) * 100 + 1e-6);
        expect(read(shownHigh)).toBeGreaterThanOrEqual(Math.expm1(low + width) * 100 - 1e-6);
      },
    ),
  );
});

test.each<[number, string]>([
  [0, "0 ms"],
  [850, "850 ms"],
  [999.6, "1.0 s"],
  [2100, "2.1 s"],
  [59_960, "1 min 00 s"],
  [200_000, "3 min 20 s"],
  [3_599_600, "1 h 00 min"],
  [3_900_000, "1 h 05 min"],
  [Number.NaN, "–"],
])("%s ms lasts %s", (ms, expected) => {
  expect(formatDuration(ms)).toBe(expected);
});

test("fractions, shares, limits, counts and CPU lists", () => {
  expect([0.1, 0.025, 0.0004, 1].map(formatFraction)).toEqual(["10 %", "2.5 %", "0.04 %", "100 %"]);
  expect([0, 0.0001, 0.00469, 0.713, 1].map(formatShare)).toEqual([
    "0 %",
    "<0.1 %",
    "0.5 %",
    "71 %",
    "100 %",
  ]);
  expect([0.0601, 0.06, null].map(formatDetectable)).toEqual(["6.1 %", "6.0 %", "–"]);
  const limits = { floor: 0.025, margin: 0.05 };
  expect(formatLimit({ state: "regressed", ...limits })).toBe("+2.5 %");
  expect(formatLimit({ state: "pass", ...limits })).toBe("+5 %");
  expect([0, 1234, -1_234_567].map(formatCount)).toEqual(["0", "1,234", "−1,234,567"]);
  expect(formatCpuList([5, 2, 3, 9])).toBe("2-3,5,9");
});
