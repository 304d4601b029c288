// One test of all columns together: flip the arms of whole rounds, and ask how often the largest of
// all statistics is as large as this one. Under the null the arms of a round are exchangeable, so
// that every flip is as likely as what was seen, and the chance that any name is rejected is at most
// α however names depend on each other. Westfall and Young, Resampling-Based Multiple Testing, 1993
// (single-step max-T); Winkler et al., NeuroImage 92, 2014 (sign flips).
import { createPrng } from "../../src/core/base/prng.ts";
import { type Column, mean, sum } from "./fold.ts";

export interface Tested {
  name: string;
  /** Means over the rounds. */
  reference: number;
  candidate: number;
  difference: number;
  /** Of all flips, the share whose largest statistic is at least this one's: for the family. */
  p: number;
  /** `p` is at most α: more in the candidate. */
  isMore: boolean;
  /** The same of the mirror image. */
  isLess: boolean;
  /** Of the difference; null where too few rounds bound it. Above 0 exactly where `isMore`. */
  interval: { low: number; high: number } | null;
}

/** 2¹²: as many as can be had exactly from 12 rounds. Of more rounds so many are drawn. */
const MOST_FLIPS = 4096;
/** What rounding may do to a sum. */
const SAME = 1e-9;

/**
 * Larger in the candidate, by one-sided p values for the whole family. Intervals hold for all names
 * together at 1 − 2α: those shifts that the test, and its mirror image, do not reject at its critical
 * value. That value is of the differences as they are, so they are approximate.
 * Columns are of equal length, one value a round; no round and no column is no test.
 */
export function testColumns(columns: readonly Column[], alpha: number): Tested[] {
  const statistics = columns.map(statisticOf);
  const sorted = largestOf(statistics).toSorted((a, b) => b - a);
  /** So many flips may be above. */
  const allowed = Math.floor(alpha * sorted.length + SAME);
  const critical = sorted[allowed] ?? Number.POSITIVE_INFINITY;
  const shareOf = (t: number): number =>
    (sorted.findLastIndex((value) => value >= t - SAME) + 1) / sorted.length;
  return columns.map((column, at) => {
    const one = statistics[at] as Statistic;
    const p = one.scaled.length === 0 ? 1 : shareOf(one.t);
    const shift = mean(column.candidate) * (1 - 1 / (column.growth ?? 1));
    return {
      name: column.name,
      reference: mean(column.reference),
      candidate: mean(column.candidate),
      difference: shift + one.mean,
      p,
      isMore: p <= alpha + SAME && one.mean > 0,
      // Every flip is the mirror image of another, which has the same chance.
      isLess: one.mean < 0 && shareOf(-one.t) <= alpha + SAME,
      interval: intervalOf({ ...one, mean: shift + one.mean }, critical),
    };
  });
}

interface Statistic {
  mean: number;
  /** Differences by round over their scale; empty where all are 0. */
  scaled: readonly number[];
  t: number;
  /** Of the differences about their mean, and what counting alone would give: sums of squares. */
  spread: number;
}

/**
 * Studentised by what no flip changes: the differences' squares, and a floor. A name that was seen in
 * two samples of one round would otherwise be as sure as one of thousands: counting k units varies
 * by √k of them.
 */
function statisticOf({ reference, candidate: values, unit, growth = 1 }: Column): Statistic {
  const candidate = values.map((value) => value / growth);
  const differences = candidate.map((value, round) => value - (reference[round] ?? 0));
  const counted = differences.map((_, round) => {
    const one = unit[round] ?? 0;
    return Math.max(one * ((reference[round] ?? 0) + (candidate[round] ?? 0)), one * one);
  });
  const scale = Math.sqrt(sum(differences.map((value) => value * value)) + sum(counted));
  const scaled = scale > 0 ? differences.map((value) => value / scale) : [];
  const centre = mean(differences);
  const spread = sum(differences.map((value) => (value - centre) ** 2)) + sum(counted);
  return { mean: centre, scaled, t: sum(scaled), spread };
}

/** The largest statistic under each flip, of which the first is none. */
function largestOf(statistics: readonly Statistic[]): number[] {
  const tested = statistics.filter(({ scaled }) => scaled.length > 0);
  const rows = tested[0]?.scaled.length ?? 0;
  if (rows === 0) return [];
  const byRound = Array.from({ length: rows }, (_, round) =>
    Float64Array.from(tested, ({ scaled }) => scaled[round] ?? 0),
  );
  const sums = Float64Array.from(tested, ({ t }) => t);
  const signs = new Int8Array(rows).fill(1);
  const flip = (round: number): void => {
    const twice = 2 * (signs[round] ?? 1);
    const values = byRound[round] as Float64Array;
    for (let at = 0; at < sums.length; at++)
      sums[at] = (sums[at] as number) - twice * (values[at] as number);
    signs[round] = -(signs[round] ?? 1);
  };
  const largest = [sums.reduce((a, b) => Math.max(a, b))];
  const isExact = 2 ** rows <= MOST_FLIPS;
  const prng = createPrng(rows);
  for (let step = 1; step < (isExact ? 2 ** rows : MOST_FLIPS); step++) {
    // A Gray code visits every flip and changes one sign a step.
    if (isExact) flip(31 - Math.clz32(step & -step));
    else for (let round = 0; round < rows; round++) if (prng.next() < 0.5) flip(round);
    largest.push(sums.reduce((a, b) => Math.max(a, b)));
  }
  return largest;
}

/** Solves |Σ(D − δ)| ≤ c · √(Σ(D − δ)² + floor) for δ, with n rounds about their mean. */
function intervalOf({ mean: centre, scaled, spread }: Statistic, critical: number) {
  const rows = scaled.length;
  if (rows === 0 || critical ** 2 >= rows * (1 - SAME)) return null;
  const half = critical * Math.sqrt(spread / (rows * (rows - critical ** 2)));
  return { low: centre - half, high: centre + half };
}
