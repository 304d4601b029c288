// Outlying values set aside by their distance from zero, whatever their signs.
import { mad, median } from "./dispersion.ts";

/** Values further from zero than median + 5 MAD of all distances are set aside. */
const TRIM_MADS = 5;
/** Distances that are equal but for rounding are kept or set aside together. */
const TRIM_SLACK = 1e-12;

/** The values that are not outlying about zero, in their order: at least half of them. */
export function trim(x: readonly number[]): number[] {
  const distances = x.map(Math.abs);
  const limit = median(distances) + TRIM_MADS * mad(distances);
  return x.filter((value) => Math.abs(value) <= limit * (1 + TRIM_SLACK));
}
