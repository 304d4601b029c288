import { describe, expect, test } from "vitest";
import { makeConfig } from "../../../test/support/samples.ts";
import { slicesOf } from "../model/parts.ts";
import type { Round, Slice } from "../model/samples.ts";
import type { Rule } from "../verdict/decide.ts";
import {
  choiceOf,
  leastVariancePairs,
  planSlices,
  type SliceCosts,
  sliceCosts,
  soonestPairs,
} from "./slices.ts";

const RULE: Rule = {
  tolerance: 0.01,
  margin: 0.1,
  floor: 0.05,
  alpha: 0.01,
  hypotheses: 6,
  beta: 0.05,
};
const COSTS: SliceCosts = { pairMs: 1000, gapMs: 0, overheadMs: 4000 };

/**
 * Two scenarios of two pairs, 500 ms each, 30 ms between slices; 800 ms before the first and 400 ms
 * after the last.
 */
function wholeRound(index: number): Round {
  const starts = Array.from({ length: 8 }, (_, i) => index * 10_000 + 800 + i * 530);
  const slices = (from: number): Slice[] =>
    starts.slice(from, from + 4).map((startedAtMs) => ({ startedAtMs, void: null }) as Slice);
  const arm = { pooled: null, curve: [], saturated: false };
  const arms = { candidate: arm, reference: arm };
  return {
    service: "api",
    index,
    startedAtMs: index * 10_000,
    endedAtMs: index * 10_000 + 800 + 8 * 530 + 400,
    loadMs: 4000,
    launches: null,
    scenarios: [
      { scenario: "api/echo", arms, slices: slices(0) },
      { scenario: "api/hello", arms, slices: slices(4) },
    ],
    dependencies: [],
    failure: null,
  };
}

const { scenarios } = makeConfig();
const [echo] = scenarios;
if (echo === undefined) throw new Error("the configuration has a scenario");

describe("what slices cost", () => {
  test("gaps between slices, and half of the rest for one of two equal scenarios", () => {
    const costs = sliceCosts(echo, scenarios, [wholeRound(0), wholeRound(1)]);
    expect(costs).toEqual({ pairMs: 1060, gapMs: 30, overheadMs: 600 });
  });

  test("nothing is known without a whole round", () => {
    expect(sliceCosts(echo, scenarios, [])).toBe(null);
    const failed = { ...wholeRound(0), failure: { kind: "crash", text: "" } } as Round;
    expect(sliceCosts(echo, scenarios, [failed])).toBe(null);
  });
});

describe("how many pairs", () => {
  test("least variance per second: the square root of the classical optimum", () => {
    // √(.2² · 4000 / (.1² · 1000)) = 4.
    expect(leastVariancePairs({ launch: 0.1, slice: 0.2 }, COSTS)).toBe(4);
    // √(.3² · 4000 / (.05² · 1000)) = 12.
    expect(leastVariancePairs({ launch: 0.05, slice: 0.3 }, COSTS)).toBe(12);
  });

  test("launches that add nothing ask for as many pairs as there may be, and those that are all for the fewest", () => {
    expect(leastVariancePairs({ launch: 0, slice: 0.3 }, COSTS)).toBe(32);
    expect(leastVariancePairs({ launch: 0.1, slice: 0 }, COSTS)).toBe(2);
  });

  test("the soonest pass takes no more pairs than the fewest rounds need", () => {
    const quiet = soonestPairs({ launch: 0, slice: 0.05 }, COSTS, RULE);
    expect(quiet).toBe(2);
    expect(choiceOf(2, { launch: 0, slice: 0.05 }, COSTS, RULE).passMs).toBe(5 * 6000);
    const rough = soonestPairs({ launch: 0, slice: 0.3 }, COSTS, RULE) ?? 0;
    expect(rough).toBeGreaterThan(4);
  });

  test("no number helps where launches alone are too noisy", () => {
    expect(soonestPairs({ launch: 0.5, slice: 0.1 }, COSTS, RULE)).toBe(null);
    expect(choiceOf(8, { launch: 0.5, slice: 0.1 }, COSTS, RULE).passMs).toBe(null);
  });
});

test("a plan holds what the round's own spread leaves beyond the launch against the slices", () => {
  const rounds = [wholeRound(0), wholeRound(1)];
  const slices = slicesOf(rounds, echo.id);
  const input = { scenario: echo, scenarios, rounds, slices, rule: RULE };
  const plan = planSlices({ ...input, sd: 0.1, launch: 0.06 });
  expect(plan?.now).toMatchObject({ pairs: 4, roundMs: 600 + 4 * 1060 });
  expect(plan?.now.sd).toBeCloseTo(0.1, 12);
  // .06² + .08² · 4 / 8
  const eight = choiceOf(8, { launch: 0.06, slice: 0.16 }, COSTS, RULE).sd;
  expect(eight).toBeCloseTo(Math.sqrt(0.06 ** 2 + 0.16 ** 2 / 8), 12);
  expect(plan).toMatchObject({ slices: 8, void: 0, gapMs: 30 });
  // A launch cannot hold more than all there is.
  expect(planSlices({ ...input, sd: 0.05, launch: 0.09 })?.leastVariance.sd).toBeCloseTo(0.05, 12);
  expect(planSlices({ ...input, sd: Number.NaN, launch: 0 })).toBe(null);
});
