// An interval for a median from the order of the values alone.

interface MedianRanks {
  /** Ranks of the bounds, from 1: the `low`-th smallest and the `high`-th smallest value. */
  low: number;
  high: number;
  /** Chance that the interval holds the median; below what was asked where n is too small. */
  level: number;
}

/**
 * Ranks of the narrowest symmetric pair of order statistics that holds the median with a chance of
 * at least `level` (Thompson, Ann. Math. Stat. 7, 1936), for independent values of one
 * distribution. n < 6 reaches no 95 %: then the extremes. Null for n = 0. At most 1,000: 0.5 ** n must
 * have all its digits.
 */
export function medianRanks(n: number, level: number): MedianRanks | null {
  if (n === 0) return null;
  let rank = 1;
  let chance = 0.5 ** n;
  let below = chance;
  for (; 2 * (rank + 1) <= n; rank++) {
    chance *= (n - rank + 1) / rank;
    if (1 - 2 * (below + chance) < level) break;
    below += chance;
  }
  return { low: rank, high: n - rank + 1, level: 1 - 2 * below };
}
