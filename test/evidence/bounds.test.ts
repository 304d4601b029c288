import { expect, test } from "vitest";
import { fixedRounds, waldRounds } from "../../scripts/evidence/bounds.ts";
import { createPrng } from "../../src/base/prng.ts";
import { normal } from "../support/samples.ts";

const half = { alpha: 0.05, beta: 0.05 };

test("by hand: 2 · .9 · ln 19 = 5.3 and (2 · 1.644854)² = 10.82 rounds for means one sd apart", () => {
  expect(waldRounds(1, 1, half)).toBeCloseTo(1.8 * Math.log(19), 12);
  expect(fixedRounds(1, 1, half)).toBeCloseTo(4 * 1.6448536269514722 ** 2, 9);
  // Twice the noise or half the distance: four times the rounds.
  expect(waldRounds(2, 1, half)).toBeCloseTo(4 * waldRounds(1, 1, half), 9);
  expect(waldRounds(1, 0.5, half)).toBeCloseTo(4 * waldRounds(1, 1, half), 9);
});

test("Wald's sequential test itself needs hardly more than its bound", () => {
  const [sd, distance] = [1, 0.2];
  const prng = createPrng(1);
  let rounds = 0;
  let found = 0;
  const trials = 2000;
  for (let i = 0; i < trials; i++) {
    for (let sum = 0; Math.abs(sum) < Math.log(19); rounds++) {
      sum += (distance / sd ** 2) * (distance + sd * normal(prng) - distance / 2);
      if (sum >= Math.log(19)) found++;
    }
  }
  const bound = waldRounds(sd, distance, half);
  expect(rounds / trials).toBeGreaterThan(bound);
  expect(rounds / trials).toBeLessThan(1.15 * bound);
  expect(found / trials).toBeGreaterThan(0.94);
});
