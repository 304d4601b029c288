// The exact Wilcoxon rank-sum test and its shift, for samples of different days. Nothing is
// trimmed: an exact trim sees pooled values only, and would drop those that show a shift.
import { median } from "./dispersion.ts";
import type { Interval } from "./hodges-lehmann.ts";
import { summedUp } from "./signed-rank.ts";

/**
 * One-sided p that x − shift lies above y, with exchangeable labels (Wilcoxon 1945; Mann & Whitney
 * 1947). Ties share mid-ranks, with the exact conditional distribution. 1 when either is empty.
 */
export function rankSumUpperTail(x: readonly number[], y: readonly number[], shift = 0): number {
  if (x.length === 0 || y.length === 0) return 1;
  // The ranks of the fewer take less time, and from the other end they are as high.
  if (x.length > y.length) return rankSumUpperTail(y.map(negated), x.map(negated), shift);
  const all = [
    ...x.map((value) => ({ value: value - shift, ofX: true })),
    ...y.map((value) => ({ value, ofX: false })),
  ].sort((a, b) => a.value - b.value);
  const doubled: number[] = [];
  let observed = 0;
  for (let start = 0; start < all.length; ) {
    const { value } = all[start] as { value: number };
    if (!Number.isFinite(value)) throw new RangeError(`not a finite number: ${value}`);
    let end = start + 1;
    while (all[end]?.value === value) end++;
    for (let k = start; k < end; k++) {
      // Twice the mean of the ranks start + 1 … end.
      doubled.push(start + 1 + end);
      if (all[k]?.ofX === true) observed += start + 1 + end;
    }
    start = end;
  }
  const tied = doubled.some((rank, i) => rank !== 2 * (i + 1));
  return tied
    ? (subsetSumTails(doubled, x.length)[observed] as number)
    : (rankSumTails(x.length, y.length)[observed / 2] as number);
}

const negated = (value: number): number => -value;

const tables = new Map<string, Float64Array>();

/**
 * tails[w] = P(rank sum of the m ≥ w) for m and n values without ties, kept for each pair of sizes.
 */
function rankSumTails(m: number, n: number): Float64Array {
  const key = `${m},${n}`;
  const ranks = (): number[] => Array.from({ length: m + n }, (_, i) => i + 1);
  const table = tables.get(key) ?? subsetSumTails(ranks(), m);
  tables.set(key, table);
  return table;
}

/**
 * tails[w] = P(sum of a uniformly random subset of `size` of the ascending ranks ≥ w). Takes time with
 * the square of their number times that of `size`.
 */
function subsetSumTails(ranks: readonly number[], size: number): Float64Array {
  const sums = [0];
  for (const rank of ranks) sums.push((sums.at(-1) as number) + rank);
  // Of the k highest among the first `nth` ranks.
  const sumOf = (k: number, nth: number): number =>
    (sums[nth] as number) - (sums[nth - k] as number);
  const total = sumOf(size, ranks.length);
  // chance[k][s]: of the ranks so far, k were drawn and add up to s.
  const chance = Array.from({ length: size + 1 }, () => new Float64Array(total + 1));
  (chance[0] as Float64Array)[0] = 1;
  for (const [seen, rank] of ranks.entries()) {
    const left = ranks.length - seen;
    // With fewer drawn, those that are left are too few.
    for (let k = Math.min(size, seen + 1); k >= Math.max(0, size - left + 1); k--) {
      // The chance that the next rank is in, given how many are.
      const pass = 1 - Math.max(0, size - k) / left;
      const take = (size - k + 1) / left;
      const here = chance[k] as Float64Array;
      const fewer = chance[k - 1];
      for (let s = sumOf(k, seen + 1); s >= sumOf(k, k); s--) {
        const drawn = fewer !== undefined && s >= rank ? (fewer[s - rank] as number) * take : 0;
        here[s] = (here[s] as number) * pass + drawn;
      }
    }
  }
  return summedUp(chance[size] as Float64Array);
}

function differences(x: readonly number[], y: readonly number[]): Float64Array {
  return Float64Array.from(x.flatMap((a) => y.map((b) => a - b))).sort();
}

/** Median of all differences x − y (Hodges & Lehmann 1963). NaN when either is empty. */
export function shiftEstimate(x: readonly number[], y: readonly number[]): number {
  return median(differences(x, y));
}

/**
 * The shifts that neither one-sided rank-sum test rejects at (1 − level) / 2 (Hollander & Wolfe,
 * §4.3). Covers a true shift with a chance of at least `level`, also with ties; infinite where
 * samples are too small.
 */
export function shiftInterval(x: readonly number[], y: readonly number[], level: number): Interval {
  const alpha = (1 - level) / 2;
  const steps = differences(x, y);
  const count = steps.length;
  if (count === 0) return { low: Number.NEGATIVE_INFINITY, high: Number.POSITIVE_INFINITY, level };
  const tails = rankSumTails(x.length, y.length);
  const leastSum = (x.length * (x.length + 1)) / 2;
  // The fewest differences above a rejected shift; more than there are: none is rejected.
  let critical = 0;
  while (critical <= count && (tails[leastSum + critical] as number) > alpha) critical++;
  return {
    low: critical > count ? Number.NEGATIVE_INFINITY : (steps[count - critical] as number),
    high: critical > count ? Number.POSITIVE_INFINITY : (steps[critical - 1] as number),
    level,
  };
}
