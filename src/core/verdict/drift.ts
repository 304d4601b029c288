// How far this class of runner wanders from day to day, learned from the records of a baseline.
import type { Baseline } from "../model/baseline.ts";
import { quantile, sortSample } from "../stats/quantile.ts";

/**
 * Fewer changes between records than this teach nothing: a stored comparison may then pass nothing.
 */
export const MIN_DRIFT_CHANGES = 5;
/** The margin covers this share of the changes seen. */
const DRIFT_QUANTILE = 0.95;

/**
 * The drift margin of one metric as a log ratio: the 95th percentile (nearest rank) of the absolute
 * log changes between consecutive records, those aside that were accepted as new levels. Null with
 * fewer than five changes on record.
 */
export function driftOf(baseline: Baseline, key: string): number | null {
  const current = baseline.metrics[key];
  const records = baseline.history.flatMap(({ medians, moved = [] }) => {
    const value = medians[key];
    return value === undefined ? [] : [{ value, newLevelNext: moved.includes(key) }];
  });
  if (current !== undefined) {
    records.push({ value: quantile(sortSample(current), 0.5), newLevelNext: false });
  }
  const changes = records.slice(1).flatMap(({ value }, i) => {
    const before = records[i];
    return before === undefined || before.newLevelNext
      ? []
      : [Math.abs(Math.log(value / before.value))];
  });
  if (changes.length < MIN_DRIFT_CHANGES) return null;
  return quantile(sortSample(changes), DRIFT_QUANTILE);
}
