// What the page's script draws, in columns: most of a page of years is this.
import {
  type HistoryRecord,
  partsOfSeries,
  type SeriesChange,
  type SeriesHistory,
  type SeriesHistoryPoint,
  type Trend,
} from "../../../src/core/model/history.ts";
import { METRIC_FACTS, type Unit } from "../../../src/core/model/metric.ts";
import { plainLine } from "../../../src/core/text/escape.ts";
import { formatValue } from "../../../src/core/text/format.ts";
import { dayOf, rangeOf } from "../../words/series.ts";
import { median } from "./browser/reckon.ts";
import type { Marker } from "./markers.ts";

/** A series as its chart is given it. */
export interface ChartedSeries extends Pick<SeriesHistory, "series" | "runnerClass"> {
  /** Unlike every other's. */
  name: string;
  points: readonly Pick<SeriesHistoryPoint, "record" | "chain" | "ratio">[];
  changes: readonly (Pick<SeriesChange, "index" | "after" | "by"> & {
    /** How large it is, with its interval. */
    text: string;
    isWorse: boolean;
  })[];
}

export interface ChartMark extends Pick<Marker, "at" | "runnerClass" | "of"> {
  kind: Marker["what"]["kind"];
  text: string;
}

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
    /** What 0 % is at the right end; 0: not known. */
    base: number;
    unit: string;
    /** Of each point, its index in `runs`, which are in the order of time. */
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
  /** Of runs: between the one before and the first that has it. */
  marks: { at: number; word: string; text: string }[];
}

/** As many digits as a record has. */
export const SCALE = 1e5;

const WORDS: Readonly<Record<ChartMark["kind"], string>> = {
  anchor: "new anchor",
  release: "release",
  machine: "machine",
  waiver: "waiver",
  note: "note",
};

/** That any series has a point of, in the order of the history. */
export function recordsOf({ records, series }: Trend): HistoryRecord[] {
  const seen = new Set(series.flatMap(({ points }) => points.map(({ record }) => record)));
  return records.filter((record) => seen.has(record));
}

export function pageData(
  records: readonly HistoryRecord[],
  all: readonly ChartedSeries[],
  marks: readonly ChartMark[],
): PageData {
  const placeOf = new Map(records.map((record, place) => [record, place]));
  const scaled = (value: number | null | undefined): number | null =>
    value == null ? null : Math.round(value * SCALE);
  const series = all.map((one) => ({
    name: one.name,
    ...anchorValue(one),
    run: one.points.map(({ record }) => placeOf.get(record) ?? 0),
    value: one.points.map(({ ratio }) => scaled(ratio?.estimate)),
    low: one.points.map(({ ratio }) => scaled(ratio?.low)),
    high: one.points.map(({ ratio }) => scaled(ratio?.high)),
    breaks: one.points.flatMap(({ chain }, i) =>
      chain !== (one.points[i - 1]?.chain ?? chain) ? [i] : [],
    ),
    changes: one.changes.map((change) => ({
      point: change.index,
      isWorse: change.isWorse,
      text: `${change.text} in ${rangeOf(change)}`,
    })),
    marks: marks.flatMap((mark, i) => (isMarkOf(mark, one) ? [i] : [])),
  }));
  return {
    runs: {
      at: records.map(({ run }) => Math.round(Date.parse(run.startedAt) / 1000)),
      sha: records.map(({ commit }) => commit.sha),
      subject: records.map(({ commit }) => plainLine(commit.subject, 100)),
      url: records.map(({ run }) => (run.url?.startsWith("https://") === true ? run.url : "")),
      verdict: records.map(({ verdict }) => verdict),
    },
    series,
    marks: marks.map(({ at, kind, text }) => ({
      at: records.filter(({ run }) => run.startedAt < at).length - 0.5,
      word: WORDS[kind],
      text: `${dayOf(at)}: ${text}`,
    })),
  };
}

/** What 0 % is at the right end: the anchor's commit, and its median there. */
export function anchorOf({ series, points }: ChartedSeries) {
  const service = series.split("/", 1)[0] ?? "";
  const chain = points.at(-1)?.chain;
  const own = points.filter((one) => one.chain === chain && one.ratio !== null);
  const anchor = own[0]?.record.anchors[service];
  const values = own
    .filter(({ record }) => record.anchors[service]?.commit === anchor?.commit)
    .flatMap(({ record }) => record.series[series]?.anchor ?? []);
  return { anchor, value: median(values) };
}

export const unitOf = ({ series }: Pick<SeriesHistory, "series">): Unit =>
  METRIC_FACTS[partsOfSeries(series)?.metric ?? "p99"].unit;

/** `{ base: 108, unit: "µs" }`. */
function anchorValue(one: ChartedSeries): { base: number; unit: string } {
  const { value } = anchorOf(one);
  const [amount = "", unit = ""] = formatValue(unitOf(one), value).replaceAll(",", "").split(" ");
  return { base: Number(amount) || 0, unit };
}

/** Whether it belongs into the chart of a series. */
function isMarkOf(
  { of, runnerClass }: Pick<ChartMark, "of" | "runnerClass">,
  series: { series: string; runnerClass: string },
): boolean {
  if (runnerClass !== null && runnerClass !== series.runnerClass) return false;
  return (
    of === null ||
    of.some((id) => id === series.series || (id.endsWith("/") && series.series.startsWith(id)))
  );
}
