// From splits of a series to changes: place, step or slope, and size.
import type { Weighted } from "./energy-split.ts";
import { type Domain, type Ramp, type Ramps, rampsOf } from "./ramp.ts";
import { studentUpperQuantile } from "./student-t.ts";

/** Indices are of points. */
export interface Transition {
  first: number;
  /** The first at the new level: `first` where it came at once, later where it crept. */
  until: number;
  /** Where the first may lie, with 95 % confidence. */
  earliest: number;
  latest: number;
  /** New level less old level, in the values' unit; the bounds with 95 % confidence. */
  size: { estimate: number; low: number; high: number };
}

/** As far as a fit reaches; its first point lies before `before`. */
interface Reach extends Domain {
  before: number;
}

const CONFIDENCE = 0.95;
/**
 * Log likelihood by which a step's place may fall behind the best, with a chance of 5 % (Siegmund,
 * Int. Statist. Rev. 56, 1988).
 */
const PLACE_DROP = -Math.log(1 - Math.sqrt(CONFIDENCE));
/** Every level and every place is a parameter. */
const STEP_PARAMETERS = 3;
const SLOPE_PARAMETERS = 4;

/**
 * One transition for each split, or for several in one direction that a slope fits as well, by
 * n·ln(SSE) + k·ln(n) (Schwarz, Ann. Stat. 6, 1978). A fit reaches at most `reach` points beyond
 * its splits, and not into another's; it begins in the points that its first split was found in, so
 * that later ones do not move it there.
 */
export function joinTransitions(
  series: Weighted,
  found: readonly { index: number; foundAfter: number }[],
  { least, reach }: { least: number; reach: number },
): { splits: Domain; transition: Transition }[] {
  const points = series.values.length;
  const splits = found.map(({ index }) => index);
  const domainOf = ({ from, to }: Domain): Reach => ({
    from: Math.max(splits[from - 1] ?? 0, (splits[from] ?? 0) - reach),
    to: Math.min(splits[to] ?? points, (splits[to - 1] ?? 0) + reach),
    before: found[from]?.foundAfter ?? points,
  });
  const groups: Domain[] = [];
  for (const to of splits.keys()) {
    const last = groups.at(-1);
    const joined = { from: last?.from ?? 0, to: to + 1 };
    const own = splits.slice(joined.from, joined.to);
    if (last !== undefined && isOneSlope(series, own, domainOf(joined), least)) {
      groups[groups.length - 1] = joined;
    } else groups.push({ from: to, to: to + 1 });
  }
  let free = 0;
  return groups.map((group) => {
    const { from, ...rest } = domainOf(group);
    // The new level of a slope that another change follows is seen for a while.
    const atNewLevel = group.to === splits.length ? 1 : least;
    const domain = { from: Math.max(free, from), ...rest };
    const isSlope = group.to - group.from > 1;
    const transition = fitTransition(series, domain, { atNewLevel, isSlope });
    free = transition.until;
    return { splits: group, transition };
  });
}

function isOneSlope(series: Weighted, splits: readonly number[], domain: Reach, least: number) {
  const ramps = rampsOf(series, domain);
  const ends = [domain.from, ...splits, domain.to];
  const levels = ends.slice(1).map((to, k) => ramps.level({ from: ends[k] as number, to }));
  const rises = levels.slice(1).map(({ mean }, k) => Math.sign(mean - (levels[k]?.mean ?? mean)));
  if (new Set(rises).size > 1) return false;
  const slope = leastRest(slopes(ramps, domain, least));
  const rest = levels.reduce((sum, level) => sum + level.rest, 0);
  const criterion = criterionOf(ramps, domain);
  return (
    slope !== null &&
    criterion(slope.rest, SLOPE_PARAMETERS) < criterion(rest, 2 * splits.length + 1)
  );
}

/** What is exact to rounding is as good as exact. */
function criterionOf(ramps: Ramps, domain: Domain): (rest: number, parameters: number) => number {
  const n = domain.to - domain.from;
  const least = Math.max(1e-12 * ramps.level(domain).rest, Number.MIN_VALUE);
  return (rest, parameters) => n * Math.log(Math.max(rest, least)) + parameters * Math.log(n);
}

function fitTransition(
  series: Weighted,
  domain: Reach,
  { atNewLevel, isSlope }: { atNewLevel: number; isSlope: boolean },
): Transition {
  const ramps = rampsOf(series, domain);
  const steps = firstsIn(domain).map((first) => ramps.fit(first, first));
  const sloping = slopes(ramps, domain, atNewLevel);
  const step = leastRest(steps) as Ramp;
  const slope = leastRest(sloping);
  const criterion = criterionOf(ramps, domain);
  const creeps =
    slope !== null &&
    (isSlope || criterion(slope.rest, SLOPE_PARAMETERS) < criterion(step.rest, STEP_PARAMETERS));
  const best = creeps ? slope : step;
  const n = domain.to - domain.from;
  const freedom = Math.max(1, n - (creeps ? SLOPE_PARAMETERS : STEP_PARAMETERS));
  const places = (creeps ? sloping : steps)
    .filter(({ rest }) => rest <= best.rest * Math.exp((2 * PLACE_DROP) / n))
    .map(({ first }) => first);
  const t = studentUpperQuantile((1 - CONFIDENCE) / 2, freedom);
  const limit = best.rest * (1 + t ** 2 / freedom);
  // Of every place that may be the right one (profile likelihood).
  const bounds = (creeps ? sloping : steps)
    .filter(({ rest, spread }) => rest <= limit && spread > 0)
    .map(({ size, rest, spread }) => ({ size, half: Math.sqrt((limit - rest) / spread) }));
  const earliest = Math.min(...places);
  const size = {
    estimate: best.size,
    low: Math.min(...bounds.map(({ size, half }) => size - half)),
    high: Math.max(...bounds.map(({ size, half }) => size + half)),
  };
  return { first: best.first, until: best.until, earliest, latest: Math.max(...places), size };
}

const firstsIn = ({ from, to, before }: Reach): number[] =>
  Array.from({ length: Math.min(to, before) - from - 1 }, (_, k) => from + 1 + k);

/** Every slope of two points or more, with so many points at the new level. */
function slopes(ramps: Ramps, domain: Reach, atNewLevel: number): Ramp[] {
  const last = domain.to - atNewLevel;
  return firstsIn(domain).flatMap((first) =>
    Array.from({ length: Math.max(0, last - first) }, (_, k) => ramps.fit(first, first + 1 + k)),
  );
}

function leastRest(fits: readonly Ramp[]): Ramp | null {
  return fits.reduce<Ramp | null>(
    (best, fit) => (best === null || fit.rest < best.rest ? fit : best),
    null,
  );
}
