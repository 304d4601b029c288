// The centre of the better half of a sample whose disturbances all point one way.
import { median } from "./dispersion.ts";

/**
 * Mean of the lower half of the values (the middle one included when their number is odd): a trimmed mean with all of its trim
 * on the upper side. For latencies of slices, which a busy host can only raise: half of them may be spoiled without moving it.
 * It moves with the values (x + c gives + c), so that the difference of two is free of bias when both samples have the same law.
 * NaN when empty.
 */
export function lowerHalfMean(values: readonly number[]): number {
  if (values.length === 0) return median(values);
  const half = Float64Array.from(values)
    .sort()
    .subarray(0, Math.ceil(values.length / 2));
  return half.reduce((sum, value) => sum + value, 0) / half.length;
}
