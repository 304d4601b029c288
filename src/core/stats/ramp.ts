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

/** Sums over the first points: each fit then takes the same time, however many there are. */
class Prefixes {
  private readonly w: number[] = [0];
  private readonly wt: number[] = [0];
  private readonly wtt: number[] = [0];
  private readonly wy: number[] = [0];
  private readonly wty: number[] = [0];
  private readonly wyy: number[] = [0];

  push(w: number, t: number, y: number): void {
    const add = (sums: number[], term: number): number => sums.push((sums.at(-1) as number) + term);
    add(this.w, w);
    add(this.wt, w * t);
    add(this.wtt, w * t * t);
    add(this.wy, w * y);
    add(this.wty, w * t * y);
    add(this.wyy, w * y * y);
  }

  /** Of points from to before to. */
  sums(from: number, to: number) {
    const between = (sums: number[]): number => (sums[to] as number) - (sums[from] as number);
    return {
      w: between(this.w),
      wt: between(this.wt),
      wtt: between(this.wtt),
      wy: between(this.wy),
      wty: between(this.wty),
      wyy: between(this.wyy),
    };
  }
}

/** Times count from the domain's first point, values from its mean: what is left keeps its digits. */
export function rampsOf({ values, weights }: Weighted, { from, to }: Domain): Ramps {
  const centre = weightedMean(values.subarray(from, to), weights.subarray(from, to));
  const prefixes = new Prefixes();
  for (let at = from; at < to; at++) {
    prefixes.push(weights[at] as number, at - from, (values[at] as number) - centre);
  }
  const all = prefixes.sums(0, to - from);
  const fit = (first: number, until: number): Ramp => {
    // x is 0 before `first`, (t − start) / length up to `until`, then 1.
    const start = first - from - 1;
    const length = until - first + 1;
    const slope = prefixes.sums(first - from, until - from);
    const after = prefixes.sums(until - from, to - from);
    const wx = (slope.wt - start * slope.w) / length + after.w;
    const wxx = (slope.wtt - 2 * start * slope.wt + start ** 2 * slope.w) / length ** 2 + after.w;
    const wxy = (slope.wty - start * slope.wy) / length + after.wy;
    const spread = wxx - wx ** 2 / all.w;
    const product = wxy - (wx * all.wy) / all.w;
    const size = spread > 0 ? product / spread : 0;
    const rest = Math.max(0, all.wyy - all.wy ** 2 / all.w - size * product);
    return { first, until, size, rest, spread };
  };
  const level = (of: Domain): { mean: number; rest: number } => {
    const { w, wy, wyy } = prefixes.sums(of.from - from, of.to - from);
    return { mean: centre + wy / w, rest: Math.max(0, wyy - wy ** 2 / w) };
  };
  return { fit, level };
}

function weightedMean(values: Float64Array, weights: Float64Array): number {
  let [sum, mean] = [0, 0];
  for (const [i, value] of values.entries()) {
    sum += weights[i] as number;
    mean += ((value - mean) * (weights[i] as number)) / sum;
  }
  return mean;
}
