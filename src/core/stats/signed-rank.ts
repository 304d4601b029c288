// The exact distribution of the Wilcoxon signed-rank statistic. No normal approximation at any size.

const tables = new Map<number, Float64Array>();

/**
 * tails[w] = P(W⁺ ≥ w), where W⁺ sums the ranks of positive values and signs are fair coins; kept
 * for each n.
 */
export function signedRankTails(n: number): Float64Array {
  let table = tables.get(n);
  if (table === undefined) {
    table = upperTails(n);
    tables.set(n, table);
  }
  return table;
}

/** tails[w] = P(sum of the ranks that are in ≥ w), each of 1 … n in or out by a fair coin. */
function upperTails(n: number): Float64Array {
  const total = (n * (n + 1)) / 2;
  const tails = new Float64Array(total + 1);
  tails[0] = 1;
  let reach = 0;
  for (let rank = 1; rank <= n; rank++) {
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
