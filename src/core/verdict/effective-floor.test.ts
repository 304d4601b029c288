// The floor that an absolute one asks for, at the level of the service.
import { expect, test } from "vitest";
import { makeConfig } from "../../../test/support/samples.ts";
import { compareAlongside, effectiveFloor } from "./compare.ts";
import { type Hypothesis, listHypotheses } from "./hypotheses.ts";
import type { RoundValue } from "./series.ts";

const [first] = listHypotheses(makeConfig());

const hypothesis = (absoluteFloor: number): Hypothesis => {
  if (first === undefined) throw new Error("no hypothesis");
  return { ...first, policy: { ...first.policy, floor: 0.05, absoluteFloor } };
};

const rounds = (references: readonly number[]): RoundValue[] =>
  references.map((reference, round) => ({
    round,
    candidate: reference,
    reference,
    d: 0,
    beyond: null,
    calm: true,
  }));

test.each([
  ["without one it is the relative one", 0, [100, 200, 400], 0.05],
  ["without rounds too", 50, [], 0.05],
  ["it is a share of the median reference", 50, [100, 200, 400], 0.25],
  ["where that is less than the relative one it does not count", 5, [100, 200, 400], 0.05],
  ["rounds after the fifth do not move it", 50, [100, 200, 400, 100, 200, 9000, 9000], 0.25],
] as const)("%s", (_, absolute, references, expected) => {
  expect(effectiveFloor(hypothesis(absolute), rounds(references))).toBe(expected);
});

test("where fewer rounds can decide, later ones do not move it", () => {
  const policy = { ...makeConfig().policy, beta: 0.4 };
  const one = hypothesis(50);
  const compared = (references: readonly number[]) => {
    const values = rounds(references);
    const series = { values, zeros: 0, beforeZero: values.length };
    const asked = { hypothesis: one, gating: 1, policy, waiver: null, fault: null };
    const { state, floor, margin, rounds: used } = compareAlongside({ ...asked, series });
    return { state, floor, margin, used };
  };
  const early = compared([1000, 1000]);
  expect(early).toMatchObject({ state: "pass", floor: 0.05 });
  expect(early.used).toBeLessThan(5);
  expect(compared([1000, 1000, 60, 60, 60, 60])).toEqual(early);
});
