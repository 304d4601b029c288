// What the page's script draws, in columns: most of a page of years is this.
import type {
  HistoryRecord,
  SeriesChange,
  SeriesHistory,
  SeriesHistoryPoint,
} from "../../../src/core/model/history.ts";
import { plainLine } from "../../../src/core/text/escape.ts";
import { dayOf, rangeOf } from "../../words/series.ts";
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

const LETTERS: Readonly<Record<ChartMark["kind"], string>> = {
  anchor: "A",
  release: "R",
  machine: "M",
  waiver: "W",
  note: "N",
};

export function pageData(all: readonly ChartedSeries[], marks: readonly ChartMark[]): PageData {
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
    name: one.name,
    run: one.points.map(({ record }) => indexOf(record)),
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
    runs,
    series,
    marks: marks.map(({ at, kind, text }) => ({
      at: secondsOf(at),
      letter: LETTERS[kind],
      text: `${dayOf(at)}: ${text}`,
    })),
  };
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

function secondsOf(time: string): number {
  return Math.round(Date.parse(time) / 1000);
}
