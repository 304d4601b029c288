// Reads oha's raw rows out of the SQLite file that it leaves.
import { DatabaseSync } from "node:sqlite";
import type { LoadRows } from "../../../../core/slice/load.ts";

const MICROSECONDS = 1e6;

/** Rows in the order of release. Throws when the file is not what oha writes. */
export function readOhaRows(path: string): LoadRows {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const rows = database
      .prepare(
        'SELECT start_latency_correction AS released, start, "end", len_bytes AS bytes FROM oha ORDER BY start_latency_correction',
      )
      .all() as { released: number | null; start: number; end: number; bytes: number }[];
    const release = new Float64Array(rows.length);
    const start = new Float64Array(rows.length);
    const end = new Float64Array(rows.length);
    rows.forEach((row, i) => {
      if (row.released === null) throw new Error("rows without start_latency_correction");
      release[i] = row.released * MICROSECONDS;
      start[i] = row.start * MICROSECONDS;
      end[i] = row.end * MICROSECONDS;
    });
    return { release, start, end, bytes: Float64Array.from(rows, ({ bytes }) => bytes) };
  } finally {
    database.close();
  }
}
