// A history in words: how its series are told apart, what changed, what else happened.
import type { SeriesChange, SeriesHistory } from "../../../src/core/model/history.ts";
import { describeMachine, shortCommit } from "../../../src/core/report/provenance.ts";
import { plainLine } from "../../../src/core/text/escape.ts";
import { formatChange } from "../../../src/core/text/format.ts";
import { intervalOf, nameOfSeries } from "../../words/series.ts";
import type { Marker } from "./markers.ts";

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
