// What changed in each series of a history, and when. Values are log ratios to an anchor, so that a
// new machine, which slows both arms alike, is no change.
import type { HistoryRecord } from "../model/history.ts";
import { changePoints } from "../stats/change-points.ts";
import { normalUpperQuantile } from "../stats/normal.ts";
import { type ChainedRatio, type ChainPoint, chainSeries } from "./chain.ts";

export interface SeriesHistory {
  series: string;
  runnerClass: string;
  /** In the order of time, one for each run; what splices measured is in the values. */
  points: SeriesHistoryPoint[];
  /** In the order of time. */
  changes: SeriesChange[];
}

export interface SeriesHistoryPoint {
  record: HistoryRecord;
  /** Log ratio to the first anchor of its chain; null: the run has none. */
  value: number | null;
  /** Of the value; null: not known. */
  standardError: number | null;
  /** Nothing joins this point to those before: changes are looked for from here anew. */
  afterBreak: boolean;
}

/** Indices are of the series' points. */
export interface SeriesChange {
  /** The first that is changed. */
  index: number;
  /** The first at the new level: `index` where it came at once, later where it crept. */
  until: number;
  /** The last commit that is surely of the old level, and the first that is surely changed (95 %). */
  after: string;
  by: string;
  /** The commit at `index`: where the change most likely began. */
  first: string;
  /** Log ratio of the new level to the old one, with 95 % confidence. */
  size: { estimate: number; low: number; high: number };
  /** Points until it was found. */
  foundAfter: number;
}

/** Of every metric on record, by runner class and id. */
export function seriesChanges(records: readonly HistoryRecord[]): SeriesHistory[] {
  return [...Map.groupBy(records, ({ runnerClass }) => runnerClass)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([runnerClass, own]) =>
      [...new Set(own.flatMap(({ series }) => Object.keys(series)))].sort().map((series) => {
        const points = pointsOf(chainSeries(own, series));
        return { series, runnerClass, points, changes: changesOf(points) };
      }),
    );
}

/** A splice measures a commit of the night once more: counted as a point, it would count twice. */
function pointsOf(chained: readonly ChainPoint[]): SeriesHistoryPoint[] {
  return chained
    .filter(({ record }) => record.run.shard !== "splice")
    .map(({ record, chain, ratio }, i, all) => ({
      record,
      value: ratio?.estimate ?? null,
      standardError: ratio === null ? null : standardErrorOf(ratio, record.level),
      afterBreak: i > 0 && chain !== all[i - 1]?.chain,
    }));
}

function standardErrorOf({ low, high }: ChainedRatio, level: number): number | null {
  if (low === null || high === null) return null;
  return (high - low) / 2 / normalUpperQuantile((1 - level) / 2);
}

/** Fixed, so that equal histories have equal changes. */
const SEED = 1;

function changesOf(points: readonly SeriesHistoryPoint[]): SeriesChange[] {
  let broken = false;
  const valued = points.flatMap(({ value, standardError, afterBreak }, index) => {
    broken ||= afterBreak;
    if (value === null) return [];
    const point = { index, value, standardError, afterBreak: broken };
    broken = false;
    return [point];
  });
  const indexOf = (k: number): number => valued[k]?.index ?? points.length;
  const commitOf = (k: number): string => points[indexOf(k)]?.record.commit.sha ?? "";
  return changePoints(valued, { seed: SEED }).map(
    ({ first, until, earliest, latest, size, foundAfter }) => ({
      index: indexOf(first),
      until: indexOf(until),
      after: commitOf(earliest - 1),
      by: commitOf(latest),
      first: commitOf(first),
      size,
      foundAfter: indexOf(foundAfter - 1) + 1,
    }),
  );
}
