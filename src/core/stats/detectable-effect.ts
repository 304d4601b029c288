// A planning figure: how small a change a run detects.
import { normalUpperQuantile } from "./normal.ts";

/**
 * Rounds within which 95 % of runs have the evidence, over Wald's 2 ln(wealth) · (sd / distance)²
 * (Ann. Math. Stat. 16, 1945): 2.3 to 4.5 in simulations.
 */
const BETS_OVER_WALD = 3.4;
/** What an estimate exceeds with 95 % probability lies so many standard errors below it. */
export const POWER_DEVIATIONS = normalUpperQuantile(0.05);

export interface RunPrecision {
  sd: number;
  tolerance: number;
  /** What a bettor has to own: the questions that share alpha, over alpha. */
  wealth: number;
  rounds: number;
  /** The estimate is at least this fraction. */
  floor: number;
}

/** The true change, a fraction, that 95 % of runs prove and estimate at the floor or more. */
export function detectableEffect({ sd, tolerance, wealth, rounds, floor }: RunPrecision): number {
  if (rounds === 0) return Number.POSITIVE_INFINITY;
  const error = sd / Math.sqrt(rounds);
  const proven = Math.log1p(tolerance) + error * Math.sqrt(BETS_OVER_WALD * 2 * Math.log(wealth));
  return Math.expm1(Math.max(proven, Math.log1p(floor) + error * POWER_DEVIATIONS));
}
