// The centre of the better part of a sample whose disturbances all point one way.

/**
 * Mean of the `count` least values, of all where there are fewer: a trimmed mean with all of its
 * trim on the upper side. For latencies of windows, which a busy host can only raise: the others
 * may be spoiled without moving it. It moves with the values (x + c gives + c), so that the
 * difference of two is free of bias when both samples have the same law. NaN when empty or without
 * a count.
 */
export function lowerMean(values: readonly number[], count: number): number {
  const least = Float64Array.from(values).sort().subarray(0, Math.max(0, count));
  return least.reduce((sum, value) => sum + value, 0) / least.length;
}
