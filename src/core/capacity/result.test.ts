// From slices to a result: states, medians of brackets, and files that were tampered with.
import { expect, test } from "vitest";
import { describeCapacity } from "../../../satellites/sheets/capacity/words.ts";
import { type CapacityRecipe, makeCapacitySamples } from "../../../test/support/capacity.ts";
import {
  CapacityResultSchema,
  type CapacitySamples,
  CapacitySamplesSchema,
  type CapacityState,
} from "./model.ts";
import { summarizeCapacity } from "./result.ts";

const told = (samples: CapacitySamples) => describeCapacity(summarizeCapacity(samples));

function check(recipe: CapacityRecipe, state: CapacityState, headline: RegExp) {
  const samples = makeCapacitySamples(recipe);
  expect(CapacitySamplesSchema.parse(samples)).toEqual(samples);
  const result = told(samples);
  expect(CapacityResultSchema.parse(result)).toEqual(result);
  expect(result.state).toBe(state);
  expect(result.headline).toMatch(headline);
  return result;
}

test("a capacity is found, whatever it is", () => {
  for (const capacityRps of [20, 400, 30_000]) {
    const { capacity } = check(
      { capacityRps },
      "found",
      /^api\/echo sustains [\d,.]+\/s with a p99/,
    );
    expect(capacity?.estimate).toBeGreaterThan(capacityRps * 0.95);
    expect(capacity?.estimate).toBeLessThan(capacityRps * 1.05);
    expect(capacity?.low).toBeLessThan(capacity?.estimate ?? 0);
    expect(capacity?.high).toBeGreaterThan(capacity?.estimate ?? 0);
    expect(capacity?.level).toBeCloseTo(1 - 2 / 256, 12);
  }
});

test("throughput per core is answers over CPU time where the launch was at its best", () => {
  const { perCore } = check({ busyShare: 0.5 }, "found", /sustains/);
  expect(perCore?.estimate).toBeGreaterThan(740);
  expect(perCore?.estimate).toBeLessThan(840);
});

test("the generator's limit is a bound, never a capacity", () => {
  const { capacity, launches } = check(
    { generatorLimitRps: 300 },
    "at-least",
    /sustains at least 29\d\/s .*, limited by the generator$/,
  );
  expect(capacity?.high).toBeNull();
  expect(capacity?.estimate).toBeLessThanOrEqual(300);
  expect(new Set(launches.map(({ limit }) => limit))).toEqual(new Set(["generator"]));
});

test("few launches at the generator's limit leave the median, and open the interval", () => {
  const samples = makeCapacitySamples();
  const limited = makeCapacitySamples({ generatorLimitRps: 405 });
  const { state, capacity, warnings } = told(limited);
  expect(state).toBe("found");
  expect(capacity?.high).toBeNull();
  expect(warnings.join()).toMatch(/in \d of 8 launches the search was limited by the generator/);
  expect(capacity?.estimate).toBeCloseTo(told(samples).capacity?.estimate ?? 0, -2);
});

test("nothing is told from a disturbed machine, a crash at once, or no launch", () => {
  const disturbed = check({ disturbed: true }, "invalid", /the machine was disturbed \(other/);
  expect([disturbed.capacity, disturbed.perCore, disturbed.cost.rows]).toEqual([null, null, []]);
  check({ launches: 1, crashInLaunch: 0 }, "invalid", /exited with code 1 in launch 1/);
  check({ launches: 1, interrupted: true }, "invalid", /no launch .*stopped by a signal/);
});

test("not even the least rate", () => {
  const { capacity } = check({ capacityRps: 3 }, "below", /does not sustain 6\.73\/s/);
  expect(capacity?.low).toBe(0);
});

test("what counts, and what a reader has to know", () => {
  const saysOf = (recipe: CapacityRecipe): string =>
    check(recipe, "found", /./).warnings.join("\n");
  expect(saysOf({})).toBe("");
  expect(saysOf({ crashInLaunch: 2 })).toMatch(
    /^7 of 8 launches count: 1 failed\napi exited.*\nout of/,
  );
  expect(saysOf({ interrupted: true })).toBe("7 of 8 launches count: stopped by a signal");
  expect(saysOf({ launches: 2 })).toMatch(/chance of 50 % only: 95 % take 6 launches/);
  expect(saysOf({ busyShare: 0.3 })).toMatch(/used only 30 % of its CPUs .* the 8 connections/);
  expect(saysOf({ objectiveMs: 100 })).toMatch(/a try of 2 s is short .* 5 % above capacity/);
});

test("a file with other rates than the search asks for is refused", () => {
  const samples = makeCapacitySamples();
  const [slice] = samples.launches[3]?.slices ?? [];
  if (slice === undefined) throw new Error("no slice");
  slice.rateRps *= 1.001;
  expect(() => told(samples)).toThrow(/launch 4 of the samples has a try at/);
  const longer = makeCapacitySamples();
  longer.launches[0]?.slices.push(slice);
  expect(() => told(longer)).toThrow(/where the search asks for no more/);
});
