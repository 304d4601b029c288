// Windows of a slice: how many there are, and that every request is in one.
import fc from "fast-check";
import { expect, test } from "vitest";
import { windowCount } from "../model/load-rules.ts";
import { cutWindows } from "./slice.ts";

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
  expect(cutWindows(199, 1000)).toBeNull();
  expect(cutWindows(0, 1000)).toBeNull();
});

test("every request is in one window, and windows are alike to one request", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 200, max: 5000 }),
      fc.integer({ min: 1, max: 20_000 }),
      (n, rate) => {
        const windows = cutWindows(n, rate);
        if (windows === null) {
          expect(windowCount(n, rate)).toBe(1);
          return;
        }
        expect(windows.map(({ from }) => from)).toEqual([
          0,
          ...windows.slice(0, -1).map(({ to }) => to),
        ]);
        expect(windows.at(-1)?.to).toBe(n);
        const sizes = windows.map(({ from, to }) => to - from);
        expect(Math.min(...sizes)).toBeGreaterThanOrEqual(100);
        expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
        expect((1000 * Math.max(...sizes)) / rate).toBeGreaterThanOrEqual(50);
      },
    ),
    { numRuns: 200 },
  );
});
