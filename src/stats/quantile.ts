// Quantiles of one sample. The sample is sorted once, and the type remembers it.

/** Finite numbers in ascending order; made by `sortSample` only. */
export type SortedSample = Float64Array & { readonly sorted: unique symbol };

/** A sorted copy. Throws a RangeError on NaN and infinities: a quantile of those is no measurement. */
export function sortSample(values: ArrayLike<number>): SortedSample {
  const sorted = Float64Array.from(values);
  for (const value of sorted) {
    if (!Number.isFinite(value)) throw new RangeError(`not a finite number: ${value}`);
  }
  // Typed arrays sort by number.
  return sorted.sort() as SortedSample;
}

/** Products such as 0.99 × 8000 miss their whole number by a few ulps; a rank must not. */
const RANK_SLACK = 1e-9;

/**
 * The p-quantile by nearest rank: the smallest value with at least a share p of the sample at or below it, x[⌈pn⌉] counted
 * from 1 (inverse of the empirical distribution function; type 1 of Hyndman & Fan, The American Statistician 50, 1996). It is
 * always a value that occurred. p in [0, 1]; p = 0 gives the smallest. NaN for an empty sample.
 */
export function quantile(sorted: SortedSample, p: number): number {
  if (!(p >= 0 && p <= 1)) throw new RangeError(`not a probability: ${p}`);
  const n = sorted.length;
  const rank = Math.ceil(p * n - RANK_SLACK);
  return sorted[Math.min(n, Math.max(1, rank)) - 1] ?? Number.NaN;
}
