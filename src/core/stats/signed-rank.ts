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
  const chance = new Float64Array((n * (n + 1)) / 2 + 1);
  chance[0] = 1;
  let reach = 0;
  for (let rank = 1; rank <= n; rank++) {
    reach += rank;
    for (let w = reach; w >= 0; w--) {
      const without = chance[w] as number;
      const having = w >= rank ? (chance[w - rank] as number) : 0;
      chance[w] = (without + having) / 2;
    }
  }
  return summedUp(chance);
}

/** P(≥ w) of every w for P(= w), in place. */
export function summedUp(chance: Float64Array): Float64Array {
  // From the far end, where the terms are smallest.
  for (let w = chance.length - 2; w >= 0; w--) {
    chance[w] = Math.min(1, (chance[w] as number) + (chance[w + 1] as number));
  }
  // Whatever rounding has left.
  chance[0] = 1;
  return chance;
}
