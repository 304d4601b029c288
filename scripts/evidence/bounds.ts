// The fewest rounds that any test could do with, to hold ours against. Pure.
import { normalUpperQuantile } from "../../src/stats/normal.ts";

export interface Errors {
  /** Chance of calling the change where there is none. */
  alpha: number;
  /** Chance of missing it where it is. */
  beta: number;
}

/**
 * Wald's lower bound on the expected number of rounds where the alternative holds (Ann. Math. Stat. 16, 1945; attained, but for overshoot,
 * by his sequential probability ratio test): [(1 − β) ln((1 − β)/α) + β ln(β/(1 − α))] / (δ²/2), for a normal log
 * ratio with known standard deviation and means `distance` = δ · sd apart.
 */
export function waldRounds(sd: number, distance: number, { alpha, beta }: Errors): number {
  const information =
    (1 - beta) * Math.log((1 - beta) / alpha) + beta * Math.log(beta / (1 - alpha));
  return (2 * information * sd ** 2) / distance ** 2;
}

/** Rounds of the best test that looks once: ((z(α) + z(β)) sd / distance)², for the same law. */
export function fixedRounds(sd: number, distance: number, { alpha, beta }: Errors): number {
  return (((normalUpperQuantile(alpha) + normalUpperQuantile(beta)) * sd) / distance) ** 2;
}
