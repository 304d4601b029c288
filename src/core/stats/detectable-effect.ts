// Planning figures: how small a change a run detects, and how many rounds a change takes.
import { normalUpperQuantile } from "./normal.ts";

/**
 * Rounds within which 95 % of runs have the evidence, over Wald's 2 ln(wealth) · (sd / distance)²
 * (Ann. Math. Stat. 16, 1945): 2.3 to 4.5 in simulations.
 */
const BETS_OVER_WALD = 3.4;
/** What an estimate exceeds with 95 % probability lies so many standard errors below it. */
export const POWER_DEVIATIONS = normalUpperQuantile(0.05);

interface Precision {
  sd: number;
  tolerance: number;
  /** What a bettor has to own: the questions that share alpha, over alpha. */
  wealth: number;
}

export interface RunPrecision extends Precision {
  rounds: number;
  /** The estimate is at least this fraction. */
  floor: number;
}

/** Squared distances from the tolerance, in standard deviations, times rounds. */
function squaredDeviations(wealth: number): number {
  return BETS_OVER_WALD * 2 * Math.log(wealth);
}

/** The true change, a fraction, that 95 % of runs prove and estimate at the floor or more. */
export function detectableEffect({ sd, tolerance, wealth, rounds, floor }: RunPrecision): number {
  if (rounds === 0) return Number.POSITIVE_INFINITY;
  const error = sd / Math.sqrt(rounds);
  const proven = Math.log1p(tolerance) + error * Math.sqrt(squaredDeviations(wealth));
  return Math.expm1(Math.max(proven, Math.log1p(floor) + error * POWER_DEVIATIONS));
}

/** Rounds until 95 % of runs have the evidence of a true change of `effect`; Infinity: never. */
export function roundsNeeded({
  sd,
  tolerance,
  wealth,
  effect,
}: Precision & { effect: number }): number {
  const distance = Math.log1p(effect) - Math.log1p(tolerance);
  if (distance <= 0) return Number.POSITIVE_INFINITY;
  return Math.max(1, Math.ceil(squaredDeviations(wealth) * (sd / distance) ** 2));
}
