// Weighted least squares of a step or a slope between two levels, for every place.
import type { Weighted } from "./energy-split.ts";

export interface Domain {
  from: number;
  to: number;
}

/** A fit of the points of a domain. */
export interface Ramp {
  first: number;
  /** The first at the new level: `first` where it comes at once. */
  until: number;
  size: number;
  /** Weighted sum of squares about the fit. */
  rest: number;
  /** With another size the sum of squares is `rest` + (difference)² · `spread`. */
  spread: number;
}

export interface Ramps {
  fit(first: number, until: number): Ramp;
  /** Weighted mean of some points, and their weighted sum of squares about it. */
  level(of: Domain): { mean: number; rest: number };
}

/** Fits take a time in proportion to the domain, which has at most 120 points. */
export function rampsOf({ values, weights }: Weighted, { from, to }: Domain): Ramps {
  const weight = (at: number): number => weights[at] as number;
  const sum = (of: Domain, term: (at: number) => number): number => {
    let total = 0;
    for (let at = of.from; at < of.to; at++) total += weight(at) * term(at);
    return total;
  };
  const value = (at: number): number => values[at] as number;
  const level = (of: Domain): { mean: number; rest: number } => {
    const mean = sum(of, value) / sum(of, () => 1);
    return { mean, rest: sum(of, (at) => (value(at) - mean) ** 2) };
  };
  const all = { from, to };
  const { mean, rest: total } = level(all);
  const w = sum(all, () => 1);
  const fit = (first: number, until: number): Ramp => {
    const share = (at: number): number =>
      Math.min(1, Math.max(0, (at - first + 1) / (until - first + 1)));
    const middle = sum(all, share) / w;
    const spread = sum(all, (at) => (share(at) - middle) ** 2);
    const product = sum(all, (at) => (share(at) - middle) * (value(at) - mean));
    const size = spread > 0 ? product / spread : 0;
    return { first, until, size, rest: Math.max(0, total - size * product), spread };
  };
  return { fit, level };
}
