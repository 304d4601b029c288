// What changed in each series of a history, and when. Values are log ratios to an anchor, so that a
// new machine, which slows both arms alike, is no change.
import type { HistoryRecord, SeriesChange, SeriesHistory } from "../model/history.ts";
import { changePoints } from "../stats/change-points.ts";
import { normalUpperQuantile } from "../stats/normal.ts";
import { type ChainedRatio, type ChainPoint, chainSeries } from "./chain.ts";

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

function pointsOf(chained: readonly ChainPoint[]): SeriesHistory["points"] {
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

function changesOf(points: SeriesHistory["points"]): SeriesChange[] {
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
