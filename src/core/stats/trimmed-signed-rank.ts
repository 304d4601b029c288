// The signed-rank test of the decision rule at one shift: outlying values are set aside first, in a
// way that keeps it exact.
import { mad, median } from "./dispersion.ts";
import { signedRankUpperTail } from "./signed-rank.ts";

/**
 * Values further from zero than median + 5 MAD of all distances are set aside (simulated in
 * docs/method.md).
 */
export const TRIM_MADS = 5;
/** Distances that are equal but for rounding are kept or set aside together. */
export const TRIM_SLACK = 1e-12;

/** `+` tests whether the values lie above a shift, `-` whether they lie below it. */
export type Direction = "+" | "-";

export interface TrimmedTest {
  /** One-sided p, in (0, 1]. */
  p: number;
  /** Values used, of `total`. */
  kept: number;
  total: number;
}

/**
 * Tests d against one shift, by the exact signed-rank test on those x = ±(d − shift) with |x| ≤
 * median|x| + 5 · MAD(|x|). Which values are kept depends on |x| alone; given |x|, the signs are
 * fair coins when d is symmetric about the shift, so the test on the kept ones is exact, unlike any
 * trim that looks at signs or arms.
 *
 * That is the null of *this* shift. A centre on the null's side of it is covered when d has one
 * peak; `trimmedP` covers it for any symmetric d. p = 1 for an empty sample. A RangeError on NaN
 * and infinities.
 */
export function trimmedSignedRank(
  d: readonly number[],
  shift: number,
  direction: Direction,
): TrimmedTest {
  for (const value of d) {
    if (!Number.isFinite(value)) throw new RangeError(`not a finite number: ${value}`);
  }
  const sign = direction === "+" ? 1 : -1;
  const kept = trim(d.map((value) => sign * (value - shift)));
  return { p: signedRankUpperTail(kept), kept: kept.length, total: d.length };
}

/** The values that are not outlying about zero, in their order: at least half of them. */
export function trim(x: readonly number[]): number[] {
  const distances = x.map(Math.abs);
  const limit = median(distances) + TRIM_MADS * mad(distances);
  return x.filter((value) => Math.abs(value) <= limit * (1 + TRIM_SLACK));
}
