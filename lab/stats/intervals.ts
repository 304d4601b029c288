// Intervals for a share of counts: exact, and approximate for display.
import { binomialLowerTail, binomialUpperTail } from "../../src/core/stats/proportion.ts";

interface Proportion {
  low: number;
  high: number;
}

/**
 * Clopper & Pearson's exact interval (Biometrika 26, 1934) for k of n, by bisection on the binomial
 * tails: covers the true share with a chance of at least `level`. n = 0 gives [0, 1].
 */
export function clopperPearson(k: number, n: number, level: number): Proportion {
  const alpha = (1 - level) / 2;
  return {
    low: k === 0 ? 0 : boundary((p) => binomialUpperTail(k, n, p) < alpha),
    high: k === n ? 1 : boundary((p) => binomialLowerTail(k, n, p) > alpha),
  };
}

/** The p in [0, 1] at which a predicate that is true from 0 on turns false, to the last digit. */
function boundary(holds: (p: number) => boolean): number {
  let low = 0;
  let high = 1;
  for (;;) {
    const middle = (low + high) / 2;
    if (middle === low || middle === high) return middle;
    if (holds(middle)) low = middle;
    else high = middle;
  }
}

/**
 * Wilson's score interval (JASA 22, 1927) for k of n: close to `level` on average over shares, not
 * guaranteed for each; for display where Clopper & Pearson's is needlessly wide. `z` is the normal
 * quantile of (1 + level) / 2. n = 0 gives [0, 1].
 */
export function wilsonInterval(k: number, n: number, z: number): Proportion {
  if (n === 0) return { low: 0, high: 1 };
  const share = k / n;
  const weight = (z * z) / n;
  const centre = (share + weight / 2) / (1 + weight);
  const half = (z / (1 + weight)) * Math.sqrt((share * (1 - share)) / n + weight / (4 * n));
  return { low: k === 0 ? 0 : centre - half, high: k === n ? 1 : centre + half };
}
