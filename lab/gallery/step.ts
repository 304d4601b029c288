// A level that changed and one that did not, in the order in which they were measured: axum-api in
// recorded gates, in some of which 5 % more memory was planted. Between the first commit and the last
// its sources are the same: every gate's reference is the anchor's build, whichever commit it is of.
import { reportOn } from "../../src/app/gate/outcome.ts";
import { historyRecord } from "../../src/core/history/record.ts";
import type { HistoryRecord } from "../../src/core/model/history.ts";
import type { StoredRun } from "../evidence/runs.ts";

const SERVICE = "axum-api";
const SERIES = [`${SERVICE}/rss`, `${SERVICE}/process/p99Typical`];
/** The evidence's anchor then. */
const ANCHOR = "630c4c5c3d8f5b3e32bf4a3aa221e3a2913d346c";
const [FROM, TO] = ["2026-11-25T045717Z", "2026-11-25T113000Z"];
const PLACE = { url: null, parent: null, shard: null };

/** Of that service as it is, or with a fault in the time of another route, or in its memory. */
function isOfStep({ name, kind, plant }: StoredRun): boolean {
  const isWithin = name >= FROM && name <= TO;
  const hasOwnMemory = plant === null || plant.finds.startsWith(`${SERVICE}/echo p99`);
  return isWithin && kind !== "full" && (hasOwnMemory || kind === "rss+5");
}

export function recordsOfStep(runs: readonly StoredRun[]): HistoryRecord[] {
  return runs.filter(isOfStep).map(({ samples }) => {
    // A history is of commits; what was planted was not committed.
    const candidate = { ...samples.sources.candidate, dirty: false };
    const committed = { ...samples, sources: { ...samples.sources, candidate } };
    const record = historyRecord(committed, reportOn(committed, []), PLACE);
    const series = Object.entries(record.series).filter(([id]) => SERIES.includes(id));
    return {
      ...record,
      anchors: { [SERVICE]: { commit: ANCHOR, name: ANCHOR } },
      series: Object.fromEntries(series),
    };
  });
}
