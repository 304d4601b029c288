// Estimates of a shift that belong to the signed-rank test, what is trimmed for them, and its
// interval.
import { mad, median } from "./dispersion.ts";
import { signedRankTails } from "./signed-rank.ts";

export interface Interval {
  /** -Infinity or Infinity where the sample is too small for the level. */
  low: number;
  high: number;
  /** Two-sided confidence, such as 0.95. */
  level: number;
}

/** Means of all pairs, each value with itself included, ascending. */
function walshAverages(x: ArrayLike<number>): Float64Array {
  const n = x.length;
  const walsh = new Float64Array((n * (n + 1)) / 2);
  let k = 0;
  for (let i = 0; i < n; i++) {
    for (let j = i; j < n; j++) walsh[k++] = ((x[i] as number) + (x[j] as number)) / 2;
  }
  return walsh.sort();
}

/** Median of the Walsh averages (Hodges & Lehmann, Ann. Math. Stat. 34, 1963). */
export function hodgesLehmann(x: readonly number[]): number {
  return median(walshAverages(x));
}

/** Hodges-Lehmann of what the trim about the median keeps. NaN when empty. */
export function trimmedEstimate(d: readonly number[]): number {
  if (d.length === 0) return Number.NaN;
  const centre = median(d);
  return centre + hodgesLehmann(trim(d.map((value) => value - centre)));
}

/**
 * The shifts that the exact signed-rank test does not reject at (1 − level) / 2 on either side
 * (Hollander & Wolfe, Nonparametric Statistical Methods, 1999, §3.3), and out to `trimmedEstimate`.
 * Infinite where the sample is too small.
 */
export function signedRankInterval(d: readonly number[], level: number): Interval {
  const alpha = (1 - level) / 2;
  const walsh = walshAverages(d);
  // So many Walsh averages above a shift, or below it, reject it.
  const rejecting = signedRankTails(d.length).findIndex((p) => p <= alpha);
  if (rejecting < 0)
    return { low: Number.NEGATIVE_INFINITY, high: Number.POSITIVE_INFINITY, level };
  const estimate = trimmedEstimate(d);
  const low = Math.min(walsh[walsh.length - rejecting] as number, estimate);
  return { low, high: Math.max(walsh[rejecting - 1] as number, estimate), level };
}

/** Values further from zero than median + 5 MAD of all distances are set aside. */
const TRIM_MADS = 5;
/** Distances that are equal but for rounding are kept or set aside together. */
const TRIM_SLACK = 1e-12;

/** The values that are not outlying about zero, in their order: at least half of them. */
export function trim(x: readonly number[]): number[] {
  const distances = x.map(Math.abs);
  const limit = median(distances) + TRIM_MADS * mad(distances);
  return x.filter((value) => Math.abs(value) <= limit * (1 + TRIM_SLACK));
}
