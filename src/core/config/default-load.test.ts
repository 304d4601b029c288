// What a scenario that gives only its rate is loaded with, and that a run of it has time for an
// answer.
import { expect, test } from "vitest";
import { DEFAULT_POLICY } from "../../../test/support/configurations.ts";
import { requestsDropped } from "../model/load-rules.ts";
import { defaultConnections, defaultSlice, defaultWarmup } from "./default-load.ts";

function loadAt(rateRps: number) {
  return { rateRps, connections: defaultConnections(rateRps), generator: "oha" } as const;
}

test("slices and pairs by the rate", () => {
  const check = (rateRps: number, durationMs: number, pairs: number): void => {
    expect(defaultSlice(loadAt(rateRps), {}), `${rateRps}/s`).toEqual({ durationMs, pairs });
  };
  check(5, 12_000, 1);
  check(10, 10_800, 1);
  check(20, 5_500, 1);
  check(30, 3867, 2);
  check(50, 2520, 3);
  check(100, 2000, 3);
  check(200, 2000, 2);
  check(500, 1000, 2);
  check(1000, 500, 2);
  check(20_000, 500, 2);
});

test("what is given is kept, and the rest follows from it", () => {
  expect(defaultSlice(loadAt(250), { duration: 500 })).toEqual({ durationMs: 500, pairs: 3 });
  expect(defaultSlice(loadAt(2000), { pairs: 8 })).toEqual({ durationMs: 500, pairs: 8 });
});

test("eleven rounds of three scenarios leave a fifth of the time budget, and 100 requests count", () => {
  for (const rateRps of [10, 20, 30, 40, 50, 100, 150, 200, 500, 1000, 10_000]) {
    const load = loadAt(rateRps);
    const { durationMs, pairs } = defaultSlice(load, {});
    const loadMs = 11 * 3 * 2 * pairs * durationMs;
    expect(loadMs, `${rateRps}/s`).toBeLessThan(0.8 * DEFAULT_POLICY.timeBudgetMs);
    const kept = Math.round((rateRps * durationMs) / 1000) - requestsDropped(load);
    expect(kept, `${rateRps}/s`).toBeGreaterThanOrEqual(100);
  }
});

test("a warm-up lasts a tenth of a second, and uses each connection twice", () => {
  const check = (rateRps: number, connections: number, requests: number): void => {
    expect(defaultWarmup({ rateRps, connections, generator: "oha" })).toBe(requests);
  };
  check(2000, 16, 200);
  check(250, 8, 25);
  check(200, 16, 32);
  check(1, 4, 8);
});
