// Wrong answers of equal builds, however they come, and of one that has more. Seeded: a failure
// repeats.
import { expect, test } from "vitest";
import { PRINTS_RATES, trialsOf } from "../../../test/support/trials.ts";
import { createPrng, type Prng } from "../base/prng.ts";
import { binomialLowerTail, binomialUpperTail } from "../stats/proportion.ts";
import { decideAnswers, type RoundAnswers } from "./answers.ts";

const LONG = 600_000;
const ROUNDS = 150;
const SLICES = 2;
const REQUESTS = 1000;

/** Wrong answers of a slice, given its share of wrong ones. Poisson, by Knuth; normal beyond. */
function wrongOf(share: number, prng: Prng): number {
  const mean = share * REQUESTS;
  if (mean > 30) {
    const z = Math.sqrt(-2 * Math.log(1 - prng.next())) * Math.cos(2 * Math.PI * prng.next());
    const sd = Math.sqrt(mean * (1 - share));
    return Math.min(REQUESTS, Math.max(0, Math.round(mean + sd * z)));
  }
  let count = 0;
  for (let p = prng.next(); p > Math.exp(-mean); p *= prng.next()) count++;
  return count;
}

/** The share of wrong answers in each slice of a launch. */
type Launch = (prng: Prng) => number[];

const each =
  (share: number): Launch =>
  () =>
    Array<number>(SLICES).fill(share);
/** Something fails for a while, in a slice or in a launch, and much with it. */
const bunches =
  (share: number, often: number): Launch =>
  (prng) =>
    Array.from({ length: SLICES }, () => (prng.next() < often ? share * prng.next() : 0));
const badLaunches =
  (share: number, often: number): Launch =>
  (prng) =>
    Array<number>(SLICES).fill(prng.next() < often ? share * prng.next() : 0);

/** As a round has it: what is wrong beyond the budget is tried again, in both arms, at most thrice. */
function round(of: Record<"candidate" | "reference", Launch>, budget: number, prng: Prng) {
  const shares = { candidate: of.candidate(prng), reference: of.reference(prng) };
  const counts = { candidate: { wrong: 0, of: 0 }, reference: { wrong: 0, of: 0 } };
  const tried = (count: RoundAnswers["candidate"], share: number): boolean => {
    const wrong = wrongOf(share, prng);
    count.wrong += wrong;
    count.of += REQUESTS;
    return wrong <= budget * REQUESTS;
  };
  for (let slice = 0; slice < SLICES; slice++) {
    for (let attempt = 0; attempt < 3; attempt++) {
      const candidate = tried(counts.candidate, shares.candidate[slice] ?? 0);
      if (tried(counts.reference, shares.reference[slice] ?? 0) && candidate) break;
    }
  }
  return counts;
}

function rates(
  arms: Record<"candidate" | "reference", Launch>,
  { trials = 20_000, errorBudget = 0, hypotheses = 1 } = {},
) {
  const prng = createPrng(20261126);
  const rule = { alpha: 0.01, hypotheses, errorBudget };
  const seen = { trials: trialsOf(trials), red: 0, rounds: 0 };
  for (let trial = 0; trial < seen.trials; trial++) {
    const rounds = Array.from({ length: ROUNDS }, () => round(arms, errorBudget, prng));
    const { isWorse, trail } = decideAnswers(rounds, rule);
    seen.red += Number(isWorse);
    seen.rounds += trail.length / seen.trials;
  }
  return seen;
}

test.each<[string, Launch]>([
  ["1 in 100,000", each(0.00001)],
  ["1 in 10,000", each(0.0001)],
  ["1 in 1,000", each(0.001)],
  ["1 in 100", each(0.01)],
  ["1 in 5", each(0.2)],
  ["all", each(1)],
  ["bunches in a slice of ten", bunches(0.5, 0.1)],
  ["bunches in a slice of a hundred", bunches(1, 0.01)],
  ["a launch of ten that fails", badLaunches(0.3, 0.1)],
  ["a launch of two that fails", badLaunches(0.3, 0.5)],
])("equal builds, %s wrong: red in at most 1 %", { timeout: LONG }, (name, launch) => {
  const { red, trials } = rates({ candidate: launch, reference: launch });
  if (PRINTS_RATES) console.info(name, red / trials);
  // More would be improbable by itself.
  expect(binomialUpperTail(red, trials, 0.01)).toBeGreaterThan(1e-4);
});

test.each<[string, Launch, Launch, number]>([
  ["1 in 1,000", each(0.001), each(0), 0],
  ["1 in 100", each(0.01), each(0), 0],
  ["1 in 100, where 1 in 1,000 was", each(0.01), each(0.001), 0],
  ["1 in 50, with a budget of 1 %", each(0.02), each(0.005), 0.01],
  ["a launch of two", badLaunches(0.3, 0.5), each(0), 0],
])("%s: red in 99 of 100", { timeout: LONG }, (name, candidate, reference, errorBudget) => {
  const found = rates({ candidate, reference }, { trials: 1000, errorBudget, hypotheses: 20 });
  if (PRINTS_RATES) console.info(name, found);
  expect(binomialLowerTail(found.red, found.trials, 0.99)).toBeGreaterThan(1e-4);
});

test("what the error budget allows is never red", { timeout: LONG }, () => {
  const allowed = { candidate: each(0.005), reference: each(0) };
  expect(rates(allowed, { trials: 1000, errorBudget: 0.01 }).red).toBe(0);
});
