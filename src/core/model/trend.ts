// A history as it is looked at: what became of each series, and what people noted meanwhile.
import type { HistoryPoint, HistoryRecord } from "./history.ts";

export interface Trend {
  /** In the one order of a history. */
  records: readonly HistoryRecord[];
  series: readonly SeriesHistory[];
  notes: readonly Note[];
}

/** What people know and no record says. */
export interface Note {
  /** ISO time. */
  at: string;
  /** Foreign. */
  text: string;
}

export interface SeriesHistory {
  /** As seriesId has it. */
  series: string;
  runnerClass: string;
  /** In the order of time, one for each run; splices are in the values. */
  points: SeriesHistoryPoint[];
  /** In the order of time. */
  changes: SeriesChange[];
}

export interface SeriesHistoryPoint {
  record: HistoryRecord;
  /** Nothing joins a point to one of another chain. */
  chain: number;
  /** Log ratio to the first anchor of its chain; null: the run has none. */
  ratio: HistoryPoint["ratio"];
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

/** One for the worse that stands: the level has not come back, and no accepted baseline has it. */
export interface StandingChange extends SeriesChange {
  series: string;
  runnerClass: string;
  /** The first run that is changed, and the first at the new level. */
  began: HistoryRecord;
  ended: HistoryRecord;
  /**
   * How many commits lie after `after` up to `by`, along first parents; null: not each of them was
   * measured.
   */
  commits: number | null;
  /** Log ratio of the level now to the one before the change, as `size`. */
  left: SeriesChange["size"];
}
