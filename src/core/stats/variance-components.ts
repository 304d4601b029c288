// How much of the spread of grouped values lies between the groups and how much within them: for
// rounds, what belongs to the launch and what to the slices. Knows neither.

interface VarianceComponents {
  /**
   * Variance of what the values of a group have in common; 0 or more. NaN when it cannot be told.
   */
  between: number;
  /** Variance of a value about its group. NaN when no group has two values. */
  within: number;
  /** Groups that held a value. */
  groups: number;
  /** Values in all. */
  values: number;
}

/** What the likelihood needs to know of one group. */
interface GroupSums {
  n: number;
  mean: number;
  /** Squared deviations from the group's own mean, summed. */
  squares: number;
}

/**
 * Restricted maximum likelihood for one random factor, y = μ + group + error, both normal
 * (Patterson & Thompson, Biometrika 58, 1971; Searle, Casella & McCulloch, Variance Components,
 * 1992, §6.6); groups may differ in size. With λ = between / within and wᵢ = nᵢ / (1 + λ nᵢ), the
 * variance within is Q(λ) / (N − 1), where
 *
 *   Q(λ) = Σ squaresᵢ + Σ wᵢ (meanᵢ − μ̂)²,   μ̂ = Σ wᵢ meanᵢ / Σ wᵢ,
 *
 * and λ ≥ 0 is what makes (N − 1) ln Q + Σ ln(1 + λ nᵢ) + ln Σ wᵢ least. Groups of equal size give
 * the estimates of the analysis of variance, with a negative one set to 0 and the rest adapted.
 * Wild values inflate both: winsorise first. Empty groups do not count; with fewer than two groups
 * `between` is NaN, without a group of two values both are. NaN among the values gives NaN.
 */
export function varianceComponents(groups: readonly (readonly number[])[]): VarianceComponents {
  const sums = groups.filter((group) => group.length > 0).map(sumsOf);
  const values = sums.reduce((total, { n }) => total + n, 0);
  const counts = { groups: sums.length, values };
  if (values === sums.length) return { between: Number.NaN, within: Number.NaN, ...counts };
  const squares = sums.reduce((total, group) => total + group.squares, 0);
  if (sums.length < 2) {
    return { between: Number.NaN, within: squares / (values - sums.length), ...counts };
  }
  if (squares === 0)
    return { between: varianceOf(sums.map(({ mean }) => mean)), within: 0, ...counts };
  const lambda = leastOverRatios((ratio) => deviance(sums, ratio));
  const within = spread(sums, lambda).q / (values - 1);
  return { between: lambda * within, within, ...counts };
}

function sumsOf(group: readonly number[]): GroupSums {
  const mean = group.reduce((sum, value) => sum + value, 0) / group.length;
  const squares = group.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { n: group.length, mean, squares };
}

function varianceOf(means: readonly number[]): number {
  const { n, squares } = sumsOf(means);
  return squares / (n - 1);
}

function spread(groups: readonly GroupSums[], lambda: number): { q: number; weight: number } {
  const weights = groups.map(({ n }) => n / (1 + lambda * n));
  const weight = weights.reduce((sum, w) => sum + w, 0);
  const centre =
    groups.reduce((sum, { mean }, i) => sum + (weights[i] as number) * mean, 0) / weight;
  const q = groups.reduce(
    (sum, { mean, squares }, i) => sum + squares + (weights[i] as number) * (mean - centre) ** 2,
    0,
  );
  return { q, weight };
}

/** Minus twice the restricted log likelihood at its best `within`, but for a constant. */
function deviance(groups: readonly GroupSums[], lambda: number): number {
  const values = groups.reduce((total, { n }) => total + n, 0);
  const { q, weight } = spread(groups, lambda);
  const logs = groups.reduce((sum, { n }) => sum + Math.log1p(lambda * n), 0);
  return (values - 1) * Math.log(q) + logs + Math.log(weight);
}

const GRID = 200;
const GOLDEN = (Math.sqrt(5) - 1) / 2;

/**
 * The λ in [0, ∞) at which `f` is least, found over λ / (1 + λ): the best of a grid, for there may
 * be two valleys when group sizes differ, refined by golden section between its neighbours.
 */
function leastOverRatios(f: (lambda: number) => number): number {
  const at = (share: number): number => f(share / (1 - share));
  let best = 0;
  for (let i = 1; i < GRID; i++) if (at(i / GRID) < at(best / GRID)) best = i;
  let low = Math.max(0, best - 1) / GRID;
  // λ = ∞ is no estimate: only groups without any spread inside, which are dealt with before, would
  // ask for it.
  let high = Math.min(best + 1, GRID - 1e-6) / GRID;
  while (high - low > 1e-12) {
    const left = high - GOLDEN * (high - low);
    const right = low + GOLDEN * (high - low);
    if (at(left) <= at(right)) high = right;
    else low = left;
  }
  const share = (low + high) / 2;
  return at(0) <= at(share) ? 0 : share / (1 - share);
}

/**
 * The values with those further than `limit` from `centre` moved to that distance (Tukey 1962): a
 * wild one counts as the most extreme of the usual ones.
 */
export function winsorized(
  values: readonly number[],
  { centre, limit }: { centre: number; limit: number },
): number[] {
  return values.map((value) => Math.min(centre + limit, Math.max(centre - limit, value)));
}
