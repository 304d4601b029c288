// What the parts of a mix came to, as one load: the rows of all in the order of release. Pure.
import type { Scenario } from "../model/config.ts";
import type { LoadDone, LoadRows, PartLoad } from "./load.ts";
import { reconstructLag } from "./schedule.ts";

interface Row {
  release: number;
  start: number;
  end: number;
  lag: number;
}

/**
 * Each part's rows count from its first ideal instant. Answers that a part expects count under the
 * whole's expected status; other answers and failures name their part.
 */
export function joinParts(
  whole: Pick<Scenario, "expectStatus">,
  parts: readonly PartLoad[],
): LoadDone {
  const statuses: Record<string, number> = {};
  const errors: Record<string, number> = {};
  for (const { scenario, load } of parts) {
    for (const [status, count] of Object.entries(load.statuses)) {
      const isExpected = status === String(scenario.expectStatus);
      add(statuses, isExpected ? String(whole.expectStatus) : of(status, scenario), count);
    }
    for (const [words, count] of Object.entries(load.errors))
      add(errors, of(words, scenario), count);
  }
  const rows = parts.flatMap(rowsOf).sort((a, b) => a.release - b.release);
  const column = (key: keyof Row): Float64Array => Float64Array.from(rows, (row) => row[key]);
  const release = column("release");
  return {
    kind: "done",
    rows: { release, start: column("start"), end: column("end"), lag: column("lag") },
    statuses,
    errors,
    wallMs: Math.max(0, ...parts.map(({ load }) => load.wallMs)),
    parts,
  };
}

function add(counts: Record<string, number>, key: string, count: number): void {
  counts[key] = (counts[key] ?? 0) + count;
}

/** `503 of shop[checkout]` */
function of(words: string, { name }: Pick<Scenario, "name">): string {
  return `${words} of ${name}`;
}

function rowsOf({ scenario, requests, load: { rows } }: PartLoad): Row[] {
  const lags = lagOf(rows, scenario.rateRps, requests);
  if (lags === null) return [];
  const { release, start, end } = rows;
  const origin = (release[0] ?? 0) - (lags[0] ?? 0);
  return Array.from(release, (at, i) => ({
    release: at - origin,
    start: (start[i] ?? 0) - origin,
    end: (end[i] ?? 0) - origin,
    lag: lags[i] ?? 0,
  }));
}

/** How late each row's request was released (see schedule.ts), told or rebuilt. */
export function lagOf(rows: LoadRows, rateRps: number, scheduled: number): Float64Array | null {
  return rows.lag ?? reconstructLag(rows.release, rateRps, scheduled);
}
