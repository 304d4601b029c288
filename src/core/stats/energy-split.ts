// Where a stretch of values splits best in two, and whether that is chance.
import { createPrng } from "../base/prng.ts";
import { median, robustSd, sampleSd } from "./dispersion.ts";

/** Values in the order of time, and what each weighs: positive, of any scale. */
export interface Weighted {
  values: Float64Array;
  weights: Float64Array;
}

interface Split {
  /** The first value of the part behind. */
  index: number;
  /** Energy distance of the two parts, scaled by their weights; 0 or more. */
  statistic: number;
}

/** In robust standard deviations about the median: what is further out counts as this far. */
const FARTHEST = 3;

/** Weights, and values from their weighted mean, times their weight: their sum is 0. */
interface Prepared {
  weights: Float64Array;
  weighted: Float64Array;
  total: number;
}

function prepare({ values, weights }: Weighted): Prepared | null {
  const centre = median(values);
  const spread = robustSd(values) || sampleSd(values);
  if (!(spread > 0)) return null;
  const scores = values.map((value) =>
    Math.min(FARTHEST, Math.max(-FARTHEST, (value - centre) / spread)),
  );
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const mean = scores.reduce((sum, score, i) => sum + score * (weights[i] as number), 0) / total;
  const weighted = scores.map((score, i) => (score - mean) * (weights[i] as number));
  return { weights: Float64Array.from(weights), weighted, total };
}

function splitIn({ weights, weighted, total }: Prepared, least: number): Split | null {
  const n = weights.length;
  let [before, sum] = [0, 0];
  let best: Split | null = null;
  for (let at = 0; at < n - least; at++) {
    before += weights[at] as number;
    sum += weighted[at] as number;
    if (at + 1 < least) continue;
    // The means are sum / before and −sum / (total − before).
    const statistic = (2 * total * sum * sum) / (before * (total - before));
    if (best === null || statistic > best.statistic) best = { index: at + 1, statistic };
  }
  return best;
}

interface PermutationTest {
  least: number;
  /** Counting ends where this cannot be reached any more. */
  level: number;
  permutations: number;
  seed: number;
}

/**
 * The split into parts of at least `least` values with the greatest energy distance: a step of
 * E-divisive with α = 2, which sees a change of level (Matteson & James, JASA 109, 2014, eqs. 3 to
 * 5), by weights and with wild values limited. Its p is that of the order of values: p = (1 + as
 * great) / (1 + permutations) (Phipson & Smyth 2010), a lower bound where above `level`. Null:
 * shorter than two parts, or all equal.
 */
export function testSplit(
  stretch: Weighted,
  { least, level, permutations, seed }: PermutationTest,
): (Split & { p: number }) | null {
  const prepared = prepare(stretch);
  const split = prepared === null ? null : splitIn(prepared, least);
  if (prepared === null || split === null) return null;
  const prng = createPrng(seed);
  // Equal values in another order may differ in the last bits.
  const reached = split.statistic * (1 - 1e-9);
  let asGreat = 0;
  for (let k = 0; k < permutations && 1 + asGreat <= level * (1 + permutations); k++) {
    shuffle(prepared, prng.below);
    if ((splitIn(prepared, least)?.statistic ?? 0) >= reached) asGreat++;
  }
  return { ...split, p: (1 + asGreat) / (1 + permutations) };
}

/** In place, both alike (Fisher-Yates). */
function shuffle({ weights, weighted }: Prepared, below: (bound: number) => number): void {
  for (let i = weights.length - 1; i > 0; i--) {
    const j = below(i + 1);
    const [weight, value] = [weights[i] as number, weighted[i] as number];
    weights[i] = weights[j] as number;
    weighted[i] = weighted[j] as number;
    weights[j] = weight;
    weighted[j] = value;
  }
}
