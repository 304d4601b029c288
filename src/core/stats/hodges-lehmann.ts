// Estimates of a shift that belong to the signed-rank test.
import { median } from "./dispersion.ts";
import { trim } from "./trimmed-signed-rank.ts";

export interface Interval {
  /** -Infinity or Infinity where the sample is too small for the level. */
  low: number;
  high: number;
  /** Two-sided confidence, such as 0.95. */
  level: number;
}

/**
 * Means of all pairs, each value with itself included, ascending: the shifts at which ranks or
 * signs of x − shift change.
 */
export function walshAverages(x: ArrayLike<number>): Float64Array {
  const n = x.length;
  const walsh = new Float64Array((n * (n + 1)) / 2);
  let k = 0;
  for (let i = 0; i < n; i++) {
    for (let j = i; j < n; j++) walsh[k++] = ((x[i] as number) + (x[j] as number)) / 2;
  }
  return walsh.sort();
}

/**
 * Median of the Walsh averages (Hodges & Lehmann, Ann. Math. Stat. 34, 1963). NaN when empty or
 * when any value is NaN.
 */
export function hodgesLehmann(x: readonly number[]): number {
  return median(walshAverages(x));
}

/**
 * Hodges-Lehmann of what the trim about the median keeps: the estimate that belongs to the trimmed
 * test. NaN when empty or when any value is NaN.
 */
export function trimmedEstimate(d: readonly number[]): number {
  if (d.length === 0) return Number.NaN;
  const centre = median(d);
  return centre + hodgesLehmann(trim(d.map((value) => value - centre)));
}
