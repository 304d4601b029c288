// Windows of a slice: how many there are, and that every request is in one.
import fc from "fast-check";
import { expect, test } from "vitest";
import { sortSample } from "../stats/quantile.ts";
import { summarizeLatency } from "./slice.ts";
import { cutWindows, windowCount } from "./windows.ts";

const summarize = (window: Float64Array) => summarizeLatency(sortSample(window));

test("a window is 50 ms and 100 requests, whichever takes longer", () => {
  const check = (requests: number, rateRps: number, count: number): void => {
    expect(windowCount(requests, rateRps), `${requests} at ${rateRps}/s`).toBe(count);
  };
  check(1000, 4000, 5);
  check(920, 4000, 4);
  check(960, 2000, 9);
  check(199, 1000, 1);
  check(200, 1000, 2);
  // 100 ms hold enough requests for twenty windows, and are two.
  check(4000, 40_000, 2);
  check(109, 250, 1);
  check(0, 1000, 1);
});

test("what is too short for two windows is not cut", () => {
  expect(cutWindows(new Float64Array(199), 1000, summarize)).toBeNull();
  expect(cutWindows(new Float64Array(0), 1000, summarize)).toBeNull();
});

test("a stop is in one window, whose neighbours know nothing of it", () => {
  const latencies = new Float64Array(1000).fill(100).fill(9000, 410, 450);
  const windows = cutWindows(latencies, 4000, summarize) ?? [];
  expect(windows.map(({ p99 }) => p99)).toEqual([100, 100, 9000, 100, 100]);
  expect(summarize(latencies).p99).toBe(9000);
});

test("every request is in one window, and windows are alike to one request", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 200, max: 5000 }),
      fc.integer({ min: 1, max: 20_000 }),
      (n, rate) => {
        const seen: number[] = [];
        const windows = cutWindows(
          Float64Array.from({ length: n }, (_, i) => i),
          rate,
          (window) => {
            seen.push(...window);
            return summarize(window);
          },
        );
        if (windows === null) {
          expect(windowCount(n, rate)).toBe(1);
          return;
        }
        expect(seen).toEqual(Array.from({ length: n }, (_, i) => i));
        const sizes = windows.map(({ requests }) => requests);
        expect(Math.min(...sizes)).toBeGreaterThanOrEqual(100);
        expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
        expect((1000 * Math.max(...sizes)) / rate).toBeGreaterThanOrEqual(50);
      },
    ),
    { numRuns: 200 },
  );
});
