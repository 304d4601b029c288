// How far this class of runner wanders from day to day, learned from the records of a baseline.
import type { Baseline } from "../model/baseline.ts";
import { quantile, sortSample } from "../stats/quantile.ts";

/** Fewer changes between records than this teach nothing: a stored comparison may then pass nothing. */
export const MIN_DRIFT_CHANGES = 5;
/** The margin covers this share of the changes seen. */
const DRIFT_QUANTILE = 0.95;

/**
 * The drift margin of one metric as a log ratio: the 95th percentile (nearest rank) of the absolute log changes between
 * consecutive records. Null with fewer than five changes on record.
 */
export function driftOf(baseline: Baseline, key: string): number | null {
  const current = baseline.metrics[key];
  const medians = baseline.history.flatMap(({ medians }) => medians[key] ?? []);
  if (current !== undefined) medians.push(quantile(sortSample(current), 0.5));
  const changes: number[] = [];
  for (let i = 1; i < medians.length; i++) {
    changes.push(Math.abs(Math.log((medians[i] ?? Number.NaN) / (medians[i - 1] ?? Number.NaN))));
  }
  if (changes.length < MIN_DRIFT_CHANGES) return null;
  return quantile(sortSample(changes), DRIFT_QUANTILE);
}
