import fc from "fast-check";
import { expect, test } from "vitest";
import { makeConfig } from "../../../test/support/samples.ts";
import type { Config } from "../model/config.ts";
import { spreadOverShards } from "./shards.ts";

/** A configuration whose services need so much load each. */
function withLoads(loads: readonly number[]): Config {
  const { services, scenarios, ...rest } = makeConfig();
  const [service] = services;
  const [scenario] = scenarios;
  if (service === undefined || scenario === undefined) throw new Error("no service");
  return {
    ...rest,
    services: loads.map((_, i) => ({ ...service, name: `s${i}` })),
    scenarios: loads.map((load, i) => ({
      ...scenario,
      id: `s${i}/only`,
      service: `s${i}`,
      slice: { durationMs: 500, pairs: load },
    })),
  };
}

test.each<[string, number[], number, string[][]]>([
  ["one shard has all, in order", [1, 3, 2], 1, [["s0", "s1", "s2"]]],
  ["the longest is alone", [1, 9, 2], 2, [["s1"], ["s0", "s2"]]],
  [
    "equal ones alternate",
    [2, 2, 2, 2],
    2,
    [
      ["s0", "s2"],
      ["s1", "s3"],
    ],
  ],
  ["no shard is empty", [4, 4], 5, [["s0"], ["s1"]]],
])("%s", (_, loads, shards, expected) => {
  expect(spreadOverShards(withLoads(loads), shards)).toEqual(expected);
});

test("every service is in exactly one shard, and none is longer than it may be", () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 20 }),
      fc.integer({ min: 1, max: 8 }),
      (loads, shards) => {
        const spread = spreadOverShards(withLoads(loads), shards);
        expect(spread.flat().sort()).toEqual(loads.map((_, i) => `s${i}`).sort());
        expect(spread.every((services) => services.length > 0)).toBe(true);
        const load = (services: string[]): number =>
          services.reduce((sum, name) => sum + (loads[Number(name.slice(1))] ?? 0), 0);
        const total = loads.reduce((a, b) => a + b, 0);
        // Of any spread that gives to the shard with least (Graham 1966).
        const bound = total / spread.length + Math.max(...loads) * (1 - 1 / spread.length);
        expect(Math.max(...spread.map(load))).toBeLessThanOrEqual(bound + 1e-9);
      },
    ),
  );
});
