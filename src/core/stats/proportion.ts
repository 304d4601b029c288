// Exact tails of the binomial distribution.

/** ln(n!) − ln(√(2πn) (n/e)ⁿ), the error of Stirling's formula, for whole n ≥ 1. */
function stirlingError(n: number): number {
  if (n < 16) {
    let logFactorial = 0;
    for (let k = 2; k <= n; k++) logFactorial += Math.log(k);
    return logFactorial - (n + 0.5) * Math.log(n) + n - 0.5 * Math.log(2 * Math.PI);
  }
  const square = n * n;
  return (
    (1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - 1 / 1188 / square) / square) / square) / square) /
    n
  );
}

/** x ln(x / m) + m − x, without cancellation when x is close to m. */
function deviance(x: number, m: number): number {
  if (Math.abs(x - m) < 0.1 * (x + m)) {
    const v = (x - m) / (x + m);
    let sum = (x - m) * v;
    let term = 2 * x * v;
    for (let j = 1; ; j++) {
      term *= v * v;
      const next = sum + term / (2 * j + 1);
      if (next === sum) return sum;
      sum = next;
    }
  }
  return x * Math.log(x / m) + m - x;
}

/**
 * P(X = k), by the saddle-point expansion of Loader ("Fast and accurate computation of binomial
 * probabilities", 2000).
 */
function binomialDensity(k: number, n: number, p: number): number {
  if (k === 0) return Math.exp(n * Math.log1p(-p));
  if (k === n) return p ** n;
  const exponent =
    stirlingError(n) -
    stirlingError(k) -
    stirlingError(n - k) -
    deviance(k, n * p) -
    deviance(n - k, n * (1 - p));
  return Math.exp(exponent) * Math.sqrt(n / (2 * Math.PI * k * (n - k)));
}

/**
 * P(X ≥ k) for X binomial(n, p): the regularised incomplete beta function I_p(k, n − k + 1), by its
 * continued fraction (Abramowitz & Stegun 26.5.8, in the modified form of Lentz). Whole k and n ≥
 * 0, p in [0, 1]. k ≤ 0 gives 1, k > n gives 0. Relative error below 1e-11 for n up to a million,
 * and small on whichever side of the mean is the tail.
 */
export function binomialUpperTail(k: number, n: number, p: number): number {
  if (k <= 0) return 1;
  if (k > n || p <= 0) return 0;
  if (p >= 1) return 1;
  // The fraction converges fast on the tail's own side of the mean; the other side is its
  // complement.
  return p * (n + 3) < k + 1
    ? upperTailByFraction(k, n, p)
    : 1 - upperTailByFraction(n - k + 1, n, 1 - p);
}

/** P(X ≤ k). Not one minus the other tail, which would lose the digits of a small one. */
export function binomialLowerTail(k: number, n: number, p: number): number {
  return binomialUpperTail(n - k, n, 1 - p);
}

function upperTailByFraction(k: number, n: number, x: number): number {
  const a = k;
  const b = n - k + 1;
  // x^a (1 − x)^b / (a B(a, b)): the density's digits, which logarithms of factorials would lose.
  const front = binomialDensity(k, n, x) * (1 - x);
  const tiny = 1e-300;
  let c = 1;
  let d = 1 / nonZero(1 - ((a + b) * x) / (a + 1));
  let fraction = d;
  for (let i = 1; i < 10_000; i++) {
    const even = (i * (b - i) * x) / ((a + 2 * i - 1) * (a + 2 * i));
    d = 1 / nonZero(1 + even * d);
    c = nonZero(1 + even / c);
    fraction *= c * d;
    const odd = (-(a + i) * (a + b + i) * x) / ((a + 2 * i) * (a + 2 * i + 1));
    d = 1 / nonZero(1 + odd * d);
    c = nonZero(1 + odd / c);
    fraction *= c * d;
    if (Math.abs(c * d - 1) < 1e-16) break;
  }
  return Math.min(1, front * fraction);

  function nonZero(value: number): number {
    return Math.abs(value) < tiny ? tiny : value;
  }
}
