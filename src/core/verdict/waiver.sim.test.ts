// The error rates of the waiver's rule on simulated noise. Seeded: a failure repeats.
// SIMULATION_SCALE=20 runs twenty times as many trials and prints the rates.
import { expect, test } from "vitest";
import { PRINTS_RATES, trialsOf } from "../../../test/support/trials.ts";
import { createPrng, type Prng } from "../base/prng.ts";
import type { Waiver } from "../model/config.ts";
import type { ComparisonState } from "../model/verdict.ts";
import { binomialUpperTail } from "../stats/proportion.ts";
import { answer } from "./compare.ts";
import { decide, type Rule } from "./decide.ts";

const LONG = 600_000;

/** One hypothesis: what can go wrong goes wrong more often than among many. */
const RULE: Rule = {
  tolerance: 0.01,
  margin: 0.1,
  floor: 0.05,
  alpha: 0.05,
  hypotheses: 1,
  beta: 0.05,
};
const WAIVER: Waiver = {
  metric: "p99",
  estimator: null,
  scenario: "echo",
  service: null,
  upTo: 0.15,
  reason: "",
  owner: "",
  expires: "2026-06-30",
};

function normal(prng: Prng): number {
  return Math.sqrt(-2 * Math.log(1 - prng.next())) * Math.cos(2 * Math.PI * prng.next());
}

/** Rounds about a true ratio, one in ten of them spoiled in either arm. */
function rounds(prng: Prng, ratio: number, sd: number): number[] {
  return Array.from({ length: 20 }, () => {
    const spoiled = prng.next() < 0.1 ? (prng.next() < 0.5 ? 1 : -1) * Math.log(2) : 0;
    return Math.log(ratio) + sd * normal(prng) + spoiled;
  });
}

const calm = (d: readonly number[]) => d.map((value) => ({ d: value, calm: true }));

function rates(ratio: number, sd: number, trials: number): Record<ComparisonState, number> {
  const prng = createPrng(20261121);
  const counts: Record<string, number> = {};
  for (let i = 0; i < trialsOf(trials); i++) {
    const d = rounds(prng, ratio, sd);
    const { state } = answer(WAIVER, RULE, (rule) => decide(calm(d), rule));
    counts[state] = (counts[state] ?? 0) + 1;
  }
  if (PRINTS_RATES) console.info(ratio, sd, counts);
  return { regressed: 0, waived: 0, pass: 0, ...counts } as Record<ComparisonState, number>;
}

/** That so many events are no proof of a rate above the bound, at one in a thousand. */
function expectAtMost(bound: number, events: number, trials: number): void {
  expect(binomialUpperTail(events, trialsOf(trials), bound)).toBeGreaterThan(0.001);
}

test(
  "a change of exactly what is waived, or less, is seldom called beyond it",
  () => {
    for (const [ratio, sd] of [
      [1.15, 0.03],
      [1.15, 0.1],
      [1.12, 0.05],
    ] as const) {
      expectAtMost(RULE.alpha, rates(ratio, sd, 400).regressed, 400);
    }
  },
  LONG,
);

test(
  "a change of exactly what is waived, or more, is seldom waived",
  () => {
    for (const [ratio, sd] of [
      [1.15, 0.03],
      [1.15, 0.1],
      [1.2, 0.05],
    ] as const) {
      expectAtMost(RULE.beta, rates(ratio, sd, 400).waived, 400);
    }
  },
  LONG,
);

test(
  "well inside it is waived, well beyond it fails, and nothing at all passes",
  () => {
    expect(rates(1.11, 0.01, 100).waived).toBeGreaterThanOrEqual(0.9 * trialsOf(100));
    expect(rates(1.3, 0.02, 100).regressed).toBeGreaterThanOrEqual(0.9 * trialsOf(100));
    expect(rates(1, 0.02, 100).pass).toBeGreaterThanOrEqual(0.95 * trialsOf(100));
  },
  LONG,
);
