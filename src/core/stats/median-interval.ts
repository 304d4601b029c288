// An interval for a median from the order of the values alone.
import { binomialLowerTail } from "./proportion.ts";

interface MedianRanks {
  /** Ranks of the bounds, from 1: the `low`-th smallest and the `high`-th smallest value. */
  low: number;
  high: number;
  /**
   * Chance that the interval holds the median, exactly; below the level that was asked when n is
   * too small for it.
   */
  level: number;
}

/**
 * Ranks of the two order statistics that hold the median of a continuous distribution with a chance
 * of at least `level`, symmetric and the narrowest such: P(x₍k₎ ≤ median ≤ x₍n−k+1₎) = 1 − 2
 * P(Bin(n, ½) ≤ k − 1), which assumes only that the values are independent and of one law
 * (Thompson, Ann. Math. Stat. 7, 1936; David & Nagaraja, Order Statistics, 2003, §7.1). With ties,
 * or values known as bounds only, the chance is at least that. n < 6 reaches no 95 %: then the
 * extremes and their own level (n = 1: 0). Null for n = 0.
 */
export function medianRanks(n: number, level: number): MedianRanks | null {
  if (n === 0) return null;
  const levelOf = (rank: number): number => 1 - 2 * binomialLowerTail(rank - 1, n, 0.5);
  let rank = 1;
  while (2 * (rank + 1) <= n && levelOf(rank + 1) >= level) rank++;
  return { low: rank, high: n - rank + 1, level: levelOf(rank) };
}
