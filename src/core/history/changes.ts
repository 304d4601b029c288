// What changed in each series of a history, and when. Values are log ratios to an anchor, so that a
// new machine, which slows both arms alike, is no change.
import type { HistoryRecord } from "../model/history.ts";
import { changePoints } from "../stats/change-points.ts";
import { normalUpperQuantile } from "../stats/normal.ts";
import { type ChainedRatio, type ChainPoint, chainSeries } from "./chain.ts";

export interface SeriesHistory {
  series: string;
  runnerClass: string;
  /** In the order of time, one for each run; splices are in the values. */
  points: SeriesHistoryPoint[];
  /** In the order of time. */
  changes: SeriesChange[];
}

interface SeriesHistoryPoint {
  record: HistoryRecord;
  chain: number;
  /** To the first anchor of its chain; null: the run has none. */
  ratio: ChainedRatio | null;
  /** Of the run's own ratio; null: not known. What joins anchors is not in it. */
  standardError: number | null;
  /**
   * Changes are looked for from here anew: the workload is another, or the anchor has moved. What
   * joins the anchors is as uncertain as one night, and all later values share that error: taken for
   * nights of their own they would show it as a change.
   */
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
  /** The machine changed between `after` and `by`, which then may be why. */
  machineChanged: boolean;
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

function pointsOf(chained: readonly ChainPoint[]): SeriesHistoryPoint[] {
  let before: ChainPoint | null = null;
  return chained.flatMap((one) => {
    const { record, point, anchor, chain, ratio } = one;
    // It measures the commit of a night once more, and would count it twice.
    if (record.run.shard === "splice") return [];
    if (ratio === null) return { record, chain, ratio, standardError: null, afterBreak: false };
    const afterBreak = before !== null && (chain !== before.chain || anchor !== before.anchor);
    before = one;
    const standardError = standardErrorOf(point.ratio ?? ratio, record.level);
    return { record, chain, ratio, standardError, afterBreak };
  });
}

function standardErrorOf({ low, high }: ChainedRatio, level: number): number | null {
  if (low === null || high === null) return null;
  return (high - low) / 2 / normalUpperQuantile((1 - level) / 2);
}

/** Fixed, so that equal histories have equal changes. */
const SEED = 1;

function changesOf(points: readonly SeriesHistoryPoint[]): SeriesChange[] {
  const valued = points.flatMap(({ ratio, standardError, afterBreak }, index) =>
    ratio === null ? [] : [{ index, value: ratio.estimate, standardError, afterBreak }],
  );
  const indexOf = (k: number): number => valued[k]?.index ?? points.length;
  const commitOf = (k: number): string => points[indexOf(k)]?.record.commit.sha ?? "";
  const machinesIn = (from: number, to: number): Set<string> =>
    new Set(
      points
        .slice(indexOf(from), indexOf(to) + 1)
        .map(({ record }) => JSON.stringify(record.fingerprint)),
    );
  return changePoints(valued, { seed: SEED }).map(
    ({ first, until, earliest, latest, size, foundAfter }) => ({
      index: indexOf(first),
      until: indexOf(until),
      after: commitOf(earliest - 1),
      by: commitOf(latest),
      first: commitOf(first),
      size,
      foundAfter: indexOf(foundAfter - 1) + 1,
      machineChanged: machinesIn(earliest - 1, latest).size > 1,
    }),
  );
}
