import { expect, test } from "vitest";
import { makeConfig } from "../../../test/support/samples.ts";
import { slicesOf } from "../model/parts.ts";
import type { Round, Slice } from "../model/samples.ts";
import type { Rule } from "../verdict/decide.ts";
import { planSlices } from "./slices.ts";

const RULE: Rule = {
  tolerance: 0.01,
  margin: 0.1,
  floor: 0.05,
  alpha: 0.01,
  hypotheses: 6,
  beta: 0.05,
};

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

function plan(sd: number, launch: number, rounds = [wholeRound(0), wholeRound(1)]) {
  if (echo === undefined) throw new Error("the configuration has a scenario");
  const slices = slicesOf(rounds, echo.id);
  return planSlices({ scenario: echo, scenarios, rounds, slices, rule: RULE, sd, launch });
}

test("a round costs its pairs with the gaps between them, and half of the rest", () => {
  expect(plan(0.1, 0.06)).toMatchObject({ slices: 8, void: 0, now: { pairs: 4, roundMs: 4840 } });
  expect(plan(0.1, 0.06)?.now.sd).toBeCloseTo(0.1, 12);
});

test("nothing is known without a whole round, or without a spread", () => {
  expect(plan(0.1, 0.06, [])).toBe(null);
  const failed = { ...wholeRound(0), failure: { kind: "crash", text: "" } } as Round;
  expect(plan(0.1, 0.06, [failed])).toBe(null);
  expect(plan(Number.NaN, 0)).toBe(null);
});

test("the soonest pass takes no more pairs than the fewest rounds need", () => {
  // .02² · 4 is what a pair varies by.
  expect(plan(0.02, 0)?.soonest).toMatchObject({ pairs: 2, passMs: 5 * (600 + 2 * 1060) });
  const { pairs = 0, sd } = plan(0.2, 0.05)?.soonest ?? {};
  expect(pairs).toBeGreaterThan(4);
  expect(sd).toBeCloseTo(Math.sqrt(0.05 ** 2 + (4 * (0.2 ** 2 - 0.05 ** 2)) / pairs), 12);
});

test("no number of pairs helps where launches alone are too noisy, which hold at most all there is", () => {
  expect(plan(0.5, 0.9)?.soonest).toMatchObject({ passMs: null, sd: 0.5 });
});
