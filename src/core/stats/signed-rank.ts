// The exact one-sided Wilcoxon signed-rank test. No normal approximation at any size.

/**
 * p of the one-sided test that x lies above zero: P(W⁺ ≥ w), where w sums the ranks of the positive
 * values and every sign is a fair coin given |x| (Wilcoxon, Biometrics Bulletin 1, 1945). Assumes
 * independent values whose distribution is symmetric about zero under the null. Ties of |x| share
 * their mid-rank, and the distribution is the exact conditional one for those mid-ranks (the shift
 * algorithm of Streitberg & Röhmel, 1986, on doubled ranks).
 *
 * A zero is ranked and never counted as positive. Under the null its coin cannot add to W⁺, whereas
 * the distribution that w is held against lets it: that sum is never smaller, coin by coin, so P(W⁺
 * ≥ w) is overstated and the test conservative.
 *
 * 1 for an empty sample. A RangeError on NaN and infinities.
 */
export function signedRankUpperTail(x: readonly number[]): number {
  const n = x.length;
  if (n === 0) return 1;
  const distances = x.map(Math.abs);
  for (const distance of distances) {
    if (!Number.isFinite(distance)) throw new RangeError(`not a finite number: ${distance}`);
  }
  const order = distances
    .map((_, i) => i)
    .sort((i, j) => (distances[i] as number) - (distances[j] as number));

  const doubledRanks = new Array<number>(n);
  let tied = false;
  let positive = 0;
  for (let start = 0; start < n; ) {
    let end = start + 1;
    const distance = distances[order[start] as number];
    while (end < n && distances[order[end] as number] === distance) end++;
    tied ||= end - start > 1;
    // Twice the mean of the ranks start + 1 … end.
    const doubled = start + 1 + end;
    for (let k = start; k < end; k++) {
      doubledRanks[k] = doubled;
      if ((x[order[k] as number] as number) > 0) positive += doubled;
    }
    start = end;
  }
  return tied
    ? (upperTails(doubledRanks)[positive] as number)
    : (signedRankTails(n)[positive / 2] as number);
}

const tables = new Map<number, Float64Array>();

/**
 * tails[w] = P(W⁺ ≥ w) for n values without ties, w = 0 … n(n + 1) / 2. Computed once for each n.
 */
export function signedRankTails(n: number): Float64Array {
  let table = tables.get(n);
  if (table === undefined) {
    table = upperTails(Array.from({ length: n }, (_, i) => i + 1));
    tables.set(n, table);
  }
  return table;
}

/** tails[w] = P(sum of the ranks that are in ≥ w), each rank in or out by a fair coin. */
function upperTails(ranks: readonly number[]): Float64Array {
  const total = ranks.reduce((sum, rank) => sum + rank, 0);
  const tails = new Float64Array(total + 1);
  tails[0] = 1;
  let reach = 0;
  for (const rank of ranks) {
    reach += rank;
    for (let w = reach; w >= 0; w--) {
      const without = tails[w] as number;
      const having = w >= rank ? (tails[w - rank] as number) : 0;
      tails[w] = (without + having) / 2;
    }
  }
  // Summed from the far end, where the terms are smallest.
  for (let w = total - 1; w >= 0; w--) {
    tails[w] = Math.min(1, (tails[w] as number) + (tails[w + 1] as number));
  }
  // Whatever rounding has left.
  tails[0] = 1;
  return tails;
}
