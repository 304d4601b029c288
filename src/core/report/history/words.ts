// A history in words: how its series are called, what changed, what else happened.
import type { SeriesChange, SeriesHistory } from "../../history/changes.ts";
import type { Marker } from "../../history/markers.ts";
import { partsOfSeries } from "../../model/history.ts";
import { plainLine } from "../../text/escape.ts";
import { formatChange, formatInterval } from "../../text/format.ts";
import { describeMachine, shortCommit } from "../provenance.ts";
import { fullName } from "../words/names.ts";

/** Of an id: as reports call the metric, or the id itself where this version knows no such metric. */
export function nameOfSeries(id: string): string {
  const parts = partsOfSeries(id);
  return parts === null ? id : fullName(parts);
}

/** With the class of its machines where there are several. */
export function seriesName(one: SeriesHistory, all: readonly SeriesHistory[]): string {
  const name = nameOfSeries(one.series);
  const isOnly = all.every(({ runnerClass }) => runnerClass === one.runnerClass);
  return isOnly ? name : `${name} on ${one.runnerClass}`;
}

/** `+8.2 % [+6.1, +10.4] %`. */
export function sizeOf({ size }: Pick<SeriesChange, "size">): string {
  return `${formatChange(size.estimate)} ${intervalOf(size)}`;
}

/** `[+6.1, +10.4] %`. */
export function intervalOf(size: SeriesChange["size"]): string {
  return formatInterval({ estimate: size.estimate, interval: { ...size, level: 0.95 } });
}

/** Of a change: the last commit before it, and the first that has all of it. */
export function rangeOf({ after, by }: Pick<SeriesChange, "after" | "by">): string {
  return `${shortCommit(after)}..${shortCommit(by)}`;
}

export function dayOf(time: string): string {
  return time.slice(0, 10);
}

export function markerText({ what, of }: Marker): string {
  switch (what.kind) {
    case "anchor":
      return `new baseline, and so a new anchor, for ${listOf(of)}: ${plainLine(what.anchor.name)} (${shortCommit(what.anchor.commit)})`;
    case "release":
      return `release ${plainLine(what.anchor.name)} is the anchor of ${listOf(of)} (${shortCommit(what.anchor.commit)})`;
    case "machine":
      return `another machine: ${describeMachine(what.machine)}`;
    case "waiver":
      return `a waiver lets through: ${listOf(of)}`;
    case "note":
      return plainLine(what.text);
  }
}

function listOf(ids: readonly string[] | null): string {
  return (ids ?? ["all"]).map((id) => id.replace(/\/$/, "")).join(", ");
}
