// The regularised incomplete beta function, which the tails of the binomial and of Student's t are.

/** ln Γ(x) for x > 0, by Lanczos' approximation (g = 7, nine terms; relative error below 1e-14). */
function logGamma(x: number): number {
  const terms = [
    0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313,
    -176.61502916214059, 12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6,
    1.5056327351493116e-7,
  ];
  const base = x + 6.5;
  const sum = terms.reduce((total, term, i) => total + (i === 0 ? term : term / (x - 1 + i)), 0);
  return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(base) - base + Math.log(sum);
}

const LEAST = 1e-300;
const nonZero = (value: number): number => (Math.abs(value) < LEAST ? LEAST : value);

/** I_x(a, b), by its continued fraction (Abramowitz & Stegun 26.5.8, evaluated as Lentz does). */
export function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  // The fraction converges fast on the tail's own side of the mean.
  if (x > (a + 1) / (a + b + 2)) return 1 - incompleteBeta(1 - x, b, a);
  const logs = logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x);
  let c = 1;
  let d = 1 / nonZero(1 - ((a + b) * x) / (a + 1));
  let fraction = d;
  for (let i = 1; i < 10_000; i++) {
    const even = (i * (b - i) * x) / ((a + 2 * i - 1) * (a + 2 * i));
    const odd = (-(a + i) * (a + b + i) * x) / ((a + 2 * i) * (a + 2 * i + 1));
    for (const term of [even, odd]) {
      d = 1 / nonZero(1 + term * d);
      c = nonZero(1 + term / c);
      fraction *= c * d;
    }
    if (Math.abs(c * d - 1) < 1e-15) break;
  }
  return Math.min(1, (Math.exp(logs) * fraction) / a);
}
