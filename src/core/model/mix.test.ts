// How a mix is shared out: nothing is lost, and each part is a scenario like any other.
import fc from "fast-check";
import { expect, test } from "vitest";
import { makeRequest, makeScenario } from "../../../test/support/samples.ts";
import type { Scenario } from "./config.ts";
import { requestsDropped } from "./load-rules.ts";
import { deal, dealLoad, isPart, partsOf, splitIntoParts, wholeId, withParts } from "./mix.ts";

function mixOf(weights: readonly number[], change: Partial<Scenario> = {}): Scenario {
  const mix = weights.map((weight, i) => ({
    name: `p${i}`,
    weight,
    request: makeRequest({ path: `/${i}` }),
    expectStatus: 200 + i,
  }));
  return makeScenario({ mix, ...change });
}

test("each part is a scenario with its own request and its share of the load", () => {
  const parts = partsOf(mixOf([9, 1], { rateRps: 1000, connections: 32, warmupRequests: 100 }));
  expect(parts).toMatchObject([
    { id: "api/echo[p0]", name: "echo[p0]", request: { path: "/0" }, expectStatus: 200 },
    { id: "api/echo[p1]", name: "echo[p1]", request: { path: "/1" }, expectStatus: 201 },
  ]);
  expect(parts.map(({ rateRps }) => rateRps)).toEqual([900, 100]);
  expect(parts.map(({ connections }) => connections)).toEqual([26, 6]);
  expect(parts.map(({ warmupRequests }) => warmupRequests)).toEqual([90, 10]);
  for (const part of parts) expect(part).not.toHaveProperty("mix");
  expect(partsOf(makeScenario())).toEqual([]);
});

test("lists hold wholes, parts or both, and ids lead from a part to its whole", () => {
  const scenarios = [makeScenario(), mixOf([1, 1], { id: "api/shop", name: "shop" })];
  const ids = (list: readonly Scenario[]): string[] => list.map(({ id }) => id);
  const parts = ["api/shop[p0]", "api/shop[p1]"];
  expect(ids(withParts(scenarios))).toEqual(["api/echo", "api/shop", ...parts]);
  expect(ids(splitIntoParts(scenarios))).toEqual(["api/echo", ...parts]);
  expect(["api/shop", ...parts].map(wholeId)).toEqual(Array(3).fill("api/shop"));
  expect(["api/shop", ...parts].map(isPart)).toEqual([false, true, true]);
});

test("no request and no connection is lost, and no part is without", () => {
  const weights = fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 2, maxLength: 8 });
  fc.assert(
    fc.property(weights, fc.nat(5000), fc.integer({ min: 8, max: 500 }), (own, total, open) => {
      const sum = (all: readonly number[]): number => all.reduce((a, b) => a + b, 0);
      const dealt = deal(total, own);
      expect(sum(dealt)).toBe(total);
      for (const [i, share] of dealt.entries()) {
        expect(Math.abs(share - (total * (own[i] ?? 0)) / sum(own))).toBeLessThanOrEqual(1);
      }
      const loads = dealLoad({ rateRps: 1000, connections: open }, own);
      expect(sum(loads.map(({ connections }) => connections))).toBe(open);
      expect(Math.min(...loads.map(({ connections }) => connections))).toBeGreaterThan(0);
      expect(sum(loads.map(({ rateRps }) => rateRps))).toBeCloseTo(1000);
    }),
  );
});

test("the head of a mix that does not count lasts until its slowest part has settled", () => {
  const whole = mixOf([9, 1], { rateRps: 1000, connections: 32 });
  const [fast, slow] = partsOf(whole).map(requestsDropped);
  expect([fast, slow]).toEqual([52, 12]);
  // 12 requests at 100/s are 120 at 1,000/s.
  expect(requestsDropped(whole)).toBe(120);
});
