// What the page's script draws, in columns: most of a page of years is this.
import type { SeriesHistory } from "../../history/changes.ts";
import { isMarkerOf, type Marker } from "../../history/markers.ts";
import type { HistoryRecord } from "../../model/history.ts";
import { plainLine } from "../../text/escape.ts";
import { dayOf, MARKER_LETTERS, markerText, rangeOf, seriesName, sizeOf } from "./words.ts";

export interface PageData {
  runs: {
    /** Seconds since 1970. */
    at: number[];
    sha: string[];
    subject: string[];
    /** Of its page; empty: it has none. */
    url: string[];
    verdict: string[];
  };
  series: {
    name: string;
    /** Of each point, its index in `runs`. */
    run: number[];
    /** Log ratios and their intervals' bounds, times SCALE. A bound is null: infinite. */
    value: (number | null)[];
    low: (number | null)[];
    high: (number | null)[];
    /** Points that nothing joins to those before. */
    breaks: number[];
    changes: { point: number; isWorse: boolean; text: string }[];
    /** Indices in `marks`. */
    marks: number[];
  }[];
  marks: { at: number; letter: string; text: string }[];
}

/** As many digits as a record has. */
export const SCALE = 1e5;

export function pageData(all: readonly SeriesHistory[], markers: readonly Marker[]): PageData {
  const runs: PageData["runs"] = { at: [], sha: [], subject: [], url: [], verdict: [] };
  const indices = new Map<HistoryRecord, number>();
  const indexOf = (record: HistoryRecord): number => {
    const known = indices.get(record);
    if (known !== undefined) return known;
    const { run, commit, verdict } = record;
    indices.set(record, runs.at.length);
    runs.sha.push(commit.sha);
    runs.subject.push(plainLine(commit.subject, 100));
    runs.url.push(run.url?.startsWith("https://") === true ? run.url : "");
    runs.verdict.push(verdict);
    return runs.at.push(secondsOf(run.startedAt)) - 1;
  };
  const scaled = (value: number | null | undefined): number | null =>
    value == null ? null : Math.round(value * SCALE);
  const series = all.map((one) => ({
    name: seriesName(one, all),
    run: one.points.map(({ record }) => indexOf(record)),
    value: one.points.map(({ ratio }) => scaled(ratio?.estimate)),
    low: one.points.map(({ ratio }) => scaled(ratio?.low)),
    high: one.points.map(({ ratio }) => scaled(ratio?.high)),
    breaks: one.points.flatMap(({ chain }, i) =>
      chain !== (one.points[i - 1]?.chain ?? chain) ? [i] : [],
    ),
    changes: one.changes.map((change) => ({
      point: change.index,
      isWorse: change.size.estimate > 0,
      text: `${sizeOf(change)} in ${rangeOf(change)}`,
    })),
    marks: markers.flatMap((marker, i) => (isMarkerOf(marker, one) ? [i] : [])),
  }));
  return {
    runs,
    series,
    marks: markers.map((marker) => ({
      at: secondsOf(marker.at),
      letter: MARKER_LETTERS[marker.what.kind],
      text: `${dayOf(marker.at)}: ${markerText(marker)}`,
    })),
  };
}

function secondsOf(time: string): number {
  return Math.round(Date.parse(time) / 1000);
}
