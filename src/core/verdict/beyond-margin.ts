// Estimates beyond the margin without proof: not red, and not let through either.
import type { Comparison } from "../model/verdict.ts";

export type Estimated = Pick<Comparison, "level" | "state" | "estimate" | "margin" | "waiver">;

/** The estimate of a gated metric exceeds its margin, and what a waiver accepts. */
function isBeyondMargin(comparison: Estimated): boolean {
  const { level, state } = comparison;
  return level === "gate" && state !== "waived" && excessOf(comparison) > 0;
}

/** That of the largest excess; null: no estimate lies beyond its margin. */
export function farthestBeyondMargin<T extends Estimated>(comparisons: readonly T[]): T | null {
  const [first] = comparisons.filter(isBeyondMargin).sort((a, b) => excessOf(b) - excessOf(a));
  return first ?? null;
}

/** A fraction of the reference. */
function excessOf({ estimate, margin, waiver }: Estimated): number {
  return estimate === null ? 0 : Math.expm1(estimate) - Math.max(margin, waiver?.upTo ?? 0);
}
