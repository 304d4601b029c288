// The normal distribution's quantiles.

const STEPS = 600;
const density = (x: number): number => Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI);

/** P(Z > z) for z ≥ 0, by Simpson's rule up to where nothing is left. */
function upperTail(z: number): number {
  const h = (Math.sqrt(z * z + 80) - z) / STEPS;
  let sum = 0;
  for (let i = 0; i <= STEPS; i++) {
    sum += density(z + i * h) * (i === 0 || i === STEPS ? 1 : 2 + 2 * (i % 2));
  }
  return (sum * h) / 3;
}

/** The value that a standard normal exceeds with chance q in (0, 1), to about ten digits. */
export function normalUpperQuantile(q: number): number {
  if (q > 0.5) return -normalUpperQuantile(1 - q);
  // The tail is convex, so that Newton's steps from 0 never go too far.
  let z = 0;
  for (let i = 0; i < 60; i++) {
    const step = (upperTail(z) - q) / density(z);
    z += step;
    if (!(step > 1e-12)) break;
  }
  return z;
}
