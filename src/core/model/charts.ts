// A history as its charts are given it: each series with what it is called and where its level
// changed, and what else happened meanwhile.
import type { HistoryPoint, HistoryRecord } from "./history.ts";

export interface ChartedSeries {
  /** As seriesId has it. */
  series: string;
  runnerClass: string;
  /** Unlike every other's. */
  name: string;
  /** In the order of time. */
  points: readonly {
    record: HistoryRecord;
    /** Nothing joins a point to one of another chain. */
    chain: number;
    /** Log ratio to the first anchor of its chain; null: the run has none. */
    ratio: HistoryPoint["ratio"];
  }[];
  /** In the order of time. */
  changes: readonly {
    /** Of the first point that is changed. */
    index: number;
    /** How large it is, with its interval. */
    text: string;
    isWorse: boolean;
    /** The last commit that is surely of the old level, and the first that is surely changed. */
    after: string;
    by: string;
  }[];
}

export interface ChartMark {
  /** ISO time. */
  at: string;
  kind: "anchor" | "release" | "machine" | "waiver" | "note";
  text: string;
  /** Null: of all. */
  runnerClass: string | null;
  /** Of these series, or of all whose ids begin so: `api/`. Null: of all. */
  of: readonly string[] | null;
}
