// Change points of a series that grows by one point at a time, such as a value for each night. Each
// prefix is asked once, on its last day, and what was found stays: a later point moves none.
import { robustSd, sampleSd } from "./dispersion.ts";
import { testSplit, type Weighted } from "./energy-split.ts";
import { joinTransitions, type Transition } from "./transition.ts";

export interface SeriesPoint {
  /** Finite; a log ratio where sizes are to be read as changes. */
  value: number;
  /** 0 or more, in the value's unit. Null: not known, which counts as the largest in its window. */
  standardError: number | null;
  /**
   * Values before this one are not to be compared with it, as after a change of the machine. It
   * begins a new stretch and is no change point.
   */
  afterBreak: boolean;
}

export interface ChangePoint extends Transition {
  /** Points until it was found: it lies in the first so many. */
  foundAfter: number;
  /** Of the permutation test that found it; of a creep, of the first. */
  p: number;
}

/**
 * Chance, on a day and in a series without changes, of finding one: one in 20,000. Over 200 days that
 * is at most 1 %, however the days depend on each other.
 */
const DAILY_LEVEL = 5e-5;
/** The fewest that can reach the level; a day without a change is over after ten, on average. */
const PERMUTATIONS = 19_999;
/** One or two wild nights are no change of level. */
const LEAST = 3;
/** Points of the present stretch that are looked at: of nights, two months. */
export const WINDOW = 60;

/**
 * The changes in the order of time. On each day the last 60 points since the last change or break are
 * split where their energy distance is greatest, and the split is a change point if its permutation
 * p is at most DAILY_LEVEL. Splitting since the last change is E-divisive (Matteson & James, JASA
 * 109, 2014) in the order of time; the bounded window, by which old points stay as they are, is from
 * Fleming et al. (Hunter, ICPE 2023), and so is telling changes apart by what a fit of all of them
 * says. A point counts for 1 / (s² + e²) with its standard error e and the window's robust standard
 * deviation s. `seed` fixes the permutations: equal prefixes give equal answers. Throws a RangeError on
 * values that are not finite.
 */
export function changePoints(
  points: readonly SeriesPoint[],
  { seed }: { seed: number },
): ChangePoint[] {
  for (const { value } of points) {
    if (!Number.isFinite(value)) throw new RangeError(`not a finite number: ${value}`);
  }
  return stretchesOf(points).flatMap(({ from, to }) => {
    const found = findIn(points.slice(from, to), { seed, offset: from });
    const joined = joinTransitions(
      weigh(points.slice(from, to)),
      found.map(({ index }) => index),
      { least: LEAST, reach: WINDOW },
    );
    return joined.map(({ splits, transition }) => {
      const { foundAfter, p } = found[splits.from] as Found;
      return { ...shifted(transition, from), foundAfter: from + foundAfter, p };
    });
  });
}

interface Found {
  index: number;
  foundAfter: number;
  p: number;
}

function stretchesOf(points: readonly SeriesPoint[]): { from: number; to: number }[] {
  const starts = points.flatMap(({ afterBreak }, at) => (at === 0 || afterBreak ? [at] : []));
  return starts.map((from, k) => ({ from, to: starts[k + 1] ?? points.length }));
}

function findIn(
  points: readonly SeriesPoint[],
  { seed, offset }: { seed: number; offset: number },
): Found[] {
  const found: Found[] = [];
  for (let foundAfter = 2 * LEAST; foundAfter <= points.length; foundAfter++) {
    const from = Math.max(found.at(-1)?.index ?? 0, foundAfter - WINDOW);
    const split = testSplit(weigh(points.slice(from, foundAfter)), {
      least: LEAST,
      level: DAILY_LEVEL,
      permutations: PERMUTATIONS,
      // Of its own for each day, so that one unlucky order does not stay.
      seed: seed + offset + foundAfter,
    });
    if (split === null || split.p > DAILY_LEVEL) continue;
    found.push({ index: from + split.index, foundAfter, p: split.p });
  }
  return found;
}

function weigh(points: readonly SeriesPoint[]): Weighted {
  const values = Float64Array.from(points, ({ value }) => value);
  const widest = Math.max(0, ...points.map(({ standardError }) => standardError ?? 0));
  const errors = points.map(({ standardError }) => standardError ?? widest);
  const spread = robustSd(values) || sampleSd(values) || 1;
  return { values, weights: Float64Array.from(errors, (error) => 1 / (spread ** 2 + error ** 2)) };
}

function shifted(transition: Transition, by: number): Transition {
  const { first, until, earliest, latest } = transition;
  return {
    ...transition,
    first: first + by,
    until: until + by,
    earliest: earliest + by,
    latest: latest + by,
  };
}
