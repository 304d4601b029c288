// How small a change a run could have shown, and how many rounds a change takes. Planning figures:
// no decision depends on them.
import { normalUpperQuantile } from "./normal.ts";

/**
 * Rounds within which 95 % of runs have the evidence are 3.4 times those that a test with known
 * spread needs on average, 2 ln(wealth) · (sd / distance)² (Wald, Ann. Math. Stat. 16, 1945).
 * Fitted to 400 simulated runs each of the bets at wealths of 100 to 8,000, distances of a half to
 * four scales and normal noise of .3 to 3 scales: 2.3 to 4.5 where more than twice the fewest
 * rounds are needed.
 */
const BETS_OVER_WALD = 3.4;
/** Power at which an effect counts as detectable. */
const POWER = 0.95;

interface Precision {
  /** Standard deviation of one round's log ratio. */
  sd: number;
  /** Fraction that is tolerated. */
  tolerance: number;
  /** What a bettor has to own: the questions that share alpha, over alpha. */
  wealth: number;
}

/** Squared distances from the tolerance, in standard deviations, times rounds. */
function squaredDeviations(wealth: number): number {
  return BETS_OVER_WALD * 2 * Math.log(wealth);
}

/**
 * The true change, as a fraction, that the bets find with 95 % probability in `rounds` rounds:
 * tolerance + sd · √(6.8 ln(wealth) / n) in logs. What passes earlier is not looked for further: a
 * change clearly below the margin is usually shown to be so first, however small this figure is.
 * Infinity for no rounds, NaN for an sd of NaN.
 */
export function detectableEffect({
  sd,
  tolerance,
  wealth,
  rounds,
}: Precision & { rounds: number }): number {
  if (rounds === 0) return Number.POSITIVE_INFINITY;
  return Math.expm1(Math.log1p(tolerance) + sd * Math.sqrt(squaredDeviations(wealth) / rounds));
}

/**
 * The true change, as a fraction, that a rule calls with 95 % probability which asks for the bets'
 * evidence and for an estimate of the floor or more: the larger of `detectableEffect` and floor +
 * z(0.05) · sd / √n in logs. The two go together, so that both hold nearly as often as the rarer
 * one. Infinity for no rounds, NaN for an sd of NaN.
 */
export function callableEffect({
  floor,
  ...precision
}: Precision & { rounds: number; floor: number }): number {
  const { sd, rounds } = precision;
  if (rounds === 0) return Number.POSITIVE_INFINITY;
  const beyondFloor = (normalUpperQuantile(1 - POWER) * sd) / Math.sqrt(rounds);
  return Math.max(detectableEffect(precision), Math.expm1(Math.log1p(floor) + beyondFloor));
}

/**
 * The inverse of `detectableEffect`: rounds until a true change of `effect` (a fraction) is found
 * with 95 % probability; 1 at least, Infinity for one that is within the tolerance. Bets need some
 * rounds however clear they are: see fewestRounds.
 */
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
