// Student's t distribution: tail and quantile.
import { incompleteBeta } from "./beta.ts";

/** P(T > t) with `freedom` degrees of freedom, which need not be whole. */
export function studentUpperTail(t: number, freedom: number): number {
  const tail = incompleteBeta(freedom / (freedom + t * t), freedom / 2, 0.5) / 2;
  return t >= 0 ? tail : 1 - tail;
}

/** The t that is exceeded with chance q in (0, ½], by bisection. */
export function studentUpperQuantile(q: number, freedom: number): number {
  let [low, high] = [0, 1];
  while (studentUpperTail(high, freedom) > q) high *= 2;
  for (let i = 0; i < 100; i++) {
    const middle = (low + high) / 2;
    if (studentUpperTail(middle, freedom) > q) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
