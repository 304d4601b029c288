import fc from "fast-check";
import { expect, test } from "vitest";
import { makeConfig } from "../../../test/support/samples.ts";
import type { Config } from "../model/config.ts";
import { parseShard, spreadOverShards } from "./shards.ts";

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

/** `s0 s1 2/3`: the second of three parts of the rounds of two services. */
const told = (loads: readonly number[], shards: number): string[] =>
  spreadOverShards(withLoads(loads), shards).map(
    ({ services, part, parts }) => `${services.join(" ")} ${part + 1}/${parts}`,
  );

test.each<[string, number[], number, string[]]>([
  ["one shard has all, in order", [1, 3, 2], 1, ["s0 s1 s2 1/1"]],
  ["two shards share all rounds", [4, 4], 2, ["s0 s1 1/2", "s0 s1 2/2"]],
  ["three and one service", [4], 3, ["s0 1/3", "s0 2/3", "s0 3/3"]],
  ["three and two services", [4, 1], 3, ["s0 s1 1/3", "s0 s1 2/3", "s0 s1 3/3"]],
  ["four divide services too", [4, 4], 4, ["s0 1/2", "s0 2/2", "s1 1/2", "s1 2/2"]],
  ["unless there is one", [4], 9, ["s0 1/3", "s0 2/3", "s0 3/3"]],
  [
    "the longest is alone, and with most shards",
    [1, 9, 2],
    5,
    ["s1 1/3", "s1 2/3", "s1 3/3", "s0 s2 1/2", "s0 s2 2/2"],
  ],
])("%s", (_, loads, shards, expected) => {
  expect(told(loads, shards)).toEqual(expected);
});

test("every round of every service is in one shard, and no group is longer than it may be", () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 20 }),
      fc.integer({ min: 1, max: 40 }),
      (loads, shards) => {
        const spread = spreadOverShards(withLoads(loads), shards);
        expect(spread.length).toBe(Math.min(shards, 3 * loads.length));
        const names = loads.map((_, i) => `s${i}`);
        for (const name of names) {
          const own = spread.filter(({ services }) => services.includes(name));
          const [first] = own;
          expect(own.map(({ part }) => part)).toEqual(own.map((_, k) => k));
          expect(own.map(({ parts }) => parts)).toEqual(own.map(() => own.length));
          expect(own.map(({ services }) => services)).toEqual(own.map(() => first?.services));
          // So that a lost shard costs rounds, and no service.
          if (shards > 1) expect(own.length).toBeGreaterThan(1);
        }
        expect(spread.every(({ services }) => services.length > 0)).toBe(true);
        const load = (services: readonly string[]): number =>
          services.reduce((sum, name) => sum + (loads[Number(name.slice(1))] ?? 0), 0);
        const total = loads.reduce((a, b) => a + b, 0);
        // The last service of the longest group would have ended no sooner in any other.
        const groups = spread.filter(({ part }) => part === 0).length;
        const bound = (total + (groups - 1) * Math.max(...loads)) / spread.length;
        for (const { services, parts } of spread) {
          expect(load(services) / parts).toBeLessThanOrEqual(bound + 1e-9);
        }
        // Whoever knows the number of shards in use comes to the same.
        expect(spreadOverShards(withLoads(loads), spread.length)).toEqual(spread);
      },
    ),
  );
});

test.each([
  ["1/3", { index: 1, of: 3 }],
  ["256/256", { index: 256, of: 256 }],
  ["0/3", null],
  ["4/3", null],
  ["1/257", null],
  ["1", null],
])("%s as a shard", (text, expected) => {
  expect(parseShard(text)).toEqual(expected);
});
