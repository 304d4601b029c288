// What a margin costs: the decision rule on simulated runs with the recorded noise. Seeded.
import { createPrng, type Prng } from "../base/prng.ts";
import type { MarginCost } from "../model/profile.ts";
import { robustSd } from "../stats/dispersion.ts";
import { quantile, sortSample } from "../stats/quantile.ts";
import { decide, type Method, type Rule } from "../verdict/decide.ts";
import { MOST_ROUNDS } from "../verdict/futility.ts";

/** Draws log ratios of rounds in which nothing changed. */
type Noise = (prng: Prng) => number;

/** Of the robust standard deviation: enough to break ties between draws, and 2 % more of it. */
const BANDWIDTH = 0.2;

/**
 * A smoothed bootstrap (Efron & Tibshirani 1993, §16.5) of recorded log ratios, each with a random
 * sign: symmetric about 0, a bias counts as noise.
 */
export function noiseLike(d: readonly number[]): Noise {
  const bandwidth = BANDWIDTH * robustSd(d);
  return (prng) => {
    const value = d[prng.below(d.length)] ?? Number.NaN;
    const sign = prng.below(2) === 0 ? 1 : -1;
    return sign * value + bandwidth * normal(prng);
  };
}

/** Standard normal (Box & Muller, Ann. Math. Stat. 29, 1958). */
function normal(prng: Prng): number {
  return Math.sqrt(-2 * Math.log(1 - prng.next())) * Math.cos(2 * Math.PI * prng.next());
}

/** What share of runs must end as they should. */
export const WANTED = 0.95;
export const TRIALS = 200;
/** After so many trials a margin that fails too often is given up. */
const MIN_TRIALS = 60;

interface Simulation {
  noise: Noise;
  rule: Rule;
  method?: Method;
  /** Rounds that the time budget has room for; a run ends there without an answer. */
  maxRounds: number;
  roundMs: number;
  seed: number;
  trials: number;
}

interface Outcome {
  trials: number;
  passed: number;
  regressed: number;
  /** Rounds of those that ended as they should. */
  rounds: number[];
}

/** What `rule` does without a change, and with one of the margin. */
export function costOfMargin(
  simulation: Simulation,
): MarginCost & { unchangedRounds: readonly number[] } {
  const { rule } = simulation;
  const unchanged = simulate(simulation, 0, "pass");
  const worse = simulate(simulation, rule.margin, "regressed");
  return {
    margin: rule.margin,
    floor: rule.floor,
    unchanged: summarize(unchanged, simulation.roundMs),
    worse: summarize(worse, simulation.roundMs),
    kept: isKept(unchanged) && isKept(worse),
    unchangedRounds: unchanged.rounds,
  };
}

/** Whether a margin is kept, without the figures of one that clearly is not. */
export function keepsMargin(simulation: Simulation): boolean {
  return (
    isKept(simulate(simulation, simulation.rule.margin, "regressed")) &&
    isKept(simulate(simulation, 0, "pass"))
  );
}

function simulate(simulation: Simulation, effect: number, wanted: "pass" | "regressed"): Outcome {
  const { noise, rule, maxRounds, seed, trials } = simulation;
  const prng = createPrng(seed);
  const length = Math.min(maxRounds, MOST_ROUNDS);
  const outcome: Outcome = { trials: 0, passed: 0, regressed: 0, rounds: [] };
  const mayFail = Math.floor(trials * (1 - WANTED) + 1e-9);
  while (outcome.trials < trials) {
    const { state, rounds } = decide(
      Array.from({ length }, () => ({ d: noise(prng) + Math.log1p(effect), calm: true })),
      rule,
      simulation.method,
    );
    outcome.trials++;
    if (state === "pass") outcome.passed++;
    if (state === "regressed") outcome.regressed++;
    if (state === wanted) outcome.rounds.push(rounds);
    const failed = outcome.trials - outcome.rounds.length;
    if (failed > mayFail && outcome.trials >= MIN_TRIALS) break;
  }
  return outcome;
}

function isKept({ trials, rounds }: Outcome): boolean {
  return rounds.length >= WANTED * trials - 1e-9;
}

function summarize({ trials, passed, regressed, rounds }: Outcome, roundMs: number) {
  const middle = medianAndP90(rounds);
  return {
    trials,
    passed: passed / trials,
    regressed: regressed / trials,
    rounds: middle === null ? null : { ...middle, medianMs: Math.round(middle.median * roundMs) },
  };
}

/** The median, and the value that nine in ten do not exceed; null without values. */
export function medianAndP90(values: readonly number[]): { median: number; p90: number } | null {
  if (values.length === 0) return null;
  const sorted = sortSample(values);
  return { median: quantile(sorted, 0.5), p90: quantile(sorted, 0.9) };
}

/** Usual margins, ascending. */
export const MARGINS: readonly number[] = [
  0.01, 0.02, 0.03, 0.05, 0.075, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.75, 1, 1.5, 2,
];

/** The first of ascending `margins` that is kept, by bisection. Null: none. */
export function closestKept(
  margins: readonly number[],
  isKeptAt: (margin: number) => boolean,
): number | null {
  let low = 0;
  let high = margins.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isKeptAt(margins[middle] as number)) high = middle;
    else low = middle + 1;
  }
  return margins[low] ?? null;
}
