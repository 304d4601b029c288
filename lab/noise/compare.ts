// Spread of log ratios between identical arms, and how two estimates of the same rounds compare in
// it.
import { createPrng, type Prng } from "../../src/core/base/prng.ts";
import { median } from "../../src/core/stats/dispersion.ts";

const TRIALS = 1000;
const SEED = 1;
/** See robustSd of src/core/stats/dispersion.ts. */
const TO_SD = 1.482602218505602;
/** Of the robust sd: what is further out counts as this far. */
const CAP = 2.5;

/** About 0, which identical arms are known to differ by: 1.4826 · median |d|. */
export const robust = (d: readonly number[]): number => TO_SD * median(d.map(Math.abs));
export const plain = (d: readonly number[]): number =>
  Math.sqrt(d.reduce((sum, value) => sum + value * value, 0) / d.length);

/**
 * Between the two: the root mean square with wild values moved to 2.5 robust sds. It is less of a
 * lottery than the median of few.
 */
export function capped(d: readonly number[]): number {
  const limit = CAP * robust(d);
  return plain(d.map((value) => Math.min(limit, Math.max(-limit, value))));
}

export interface Ratio {
  ratio: number;
  low: number;
  high: number;
}

/** Middle 95 % of what `draw` gives, over and over. */
function bootstrap(draw: (prng: Prng) => number): { low: number; high: number } {
  const prng = createPrng(SEED);
  const values = Array.from({ length: TRIALS }, () => draw(prng)).sort((a, b) => a - b);
  const at = (index: number): number => values[index] ?? Number.NaN;
  return { low: at(Math.floor(0.025 * TRIALS)), high: at(Math.ceil(0.975 * TRIALS) - 1) };
}

/** capped(d) / capped(base) of the same rounds, with its interval. */
export function pairedRatio(d: readonly number[], base: readonly number[]): Ratio {
  const interval = bootstrap((prng) => {
    const indices = d.map(() => prng.below(d.length));
    const pick = (values: readonly number[]) => indices.map((i) => values[i] as number);
    return capped(pick(d)) / capped(pick(base));
  });
  return { ratio: capped(d) / capped(base), ...interval };
}

/** The same of different rounds. */
export function unpairedRatio(d: readonly number[], base: readonly number[]): Ratio {
  const interval = bootstrap((prng) => {
    const draw = (values: readonly number[]) =>
      values.map(() => values[prng.below(values.length)] as number);
    return capped(draw(d)) / capped(draw(base));
  });
  return { ratio: capped(d) / capped(base), ...interval };
}

export const decimals = (value: number): string => value.toFixed(3).replace(/^(-?)0/, "$1");
export const shown = ({ ratio, low, high }: Ratio): string =>
  `${ratio.toFixed(2)} [${low.toFixed(2)}, ${high.toFixed(2)}]`;
export const percent = (log: number): string => `${(Math.expm1(log) * 100).toFixed(1)} %`;
