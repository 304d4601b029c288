// How much of the spread of grouped values lies between groups, and how much within.
import { mean } from "./dispersion.ts";

interface VarianceComponents {
  /** Variance of what the values of a group have in common, 0 or more; NaN with one group, or with `within`. */
  between: number;
  /** Variance of a value about its group; NaN when no group has two values. */
  within: number;
}

/**
 * By the analysis of variance for groups of any size (Henderson's method 1; Searle, Casella &
 * McCulloch, Variance Components, 1992, §3.6), a negative `between` set to 0.
 */
export function varianceComponents(groups: readonly (readonly number[])[]): VarianceComponents {
  const known = groups.filter((group) => group.length > 0);
  const all = known.flat();
  const centre = mean(all);
  const inside = known.reduce((sum, group) => sum + squaresAbout(group, mean(group)), 0);
  const within = all.length > known.length ? inside / (all.length - known.length) : Number.NaN;
  const outside = known.reduce((sum, group) => sum + group.length * (mean(group) - centre) ** 2, 0);
  // Values in a group, on average, as far as they tell groups apart.
  const size = all.length - known.reduce((sum, { length }) => sum + length ** 2, 0) / all.length;
  const between = (outside - (known.length - 1) * within) / size;
  return { between: known.length < 2 ? Number.NaN : Math.max(0, between), within };
}

function squaresAbout(values: readonly number[], centre: number): number {
  return values.reduce((sum, value) => sum + (value - centre) ** 2, 0);
}

/** Values beyond `limit` of `centre` count as at that distance (Tukey 1962). */
export function winsorized(
  values: readonly number[],
  { centre, limit }: { centre: number; limit: number },
): number[] {
  return values.map((value) => Math.min(centre + limit, Math.max(centre - limit, value)));
}
