// The exact one-sided Wilcoxon signed-rank test. No normal approximation at any size.

/**
 * P(W⁺ ≥ w) under the null that, given |x|, every sign is a fair coin (Wilcoxon 1945). w is the sum of the ranks of the
 * positive values. Ties of |x| share their mid-rank, and the distribution is the exact conditional one for those mid-ranks (the
 * shift algorithm of Streitberg & Röhmel 1986 on doubled ranks).
 *
 * A zero is ranked and never counted as positive. Its true contribution to W⁺ would be none, while the null distribution
 * lets it be a coin: W⁺ is compared with something stochastically larger, so p is too large, never too small.
 *
 * Returns 1 for an empty sample. NaN in, NaN-free out: the caller has finite numbers (a RangeError otherwise).
 */
export function signedRankUpperTail(x: readonly number[]): number {
  const n = x.length;
  if (n === 0) return 1;
  const order = x.map(Math.abs);
  for (const a of order) if (!Number.isFinite(a)) throw new RangeError(`not a finite number: ${a}`);
  const index = order.map((_, i) => i).sort((i, j) => (order[i] as number) - (order[j] as number));

  const doubledRanks = new Array<number>(n);
  let tied = false;
  let positive = 0;
  for (let start = 0; start < n; ) {
    let end = start + 1;
    const value = order[index[start] as number] as number;
    while (end < n && order[index[end] as number] === value) end++;
    tied ||= end - start > 1;
    // Ranks start+1 … end, their mean doubled.
    const doubled = start + 1 + end;
    for (let k = start; k < end; k++) {
      doubledRanks[k] = doubled;
      if ((x[index[k] as number] as number) > 0) positive += doubled;
    }
    start = end;
  }
  const tail = tied ? upperTails(doubledRanks) : untiedTails(n);
  return tail[tied ? positive : positive / 2] as number;
}

/** tails[w] = P(sum of a random half of the ranks ≥ w), each rank in or out by a fair coin. */
function upperTails(ranks: readonly number[]): Float64Array {
  const total = ranks.reduce((sum, rank) => sum + rank, 0);
  const density = new Float64Array(total + 1);
  density[0] = 1;
  let reach = 0;
  for (const rank of ranks) {
    reach += rank;
    for (let w = reach; w >= rank; w--) {
      density[w] = ((density[w] as number) + (density[w - rank] as number)) / 2;
    }
    for (let w = Math.min(rank, reach + 1) - 1; w >= 0; w--)
      density[w] = (density[w] as number) / 2;
  }
  // Summed from the far end, where the terms are smallest.
  for (let w = total - 1; w >= 0; w--) {
    density[w] = Math.min(1, (density[w] as number) + (density[w + 1] as number));
  }
  return density;
}

const tables = new Map<number, Float64Array>();

function untiedTails(n: number): Float64Array {
  let table = tables.get(n);
  if (table === undefined) {
    table = upperTails(Array.from({ length: n }, (_, i) => i + 1));
    tables.set(n, table);
  }
  return table;
}
