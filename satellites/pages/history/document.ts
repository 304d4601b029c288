// A history as a document: what became of each series, most recent change first; and what its page is
// given, which has a chart of each series as well.
import type { SeriesChange, SeriesHistory, Trend } from "../../../src/core/model/history.ts";
import {
  type Block,
  type Cell,
  type Document,
  details,
  paragraph,
  type Section,
  section,
  tableOf,
} from "../../../src/core/report/kit/blocks.ts";
import { formatAmount, formatChange, formatValue, NOTHING } from "../../../src/core/text/format.ts";
import { dayOf, intervalOf, rangeOf } from "../../words/series.ts";
import { type ChartedSeries, type ChartMark, recordsOf, unitOf } from "./data.ts";
import { type Marker, markersOf } from "./markers.ts";
import { markerText, seriesName, sizeOf } from "./words.ts";

/** Changes that the headline has. */
const MOST_NAMED = 3;

export function historyDocument(trend: Trend): Document {
  const all = byLatestChange(trend.series);
  const runs = recordsOf(trend);
  const [first, last] = [runs[0], runs.at(-1)].map((one) => dayOf(one?.run.startedAt ?? ""));
  const changes = all.flatMap((one) =>
    one.changes
      .toReversed()
      .map(({ size }) => `${seriesName(one, all)} ${formatChange(size.estimate)}`),
  );
  const named = changes.slice(0, MOST_NAMED).join(", ");
  return {
    mark: null,
    headline:
      runs.length === 0
        ? "the history has no run yet"
        : changes.length === 0
          ? "no change found"
          : `${counted(changes.length, "change", "changes")}: ${named}${changes.length > MOST_NAMED ? ", …" : ""}`,
    summary:
      runs.length === 0
        ? []
        : [
            paragraph(
              `${counted(all.length, "metric", "metrics")} over ${counted(runs.length, "run", "runs")}, ${first === last ? `on ${first}` : `from ${first} to ${last}`}.`,
            ),
            paragraph(
              "Each run was measured beside an anchor, in the same rounds. Now: the change against the first anchor, with 90 % confidence unless a run says otherwise. Changes are of level, with 95 % confidence.",
            ),
          ],
    sections: [section("Series", overview(all, all)), markerSection(markersOf(trend))],
  };
}

/** `above` and `below`: the page's charts. */
export function chartedHistory(trend: Trend) {
  const all = byLatestChange(trend.series);
  const markers = markersOf(trend);
  const changed = all.filter(({ changes }) => changes.length > 0);
  const changes = changed.length === 0 ? [] : [section("Changes", overview(changed, all))];
  return {
    above: { ...historyDocument(trend), sections: changes },
    series: all.map(
      (one): ChartedSeries => ({
        ...one,
        name: seriesName(one, all),
        changes: one.changes.map((change) => ({
          ...change,
          text: sizeOf(change),
          isWorse: change.size.estimate > 0,
        })),
      }),
    ),
    marks: markers.map(
      (marker): ChartMark => ({ ...marker, kind: marker.what.kind, text: markerText(marker) }),
    ),
    below: [{ ...markerSection(markers), depth: "open" as const }],
  };
}

function byLatestChange(series: readonly SeriesHistory[]): SeriesHistory[] {
  const latest = ({ points, changes }: SeriesHistory): string =>
    points[changes.at(-1)?.index ?? -1]?.record.run.startedAt ?? "";
  return series
    .filter(({ points }) => points.length > 0)
    .toSorted((a, b) => (latest(a) > latest(b) ? -1 : latest(a) < latest(b) ? 1 : 0));
}

/** `all`: what the names are told apart from. */
function overview(shown: readonly SeriesHistory[], all: readonly SeriesHistory[]): Block {
  const hasChanges = shown.some(({ changes }) => changes.length > 0);
  const limits = shown.map(limitOf);
  const hasLimits = limits.some((one) => one !== "");
  return tableOf(
    [
      { title: "series", kind: "name" },
      { title: "runs", kind: "number", dropRank: 2 },
      { title: "now", kind: "number" },
      { title: "interval", kind: "number", joined: true, dropRank: 1 },
      ...(hasLimits ? [{ title: "of its limit", kind: "number", dropRank: 3 } as const] : []),
      ...(hasChanges ? CHANGE_COLUMNS : []),
    ],
    shown.map((one, i): Cell[] => {
      const last = one.points.findLast(({ ratio }) => ratio !== null)?.ratio ?? null;
      const change = one.changes.at(-1);
      return [
        seriesName(one, all),
        String(one.points.length),
        formatChange(last?.estimate ?? null),
        last === null ? NOTHING : intervalOf(last),
        ...(hasLimits ? [limits[i] || NOTHING] : []),
        ...(hasChanges ? changeCells(one, change) : []),
      ];
    }),
  );
}

/** `18.2 ms of 20 ms`, of the latest run; empty: it had none. */
function limitOf({ series, points }: SeriesHistory): string {
  const { max, candidate = null } = points.at(-1)?.record.series[series] ?? {};
  const unit = unitOf({ series });
  return max === undefined ? "" : `${formatValue(unit, candidate)} of ${formatAmount(unit, max)}`;
}

const CHANGE_COLUMNS = [
  { title: "latest change", kind: "number" },
  { title: "since", kind: "text" },
  { title: "commits", kind: "name" },
] as const;

function changeCells(one: SeriesHistory, change: SeriesChange | undefined): Cell[] {
  if (change === undefined) return [NOTHING, NOTHING, NOTHING];
  const since = one.points[change.index]?.record.run.startedAt ?? "";
  return [{ text: sizeOf(change), emphasis: "strong" }, dayOf(since), rangeOf(change)];
}

function markerSection(markers: readonly Marker[]): Section {
  const table = tableOf(
    [
      { title: "day", kind: "text" },
      { title: "what", kind: "text" },
    ],
    markers.map((marker) => [dayOf(marker.at), markerText(marker)]),
  );
  return details("What else happened", table);
}

function counted(count: number, one: string, more: string): string {
  return `${count} ${count === 1 ? one : more}`;
}
