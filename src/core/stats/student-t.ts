// Student's t distribution: tail and quantile.

/** ln Γ(x) for x > 0, by Lanczos' approximation (g = 7, nine terms; relative error below 1e-14). */
function logGamma(x: number): number {
  const terms = [
    0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313,
    -176.61502916214059, 12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6,
    1.5056327351493116e-7,
  ];
  const y = x - 1;
  const base = y + 7.5;
  const sum = terms.slice(1).reduce((total, term, i) => total + term / (y + i + 1), terms[0] ?? 0);
  return 0.5 * Math.log(2 * Math.PI) + (y + 0.5) * Math.log(base) - base + Math.log(sum);
}

/** I_x(a, b), by its continued fraction (Abramowitz & Stegun 26.5.8, evaluated as Lentz does). */
function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - incompleteBeta(1 - x, b, a);
  const front = Math.exp(
    logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x),
  );
  let c = 1;
  let d = 1 / (1 - ((a + b) * x) / (a + 1));
  let fraction = d;
  for (let i = 1; i < 500; i++) {
    const even = (i * (b - i) * x) / ((a + 2 * i - 1) * (a + 2 * i));
    d = 1 / (1 + even * d);
    c = 1 + even / c;
    fraction *= c * d;
    const odd = (-(a + i) * (a + b + i) * x) / ((a + 2 * i) * (a + 2 * i + 1));
    d = 1 / (1 + odd * d);
    c = 1 + odd / c;
    fraction *= c * d;
    if (Math.abs(c * d - 1) < 1e-15) break;
  }
  return (front * fraction) / a;
}

/** P(T > t) with `freedom` degrees of freedom, which need not be whole. */
export function studentUpperTail(t: number, freedom: number): number {
  const tail = incompleteBeta(freedom / (freedom + t * t), freedom / 2, 0.5) / 2;
  return t >= 0 ? tail : 1 - tail;
}

/** The t that is exceeded with chance q in (0, ½], by bisection. */
export function studentUpperQuantile(q: number, freedom: number): number {
  let low = 0;
  let high = 1;
  while (studentUpperTail(high, freedom) > q) high *= 2;
  for (let i = 0; i < 200; i++) {
    const middle = (low + high) / 2;
    if (studentUpperTail(middle, freedom) > q) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
