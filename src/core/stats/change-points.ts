// Change points of a series that grows by a point at a time: what was found stays found.
import { robustSd, sampleSd } from "./dispersion.ts";
import { testSplit, type Weighted } from "./energy-split.ts";
import { joinTransitions, type Transition } from "./transition.ts";

export interface SeriesPoint {
  /** Finite; a log ratio where sizes are to be read as changes. */
  value: number;
  /** 0 or more, in the value's unit. Null: not known, which counts as the largest in its window. */
  standardError: number | null;
  /** Begins a new stretch, as after a change of the machine; no change point. */
  afterBreak: boolean;
}

export interface ChangePoint extends Transition {
  /** Points until it was found: it lies in the first so many. */
  foundAfter: number;
  /** Of the permutation test that found it; of a creep, of the first. */
  p: number;
}

/** Chance of a false change on a day: over 200 days at most 1 %, however they depend. */
const DAILY_LEVEL = 5e-5;
/** The fewest that can reach the level; a day without a change is over after ten, on average. */
const PERMUTATIONS = 19_999;
/** One or two wild nights are no change of level. */
const LEAST = 3;
/** Points of the present stretch that are looked at: of nights, two months. */
export const WINDOW = 60;

/**
 * The changes in order of time. On each day the last 60 points since the last change or break are
 * split where their energy distance is greatest: E-divisive (Matteson & James, JASA 109, 2014) in
 * order of time, with the bounded window of Hunter (Fleming et al., ICPE 2023). A point weighs 1 /
 * (s² + e²), of the window's robust sd and its standard error. A RangeError on what is not finite.
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
    const joined = joinTransitions(weigh(points.slice(from, to)), found, {
      least: LEAST,
      reach: WINDOW,
    });
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
      // One for each day.
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
  const range = { earliest: earliest + by, latest: latest + by };
  return { ...transition, first: first + by, until: until + by, ...range };
}
