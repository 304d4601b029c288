// Centre and spread. All but sampleSd and lowerMean are unmoved by a few wild values.

/** Mean of the middle two for an even number. NaN when empty or with a NaN. */
export function median(values: ArrayLike<number>): number {
  const sorted = Float64Array.from(values).sort();
  const n = sorted.length;
  // NaN sorts last.
  if (n === 0 || Number.isNaN(sorted[n - 1])) return Number.NaN;
  const upper = sorted[n >> 1] as number;
  return n % 2 === 1 ? upper : ((sorted[(n >> 1) - 1] as number) + upper) / 2;
}

/** NaN when empty. */
export function mean(values: ArrayLike<number>): number {
  return Array.from(values).reduce((sum, value) => sum + value, 0) / values.length;
}

/** Median absolute deviation from the median, not scaled. NaN when empty, 0 for one value. */
export function mad(values: ArrayLike<number>): number {
  const centre = median(values);
  return median(Float64Array.from(values, (value) => Math.abs(value - centre)));
}

/** 1 / Φ⁻¹(3/4): scales the MAD of normal data to their standard deviation. */
export const NORMAL_CONSISTENCY = 1.482602218505602;

/** 1.4826 · MAD (Hampel, JASA 69, 1974). NaN when empty, 0 when more than half are equal. */
export function robustSd(values: ArrayLike<number>): number {
  return NORMAL_CONSISTENCY * mad(values);
}

/** Sample standard deviation (n − 1), in two passes. NaN for fewer than two values. */
export function sampleSd(values: ArrayLike<number>): number {
  const x = Float64Array.from(values);
  if (x.length < 2) return Number.NaN;
  const centre = mean(x);
  return Math.sqrt(x.reduce((sum, value) => sum + (value - centre) ** 2, 0) / (x.length - 1));
}

/**
 * Mean of the `count` least values, the centre of the better part of a sample. For latencies of
 * windows, which a busy host can only raise; unbiased as a difference of two samples of one
 * distribution. NaN when empty.
 */
export function lowerMean(values: readonly number[], count: number): number {
  return mean(Float64Array.from(values).sort().subarray(0, Math.max(0, count)));
}
