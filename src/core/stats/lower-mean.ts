// The centre of the better part of a sample whose disturbances all point one way.

/**
 * Mean of the `count` least values. For latencies of windows, which a busy host can only raise;
 * unbiased as a difference of two samples of one distribution. NaN when empty.
 */
export function lowerMean(values: readonly number[], count: number): number {
  const least = Float64Array.from(values).sort().subarray(0, Math.max(0, count));
  return least.reduce((sum, value) => sum + value, 0) / least.length;
}
