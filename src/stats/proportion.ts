// Shares of counts: exact tails and intervals.

/** ln(n!) for whole n ≥ 0, by Stirling's series above 20 (error < 1e-12 relative). */
function logFactorial(n: number): number {
  if (n <= 20) {
    let product = 1;
    for (let k = 2; k <= n; k++) product *= k;
    return Math.log(product);
  }
  const x = n + 1;
  const series = 1 / (12 * x) - 1 / (360 * x ** 3) + 1 / (1260 * x ** 5) - 1 / (1680 * x ** 7);
  return (x - 0.5) * Math.log(x) - x + 0.5 * Math.log(2 * Math.PI) + series;
}

/** P(X ≥ k) for X binomial(n, p). k ≤ 0 gives 1, k > n gives 0. */
export function binomialUpperTail(k: number, n: number, p: number): number {
  if (k <= 0) return 1;
  if (k > n || p <= 0) return 0;
  if (p >= 1) return 1;
  let tail = 0;
  for (let i = n; i >= k; i--) {
    tail += Math.exp(
      logFactorial(n) -
        logFactorial(i) -
        logFactorial(n - i) +
        i * Math.log(p) +
        (n - i) * Math.log1p(-p),
    );
  }
  return Math.min(1, tail);
}

/** Clopper & Pearson's exact interval (Biometrika 26, 1934) for k of n, by bisection on the binomial tails. n = 0: [0, 1]. */
export function clopperPearson(k: number, n: number, level: number): { low: number; high: number } {
  const alpha = (1 - level) / 2;
  return {
    low: k === 0 ? 0 : bisect((p) => binomialUpperTail(k, n, p) < alpha),
    high: k === n ? 1 : bisect((p) => 1 - binomialUpperTail(k + 1, n, p) > alpha),
  };
}

/** The p in [0, 1] at which a predicate that is true from 0 on turns false. */
function bisect(predicate: (p: number) => boolean): number {
  let low = 0;
  let high = 1;
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2;
    if (predicate(middle)) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
