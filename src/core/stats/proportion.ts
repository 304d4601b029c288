// Exact tails of the binomial distribution.
import { incompleteBeta } from "./beta.ts";

/** P(X ≥ k) for X binomial(n, p), to about nine digits for n up to a million. */
export function binomialUpperTail(k: number, n: number, p: number): number {
  if (k <= 0) return 1;
  return k > n ? 0 : incompleteBeta(p, k, n - k + 1);
}

/** P(X ≤ k). Not one minus the other tail, which would lose the digits of a small one. */
export function binomialLowerTail(k: number, n: number, p: number): number {
  return binomialUpperTail(n - k, n, 1 - p);
}
