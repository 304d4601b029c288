// The signed-rank test of the decision rule: outlying rounds are set aside first, in a way that keeps it exact.
import { mad, median } from "./dispersion.ts";
import { signedRankUpperTail } from "./signed-rank.ts";

/** Values further from zero than median + 5 MAD of all distances are set aside (simulated in docs/method.md). */
const TRIM_MADS = 5;

export interface TrimmedTest {
  /** One-sided exact p, in (0, 1]. */
  p: number;
  /** Values used, of `total`. */
  kept: number;
  total: number;
}

/**
 * Tests whether d lies above `shift` (`+`) or below it (`-`), by the exact signed-rank test on those x = ±(d − shift) with
 * |x| ≤ median|x| + 5 · MAD(|x|). Which values are kept depends on |x| alone; given |x|, the signs are fair coins under the
 * null (d symmetric about the shift), so the test on the kept ones is exact, unlike any trim that looks at signs or arms.
 * p = 1 for an empty sample.
 */
export function trimmedSignedRank(
  d: readonly number[],
  shift: number,
  direction: "+" | "-",
): TrimmedTest {
  const sign = direction === "+" ? 1 : -1;
  const kept = trim(d.map((value) => sign * (value - shift)));
  return { p: signedRankUpperTail(kept), kept: kept.length, total: d.length };
}

/** The values that are not outlying about zero. */
export function trim(x: readonly number[]): number[] {
  const distances = x.map(Math.abs);
  const limit = median(distances) + TRIM_MADS * mad(distances);
  return x.filter((value) => Math.abs(value) <= limit);
}
