// Estimates of a shift that belong to the rank tests, and their intervals by inverting those tests.
import { median } from "./dispersion.ts";
import { trim, trimmedSignedRank } from "./trimmed-signed-rank.ts";

export interface Interval {
  /** -Infinity or Infinity where the sample is too small for the level. */
  low: number;
  high: number;
  /** Two-sided confidence, such as 0.95. */
  level: number;
}

/** Means of all pairs, each value with itself included. */
function walshAverages(x: readonly number[]): Float64Array {
  const n = x.length;
  const walsh = new Float64Array((n * (n + 1)) / 2);
  let k = 0;
  for (let i = 0; i < n; i++) {
    for (let j = i; j < n; j++) walsh[k++] = ((x[i] as number) + (x[j] as number)) / 2;
  }
  return walsh.sort();
}

/** Median of the Walsh averages (Hodges & Lehmann, Ann. Math. Stat. 34, 1963). NaN when empty. */
export function hodgesLehmann(x: readonly number[]): number {
  return median(walshAverages(x));
}

/** Hodges-Lehmann of what the trim about the median keeps: the estimate that belongs to the trimmed test. NaN when empty. */
export function trimmedEstimate(d: readonly number[]): number {
  if (d.length === 0) return Number.NaN;
  const centre = median(d);
  return centre + hodgesLehmann(trim(d.map((value) => value - centre)));
}

/** Every so many candidates are tried first; the step then is refined. */
const COARSE_STEP = 16;

/**
 * The shifts that the trimmed test does not reject at (1 − level) / 2 on either side. What the trim keeps depends on the
 * shift, so that the accepted set may have gaps: the interval is its hull, searched from outside inward over the Walsh
 * averages (at which the ranks change) in steps of sixteen, then finely. An end is infinite when even the outermost shift
 * cannot be rejected.
 */
export function trimmedInterval(d: readonly number[], level: number): Interval {
  const alpha = (1 - level) / 2;
  const walsh = walshAverages(d);
  const accepted = (at: number, direction: "+" | "-"): boolean =>
    trimmedSignedRank(d, walsh[at] as number, direction).p > alpha;
  const low = outermost(walsh.length, (k) => accepted(k, "+"));
  const high = outermost(walsh.length, (k) => accepted(walsh.length - 1 - k, "-"));
  return {
    low: low === 0 || low === null ? Number.NEGATIVE_INFINITY : (walsh[low] as number),
    high:
      high === 0 || high === null
        ? Number.POSITIVE_INFINITY
        : (walsh[walsh.length - 1 - high] as number),
    level,
  };
}

/** The first accepted index from 0, to within gaps narrower than the coarse step; null when none is. */
function outermost(count: number, accepted: (index: number) => boolean): number | null {
  for (let coarse = 0; coarse < count + COARSE_STEP - 1; coarse += COARSE_STEP) {
    const at = Math.min(coarse, count - 1);
    if (at < 0 || !accepted(at)) continue;
    for (let k = Math.max(0, at - COARSE_STEP + 1); k < at; k++) if (accepted(k)) return k;
    return at;
  }
  return null;
}
