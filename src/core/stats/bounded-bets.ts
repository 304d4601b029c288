// Test martingales for the mean of bounded values. Whatever their distribution, values in [-1, 1]
// whose mean is at most t make (1 + x) / (1 + t) a ticket that pays at most 1 on average, so
// whoever stakes a fixed share on it owns a non-negative supermartingale (Ville 1939). It needs no
// symmetry, so it suits values that are mostly 0 and now and then 1, and it grows while nothing
// happens. Waudby-Smith and Ramdas, J. R. Stat. Soc. B 86, 2024; mixtures: Cover, Math. Finance 1,
// 1991.

import { Bettor, type Direction, halve, wealthOf } from "./betting.ts";
import type { Interval } from "./hodges-lehmann.ts";

interface MeanBet {
  /** Above -1 and below 1. */
  bound: number;
  /** `+`: bets that the mean lies above the bound; `-`: below it. */
  direction: Direction;
}

/**
 * Shares of the wealth at stake: large ones for clear values, small ones for noise; below 1, so
 * that one value costs at most a factor of 20.
 */
const STAKES = [0.95, 0.7, 0.35, 0.12] as const;
const SHARES = [0.45, 0.2, 0.2, 0.15] as const;

/** A RangeError on values that are not in [-1, 1], and bounds that are not within. */
export function meanBettorOn({ bound, direction }: MeanBet): Bettor {
  if (!(Math.abs(bound) < 1)) throw new RangeError(`no bound in (-1, 1): ${bound}`);
  return new Bettor(SHARES, (value, k) => {
    if (!(Math.abs(value) <= 1)) throw new RangeError(`no value in [-1, 1]: ${value}`);
    const ticket = direction === "+" ? (1 + value) / (1 + bound) : (1 - value) / (1 - bound);
    const stake = STAKES[k] ?? 0;
    return 1 - stake + stake * ticket;
  });
}

/** Wealth after all values; 1 without any. It never grows as a `+` bound rises. */
export function meanWealthAfter(values: readonly number[], bet: MeanBet): number {
  return wealthOf(meanBettorOn(bet), values);
}

/** The smallest value that, seen in each of `rounds`, makes the wealth `enough`; above 1: none. */
export function steadyMean(bet: MeanBet, enough: number, rounds: number): number {
  const isEnough = (value: number): boolean =>
    meanWealthAfter(Array<number>(rounds).fill(value), bet) >= enough;
  if (!isEnough(1)) return Number.POSITIVE_INFINITY;
  return halve((value) => !isEnough(value), { refuted: bet.bound, accepted: 1 }, HALVINGS);
}

/** The search for an end of an interval ends within 2⁻³⁰ of it. */
const HALVINGS = 30;

/** The means that neither bettor refutes: a confidence sequence within [-1, 1]. */
export function meanInterval(values: readonly number[], level: number): Interval {
  const enough = 2 / (1 - level);
  const mirrored = values.map((value) => -value);
  return { low: lowestAccepted(values, enough), high: -lowestAccepted(mirrored, enough), level };
}

/** The smallest mean against which a `+` bettor owns less than `enough`. */
function lowestAccepted(values: readonly number[], enough: number): number {
  return halve(
    (bound) => meanWealthAfter(values, { bound, direction: "+" }) >= enough,
    { refuted: -1, accepted: 1 },
    HALVINGS,
  );
}
