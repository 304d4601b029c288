// The exact Wilcoxon rank-sum test for two samples from different days. Nothing is trimmed: a trim that looks at the pooled
// values would favour one sample, and there is no pairing whose signs could be coins.
import { median } from "./dispersion.ts";
import type { Interval } from "./hodges-lehmann.ts";

/**
 * P(rank sum of `x` ≥ the observed one) when the labels are exchangeable: tests whether x − shift lies above y (Wilcoxon 1945,
 * Mann & Whitney 1947). Ties share mid-ranks, with the exact conditional distribution. 1 when either is empty.
 */
export function rankSumUpperTail(x: readonly number[], y: readonly number[], shift = 0): number {
  if (x.length === 0 || y.length === 0) return 1;
  const all = [
    ...x.map((value) => ({ value: value - shift, ofX: true })),
    ...y.map((value) => ({ value, ofX: false })),
  ].sort((a, b) => a.value - b.value);
  const doubled: number[] = [];
  let observed = 0;
  for (let start = 0; start < all.length; ) {
    let end = start + 1;
    while (end < all.length && all[end]?.value === all[start]?.value) end++;
    for (let k = start; k < end; k++) {
      doubled.push(start + 1 + end);
      if (all[k]?.ofX === true) observed += start + 1 + end;
    }
    start = end;
  }
  return subsetSumUpperTail(doubled, x.length, observed);
}

/** P(sum of a uniformly random subset of `size` ranks ≥ threshold). */
function subsetSumUpperTail(ranks: readonly number[], size: number, threshold: number): number {
  const total = ranks.reduce((sum, rank) => sum + rank, 0);
  const width = total + 1;
  // ways[k · width + s]: subsets of k of the ranks so far with sum s, as a share of all choices, which keeps it finite.
  const ways = new Float64Array((size + 1) * width);
  ways[0] = 1;
  ranks.forEach((rank, seen) => {
    const left = ranks.length - seen;
    for (let k = Math.min(size, seen + 1); k >= 0; k--) {
      for (let s = total; s >= 0; s--) {
        // The next rank is drawn with the chance that a random subset of the right size has it.
        const stay = (ways[k * width + s] as number) * (1 - Math.max(0, size - k) / left);
        const take =
          k > 0 && s >= rank
            ? (ways[(k - 1) * width + s - rank] as number) * ((size - k + 1) / left)
            : 0;
        ways[k * width + s] = stay + take;
      }
    }
  });
  let tail = 0;
  for (let s = total; s >= threshold; s--) tail += ways[size * width + s] as number;
  return Math.min(1, tail);
}

function differences(x: readonly number[], y: readonly number[]): Float64Array {
  return Float64Array.from(x.flatMap((a) => y.map((b) => a - b))).sort();
}

/** Median of all differences x − y (Hodges & Lehmann 1963). NaN when either is empty. */
export function shiftEstimate(x: readonly number[], y: readonly number[]): number {
  return median(differences(x, y));
}

/**
 * The shifts that neither one-sided rank-sum test rejects at (1 − level) / 2; ends are differences of the samples, infinite
 * where the samples are too small. The untrimmed p is monotone in the shift, so bisection finds the ends exactly.
 */
export function shiftInterval(x: readonly number[], y: readonly number[], level: number): Interval {
  const alpha = (1 - level) / 2;
  const steps = differences(x, y);
  const rejectsBelow = (k: number): boolean => rankSumUpperTail(x, y, between(steps, k)) <= alpha;
  const rejectsAbove = (k: number): boolean =>
    rankSumUpperTail(
      y,
      x.map((value) => value - between(steps, k)),
    ) <= alpha;
  const n = steps.length;
  if (n === 0) return { low: Number.NEGATIVE_INFINITY, high: Number.POSITIVE_INFINITY, level };
  const low = firstFalse(n + 1, rejectsBelow);
  const high = firstFalse(n + 1, (k) => rejectsAbove(n - k));
  return {
    low: low === 0 ? Number.NEGATIVE_INFINITY : (steps[low - 1] as number),
    high: high === 0 ? Number.POSITIVE_INFINITY : (steps[n - high] as number),
    level,
  };
}

/** A shift between the k-th smallest difference and the next: no ties there. k = 0 lies below all of them. */
function between(steps: Float64Array, k: number): number {
  const n = steps.length;
  if (k === 0) return (steps[0] as number) - 1;
  if (k === n) return (steps[n - 1] as number) + 1;
  return ((steps[k - 1] as number) + (steps[k] as number)) / 2;
}

/** The least k in [0, count) with a false predicate, for one that is true up to a point. */
function firstFalse(count: number, predicate: (k: number) => boolean): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (predicate(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
