// Every request is dealt, in the proportion of the slices.
import fc from "fast-check";
import { expect, test } from "vitest";
import { shareOut } from "./round-time.ts";

const loadOf = (rateRps: number, pairs: number, warmupRequests = 0) => ({
  rateRps,
  warmupRequests,
  slice: { durationMs: 500, pairs },
});

test("a scenario gets its share of what the slices send", () => {
  const check = (requests: number, loads: ReturnType<typeof loadOf>[], shares: number[]): void => {
    expect(shareOut(requests, loads)).toEqual(shares);
  };
  check(1000, [loadOf(2000, 2)], [1000]);
  check(1000, [loadOf(2000, 2), loadOf(2000, 2)], [500, 500]);
  check(3400, [loadOf(2000, 2, 200), loadOf(250, 3, 25)], [2877, 523]);
  check(0, [loadOf(2000, 2)], [0]);
  check(-50, [loadOf(2000, 2), loadOf(100, 1)], [0, 0]);
});

test("the shares add up", () => {
  const load = fc.record({
    rateRps: fc.integer({ min: 2, max: 10_000 }),
    warmupRequests: fc.nat(100),
    slice: fc.record({
      durationMs: fc.integer({ min: 500, max: 2000 }),
      pairs: fc.integer({ min: 1, max: 5 }),
    }),
  });
  fc.assert(
    fc.property(
      fc.nat(100_000),
      fc.array(load, { minLength: 1, maxLength: 6 }),
      (requests, loads) => {
        const shares = shareOut(requests, loads);
        expect(shares.reduce((sum, share) => sum + share, 0)).toBe(requests);
        expect(Math.min(...shares)).toBeGreaterThanOrEqual(0);
      },
    ),
  );
});
