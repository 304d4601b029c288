// Spread of log ratios between identical arms, and how two estimates of the same rounds compare in it.
import { createPrng } from "../../src/base/prng.ts";
import { median } from "../../src/stats/dispersion.ts";

const TRIALS = 1000;
const SEED = 1;
/** See robustSd of src/stats/dispersion.ts. */
const TO_SD = 1.482602218505602;
/** Of the robust sd: what is further out counts as this far. */
const CAP = 2.5;

/** About 0, which identical arms are known to differ by: 1.4826 · median |d|. */
export const robust = (d) => TO_SD * median(d.map(Math.abs));
export const plain = (d) => Math.sqrt(d.reduce((sum, value) => sum + value * value, 0) / d.length);

/** Between the two: the root mean square with wild values moved to 2.5 robust sds. It is less of a lottery than the median of few. */
export function capped(d) {
  const limit = CAP * robust(d);
  return plain(d.map((value) => Math.min(limit, Math.max(-limit, value))));
}

/** Middle 95 % of `of` over bootstrap samples of `n` rounds, given as their indices. */
export function bootstrap(n, of) {
  const prng = createPrng(SEED);
  const values = Array.from({ length: TRIALS }, () =>
    of(Array.from({ length: n }, () => prng.below(n))),
  ).sort((a, b) => a - b);
  return { low: values[Math.floor(0.025 * TRIALS)], high: values[Math.ceil(0.975 * TRIALS) - 1] };
}

/** capped(d) / capped(base) of the same rounds, with its interval. */
export function pairedRatio(d, base) {
  const pick = (values, indices) => indices.map((i) => values[i]);
  const interval = bootstrap(
    d.length,
    (indices) => capped(pick(d, indices)) / capped(pick(base, indices)),
  );
  return { ratio: capped(d) / capped(base), ...interval };
}

/** The same of different rounds. */
export function unpairedRatio(d, base) {
  const prng = createPrng(SEED);
  const draw = (values) => values.map(() => values[prng.below(values.length)]);
  const ratios = Array.from({ length: TRIALS }, () => capped(draw(d)) / capped(draw(base)));
  ratios.sort((a, b) => a - b);
  return {
    ratio: capped(d) / capped(base),
    low: ratios[Math.floor(0.025 * TRIALS)],
    high: ratios[Math.ceil(0.975 * TRIALS) - 1],
  };
}

export const decimals = (value) => value.toFixed(3).replace(/^(-?)0/, "$1");
export const shown = ({ ratio, low, high }) =>
  `${ratio.toFixed(2)} [${low.toFixed(2)}, ${high.toFixed(2)}]`;
export const percent = (log) => `${(Math.expm1(log) * 100).toFixed(1)} %`;
