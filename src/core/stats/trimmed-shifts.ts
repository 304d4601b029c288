// The trimmed test over ranges of shifts: the p-value of a one-sided null, and the interval of
// shifts that are not rejected.
//
// What the trim keeps depends on the shift, so the p of one shift is not monotone in it: with two
// clusters of values a shift near the one sets the other aside and is rejected for sure, while a
// shift between them is not. "Not above t" is the null of every shift s <= t, and its p-value is
// the largest over them (Casella & Berger, Statistical Inference, 2002, §8.3.4).
import { type Interval, trimmedEstimate, walshAverages } from "./hodges-lehmann.ts";
import { signedRankTails } from "./signed-rank.ts";
import { type Direction, TRIM_MADS, TRIM_SLACK, trimmedSignedRank } from "./trimmed-signed-rank.ts";

/**
 * p of the test that d lies above `shift` (`+`; below for `-`) against the whole null: the largest
 * p of `trimmedSignedRank` over all shifts up to (down to) this one. Valid when d is independent
 * and symmetric about any shift of the null, whatever its shape: the chance of p ≤ a is then at
 * most a.
 *
 * The search ends when p exceeds `enough`: a p above it is a lower bound, one up to it is exact.
 *
 * 1 for an empty sample; a RangeError on NaN and infinities.
 */
export function trimmedP(
  d: readonly number[],
  shift: number,
  direction: Direction,
  enough = 1,
): number {
  let { p } = trimmedSignedRank(d, shift, direction);
  if (d.length === 0) return p;
  const sign = direction === "+" ? 1 : -1;
  const z = Float64Array.from(d, (value) => sign * value).sort();
  const edges = cellEdges(z, sign * shift);
  const largestP = createCellTest(z);
  for (let i = edges.length - 1; i > 0 && p <= enough; i--) {
    p = Math.max(p, largestP(edges[i - 1] as number, edges[i] as number, p));
  }
  return p;
}

/**
 * The hull of the shifts that the trimmed test rejects in neither direction at (1 − level) / 2, and
 * of `trimmedEstimate`. The set itself may have gaps, because the trim depends on the shift; its
 * hull is what `trimmedP` does not reject, out to the next Walsh average. Covers the centre of a
 * symmetric distribution with a chance of at least `level`. An end is infinite where the sample is
 * too small for the level, and both are for an empty sample. The values are finite.
 */
export function trimmedInterval(d: readonly number[], level: number): Interval {
  if (d.length === 0) {
    return { low: Number.NEGATIVE_INFINITY, high: Number.POSITIVE_INFINITY, level };
  }
  const alpha = (1 - level) / 2;
  const estimate = trimmedEstimate(d);
  const mirrored = d.map((value) => -value);
  return {
    low: Math.min(lowestAccepted(d, alpha), estimate),
    high: Math.max(-lowestAccepted(mirrored, alpha), estimate),
    level,
  };
}

function lowestAccepted(d: readonly number[], alpha: number): number {
  const z = Float64Array.from(d).sort();
  const edges = cellEdges(z, z[z.length - 1] as number);
  const largestP = createCellTest(z);
  for (let i = 1; i < edges.length; i++) {
    const low = edges[i - 1] as number;
    if (largestP(low, edges[i] as number, alpha) > alpha)
      return i === 1 ? Number.NEGATIVE_INFINITY : low;
  }
  // Nothing below the greatest value; above it nothing is positive and p is 1.
  return edges[edges.length - 1] as number;
}

/**
 * Between neighbouring Walsh averages lies a cell of shifts in which no two distances change their
 * order and no value its sign. The edges of those up to `top`, ascending. The first cell stands for
 * all shifts below every value: distances grow alike there, and neither trim nor ranks change.
 */
function cellEdges(z: Float64Array, top: number): Float64Array {
  const walsh = walshAverages(z);
  const edges = new Float64Array(walsh.length + 3);
  let count = 1;
  for (const average of walsh) {
    if (average >= top) break;
    if (count === 1 || average > (edges[count - 1] as number)) edges[count++] = average;
  }
  edges[count++] = top;
  edges[0] = (edges[1] as number) - 1;
  return edges.subarray(0, count);
}

/**
 * Halvings of a cell in which the number kept varies: what is left is less than a thousandth of it.
 */
const MAX_SPLITS = 10;

