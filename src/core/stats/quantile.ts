// Quantiles of one sample. The sample is sorted once, and the type remembers it.

/** Finite numbers in ascending order; made by `sortSample` only. */
export type SortedSample = Float64Array & { readonly sorted: unique symbol };

export function sortSample(values: ArrayLike<number>): SortedSample {
  const sorted = Float64Array.from(values);
  for (const value of sorted) {
    if (!Number.isFinite(value)) throw new RangeError(`not a finite number: ${value}`);
  }
  // Typed arrays sort by number.
  return sorted.sort() as SortedSample;
}

/** Rounding must not lift a product that should be whole, such as 0.07 × 100, to the next rank. */
const PRODUCT_SLACK = 2 * Number.EPSILON;

/** ⌈p · n⌉ within 1 … n; 0 for n = 0. */
function nearestRank(n: number, p: number): number {
  if (!(p >= 0 && p <= 1)) throw new RangeError(`not a probability: ${p}`);
  return Math.min(n, Math.max(1, Math.ceil(p * n * (1 - PRODUCT_SLACK))));
}

/**
 * The p-quantile by nearest rank, x[⌈pn⌉] (type 1 of Hyndman & Fan, The American Statistician 50,
 * 1996). NaN for an empty sample.
 */
export function quantile(sorted: SortedSample, p: number): number {
  const rank = nearestRank(sorted.length, p);
  return sorted[rank - 1] ?? Number.NaN;
}

/** How many of n values rank above the p-quantile. */
export function requestsBeyond(n: number, p: number): number {
  return n - nearestRank(n, p);
}
