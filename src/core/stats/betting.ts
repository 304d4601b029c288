// Test martingales for the centre of a symmetric distribution: the wealth of a bettor who starts
// with 1 and stakes on the sign of each value's distance from a bound, more the farther it lies. If
// values are symmetric about a centre beyond the bound, no bet is better than fair, so the wealth
// is a non-negative supermartingale and ever reaches c with a chance of at most 1/c (Ville 1939),
// at every stopping time, also where spread or shape change. Ramdas, Ruf, Larsson and Koolen 2020,
// section 6; mixtures of stakes: Robbins, Ann. Math. Stat. 41, 1970.
import type { Interval } from "./hodges-lehmann.ts";

/** `+`: bets that values lie above the bound; `-`: below it. */
export type Direction = "+" | "-";

export interface Bet {
  bound: number;
  direction: Direction;
  /** Distance from the bound at which a stake is full: the change to be detected. */
  scale: number;
}

/**
 * The stake at distance a (in scales, at most 1) is 0.95 · tanh(λ · a), as is best for normal
 * values of a known sd; the mixture stands for the unknown sd.
 */
const LAMBDAS = [0.2, 0.7, 2, 6] as const;
const SHARES = [0.05, 0.25, 0.35, 0.35] as const;
/** One wild value costs at most a factor of 20. */
const LARGEST_STAKE = 0.95;

/** The wealth of a mixture: each value multiplies every share of it by a factor of its own. */
export class Bettor {
  readonly #shares: number[];
  readonly #factor: (value: number, k: number) => number;

  constructor(shares: readonly number[], factor: (value: number, k: number) => number) {
    this.#shares = [...shares];
    this.#factor = factor;
  }

  take(value: number): void {
    for (const [k, share] of this.#shares.entries()) {
      this.#shares[k] = share * this.#factor(value, k);
    }
  }

  get wealth(): number {
    return this.#shares.reduce((sum, share) => sum + share, 0);
  }
}

/** A RangeError on NaN and infinities. */
export function bettorOn({ bound, direction, scale }: Bet): Bettor {
  return new Bettor(SHARES, (value, k) => {
    if (!Number.isFinite(value)) throw new RangeError(`not a finite value: ${value}`);
    const x = direction === "+" ? value - bound : bound - value;
    const distance = Math.min(Math.abs(x) / scale, 1);
    return 1 + Math.sign(x) * LARGEST_STAKE * Math.tanh((LAMBDAS[k] ?? 0) * distance);
  });
}

/** Wealth after all values; 1 without any. It never grows as a `+` bound rises. */
export function wealthAfter(values: readonly number[], bet: Bet): number {
  return wealthOf(bettorOn(bet), values);
}

export function wealthOf(bettor: Bettor, values: readonly number[]): number {
  for (const value of values) bettor.take(value);
  return bettor.wealth;
}

/** The error of an interval's end is 2⁻⁴⁰ of the range of the values. */
const HALVINGS = 40;

/**
 * The bounds that neither bettor refutes: a confidence sequence, so it covers the centre at all
 * sample sizes together with a chance of at least `level`. Infinite ends: too few values.
 */
export function bettingInterval(
  values: readonly number[],
  level: number,
  scales: Readonly<Record<Direction, number>>,
): Interval {
  const enough = 2 / (1 - level);
  const mirrored = values.map((value) => -value);
  const low = lowestAccepted(values, scales["+"], enough);
  const high = -lowestAccepted(mirrored, scales["-"], enough);
  return { low: Math.min(low, high), high: Math.max(low, high), level };
}

/** The smallest bound against which a `+` bettor owns less than `enough`. */
function lowestAccepted(values: readonly number[], scale: number, enough: number): number {
  const refutes = (bound: number): boolean =>
    wealthAfter(values, { bound, direction: "+", scale }) >= enough;
  // A scale below all values every stake is full and won: no lower bound is refuted more.
  const refuted = Math.min(...values) - scale;
  if (!refutes(refuted)) return Number.NEGATIVE_INFINITY;
  return halve(refutes, { refuted, accepted: Math.max(...values) }, HALVINGS);
}

/** Near the border between what is refuted, below it, and what is accepted. */
export function halve(
  refutes: (bound: number) => boolean,
  { refuted, accepted }: { refuted: number; accepted: number },
  times: number,
): number {
  let [low, high] = [refuted, accepted];
  for (let i = 0; i < times; i++) {
    const middle = (low + high) / 2;
    if (refutes(middle)) low = middle;
    else high = middle;
  }
  return low;
}
