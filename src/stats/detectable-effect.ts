// How small a change a run could have shown. A planning figure: no decision depends on it.

/** Φ(z), by the series of erf near zero and the continued fraction of erfc beyond. Relative error < 1e-12. */
export function normalCdf(z: number): number {
  const x = Math.abs(z) / Math.SQRT2;
  let tail: number;
  if (x < 2.5) {
    let term = x;
    let sum = x;
    for (let k = 1; k < 200 && Math.abs(term) > 1e-17 * sum; k++) {
      term *= (-x * x) / k;
      sum += term / (2 * k + 1);
    }
    tail = 0.5 - sum / Math.sqrt(Math.PI);
  } else {
    let fraction = 0;
    for (let k = 80; k >= 1; k--) fraction = k / 2 / (x + fraction);
    tail = Math.exp(-x * x) / (2 * Math.sqrt(Math.PI) * (x + fraction));
  }
  return z < 0 ? tail : 1 - tail;
}

/** Φ⁻¹(1 − q): the value that a standard normal exceeds with chance q in (0, 1). */
export function normalUpperQuantile(q: number): number {
  let low = -40;
  let high = 40;
  for (let i = 0; i < 80; i++) {
    const middle = (low + high) / 2;
    if (normalCdf(-middle) > q) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** Efficiency lost by ranks, trim and looks against a z-test, from simulation of the rule. */
const RULE_INEFFICIENCY = 1.1;
/** Power at which an effect counts as detectable. */
const POWER = 0.95;

/**
 * The true change, as a fraction, that a one-sided test against `tolerance` at level `alpha` finds with 95 % probability in
 * `rounds` rounds of standard deviation `sd` (of log ratios): tolerance + 1.1 · (z(α) + z(0.05)) · sd / √n in logs. Infinity
 * for no rounds.
 */
export function detectableEffect(input: {
  sd: number;
  rounds: number;
  tolerance: number;
  alpha: number;
}): number {
  const { sd, rounds, tolerance, alpha } = input;
  if (rounds === 0) return Number.POSITIVE_INFINITY;
  const z = normalUpperQuantile(alpha) + normalUpperQuantile(1 - POWER);
  return Math.expm1(Math.log1p(tolerance) + (RULE_INEFFICIENCY * z * sd) / Math.sqrt(rounds));
}
