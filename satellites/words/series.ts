// How series of a history are called, and how their changes are written.
import { type HistoryPoint, partsOfSeries } from "../../src/core/model/history.ts";
import { shortCommit } from "../../src/core/report/provenance.ts";
import { fullName } from "../../src/core/report/words/names.ts";
import { formatInterval } from "../../src/core/text/format.ts";

/** Of an id: as reports call the metric, or the id itself where this version knows no such metric. */
export function nameOfSeries(id: string): string {
  const parts = partsOfSeries(id);
  return parts === null ? id : fullName(parts);
}

/** `[+6.1, +10.4] %`; of whatever level, which is not written. */
export function intervalOf(size: NonNullable<HistoryPoint["ratio"]>): string {
  return formatInterval({ estimate: size.estimate, interval: { ...size, level: 0.95 } });
}

/** Of a change: the last commit before it, and the first that has all of it. */
export function rangeOf({ after, by }: { after: string; by: string }): string {
  return `${shortCommit(after)}..${shortCommit(by)}`;
}

export function dayOf(time: string): string {
  return time.slice(0, 10);
}