/**
 * A function of a cell's edges: the largest p of the `+` test anywhere in the closed cell, or
 * slightly more, never less. Order and signs are fixed inside, so W⁺ depends only on how many of
 * the nearest values are kept. Distances, and their deviations from the median distance, are linear
 * in the shift: their values at both edges bound the MAD, and with it the number kept; while that
 * leaves several numbers, the cell is halved. A p of at most `ignored` is only bounded, not
 * searched.
 *
 * Ties: equal values have equal signs, so any order among them gives the same W⁺ and the untied
 * distribution is exact for it. At an edge values on opposite sides tie, or one is zero; in the
 * cell above, the positive one has the smaller rank, so that the bound of that cell holds for its
 * lower edge.
 *
 * z: ascending, not empty.
 */
function createCellTest(z: Float64Array): (low: number, high: number, ignored: number) => number {
  const n = z.length;
  const fewestKept = (n + 1) >> 1;
  // By distance from the shift: the values, the smaller and the larger deviation of their distance
  // over the cell, and the p when so many are kept.
  const nearest = new Float64Array(n);
  const least = new Float64Array(n);
  const most = new Float64Array(n);
  const pOfKept = new Float64Array(n + 1);
  const tails = Array.from({ length: n + 1 }, (_, kept) =>
    kept < fewestKept ? new Float64Array() : signedRankTails(kept),
  );

  /** Orders the values, and returns the largest p over all numbers that a trim could keep. */
  function order(centre: number): number {
    let above = 0;
    while (above < n && (z[above] as number) <= centre) above++;
    let below = above - 1;
    let w = 0;
    let largest = 0;
    for (let kept = 1; kept <= n; kept++) {
      const takeAbove =
        below < 0 || (above < n && (z[above] as number) - centre <= centre - (z[below] as number));
      nearest[kept - 1] = z[takeAbove ? above++ : below--] as number;
      if (takeAbove) w += kept;
      if (kept < fewestKept) continue;
      const p = tails[kept]?.[w] as number;
      pOfKept[kept] = p;
      if (p > largest) largest = p;
    }
    return largest;
  }

  function largestP(low: number, high: number, ignored: number, splits: number): number {
    const untrimmed = order((low + high) / 2);
    if (untrimmed <= ignored) return untrimmed;
    const distance = (j: number, shift: number) => Math.abs((nearest[j] as number) - shift);
    const medianLow = middle(n, (j) => distance(j, low));
    const medianHigh = middle(n, (j) => distance(j, high));
    for (let j = 0; j < n; j++) {
      const atLow = Math.abs(distance(j, low) - medianLow);
      const atHigh = Math.abs(distance(j, high) - medianHigh);
      least[j] = Math.min(atLow, atHigh);
      most[j] = Math.max(atLow, atHigh);
    }
    const slack = TRIM_SLACK * Math.max(medianLow, medianHigh);
    const surelyKept = TRIM_MADS * middleOfValley(least) + slack;
    const possiblyKept = TRIM_MADS * middleOfValley(most) + slack;
    // The nearer half is always kept, and then every next one that is near enough all over the
    // cell.
    let kept = fewestKept;
    while (kept < n && (most[kept] as number) <= surelyKept) kept++;
    let largest = pOfKept[kept] as number;
    const isCertain = kept === n || (least[kept] as number) > possiblyKept;
    for (; kept < n && (least[kept] as number) <= possiblyKept; kept++) {
      largest = Math.max(largest, pOfKept[kept + 1] as number);
    }
    if (isCertain || largest <= ignored || splits === 0) return largest;
    const centre = (low + high) / 2;
    const lower = largestP(low, centre, ignored, splits - 1);
    return Math.max(lower, largestP(centre, high, Math.max(lower, ignored), splits - 1));
  }

  return (low, high, ignored) => largestP(low, high, ignored, MAX_SPLITS);
}

/** Median of n values that `at` gives in ascending order. */
function middle(n: number, at: (index: number) => number): number {
  const half = n >> 1;
  return n % 2 === 1 ? at(half) : (at(half - 1) + at(half)) / 2;
}

/**
 * Median of values that fall up to the middle and rise from there, as the deviations of sorted
 * values from their median do.
 */
function middleOfValley(values: Float64Array): number {
  const n = values.length;
  let right = n >> 1;
  let left = right - 1;
  let previous = 0;
  let current = 0;
  for (let taken = 0; taken <= n >> 1; taken++) {
    previous = current;
    const takeRight =
      left < 0 || (right < n && (values[right] as number) <= (values[left] as number));
    current = values[takeRight ? right++ : left--] as number;
  }
  return n % 2 === 1 ? current : (previous + current) / 2;
}
