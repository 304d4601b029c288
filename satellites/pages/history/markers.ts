// What else happened while a series was recorded, for the eye beside its changes: all of it follows
// from the records, but for the notes that people keep.
import type { Anchor, HistoryRecord, Trend } from "../../../src/core/model/history.ts";
import type { Fingerprint } from "../../../src/core/model/host.ts";
import { differingFact } from "../../../src/core/model/workload.ts";

export interface Marker {
  /** ISO time. */
  at: string;
  /** Null: of all. */
  runnerClass: string | null;
  /** Of these series, or of all whose ids begin so: `api/`. Null: of all. */
  of: string[] | null;
  what:
    | { kind: "anchor" | "release"; anchor: Anchor }
    | { kind: "machine"; machine: Fingerprint }
    | { kind: "waiver" }
    | { kind: "note"; text: string };
}

/** What begins: the first run with another anchor, on a machine not seen before, or with a waiver. */
export function markersOf({ records, notes }: Pick<Trend, "records" | "notes">): Marker[] {
  const runs = records.filter(({ run }) => run.shard !== "splice");
  const recorded = [...Map.groupBy(runs, ({ runnerClass }) => runnerClass).values()].flatMap(
    (own) => [...anchorMoves(own), ...newMachines(own), ...newWaivers(own)],
  );
  const noted = notes.map(({ at, text }) => ({
    at,
    runnerClass: null,
    of: null,
    what: { kind: "note" as const, text },
  }));
  return [...recorded, ...noted].sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
}

function anchorMoves(runs: readonly HistoryRecord[]): Marker[] {
  const last = new Map<string, string>();
  return runs.flatMap((record) => {
    const moved = Object.entries(record.anchors).filter(([service, { commit }]) => {
      const before = last.get(service);
      last.set(service, commit);
      return before !== undefined && before !== commit;
    });
    const byCommit = Map.groupBy(moved, ([, { commit }]) => commit);
    return [...byCommit.values()].flatMap((services) =>
      services.slice(0, 1).map(([, anchor]) => ({
        ...placeOf(record),
        of: services.map(([service]) => `${service}/`),
        what: { kind: isRelease(anchor) ? ("release" as const) : ("anchor" as const), anchor },
      })),
    );
  });
}

/** A tag of a version, such as `v1.4.0` or `api-2.1`. */
function isRelease({ name }: Anchor): boolean {
  return /^([\w.-]*[-/])?v?\d+\.\d+/.test(name);
}

/** Machines of a class may take turns: each is told of once. */
function newMachines(runs: readonly HistoryRecord[]): Marker[] {
  const known: Fingerprint[] = [];
  return runs.flatMap((record) => {
    const { fingerprint: machine } = record;
    if (known.some((one) => differingFact(one, machine) === null)) return [];
    known.push(machine);
    if (known.length === 1) return [];
    return [{ ...placeOf(record), of: null, what: { kind: "machine" as const, machine } }];
  });
}

function newWaivers(runs: readonly HistoryRecord[]): Marker[] {
  let before = new Set<string>();
  return runs.flatMap((record) => {
    const { waived = [] } = record;
    const begun = waived.filter((series) => !before.has(series));
    const ofOthers = [...before].filter((series) => record.series[series] === undefined);
    before = new Set([...ofOthers, ...waived]);
    if (begun.length === 0) return [];
    return [{ ...placeOf(record), of: begun, what: { kind: "waiver" as const } }];
  });
}

function placeOf({ run, runnerClass }: HistoryRecord): Pick<Marker, "at" | "runnerClass"> {
  return { at: run.startedAt, runnerClass };
}
