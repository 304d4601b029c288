// Centre and spread that a few wild values cannot move.

/** The usual median: mean of the middle two for an even number. NaN when empty. */
export function median(values: ArrayLike<number>): number {
  const sorted = Float64Array.from(values).sort();
  const n = sorted.length;
  if (n === 0) return Number.NaN;
  const upper = sorted[n >> 1] as number;
  return n % 2 === 1 ? upper : ((sorted[(n >> 1) - 1] as number) + upper) / 2;
}

/** Median absolute deviation from the median, not scaled. NaN when empty, 0 for one value. */
export function mad(values: ArrayLike<number>): number {
  const centre = median(values);
  return median(Float64Array.from(values, (value) => Math.abs(value - centre)));
}

/** 1 / Φ⁻¹(3/4): scales the MAD of normal data to their standard deviation. */
const NORMAL_CONSISTENCY = 1.482602218505602;

/** Robust standard deviation: 1.4826 · MAD (Hampel, JASA 69, 1974). NaN when empty. */
export function robustSd(values: ArrayLike<number>): number {
  return NORMAL_CONSISTENCY * mad(values);
}
