// The one order of a history, each run once: whoever reads it gets the same list from any store.
import type { HistoryRecord } from "../model/history.ts";

/** What tells records apart: a run, and its part. */
export function recordId({ run }: Pick<HistoryRecord, "run">): string {
  return JSON.stringify([run.id, run.shard]);
}

/**
 * By the time of the run, then its id, then its shard; of records of the same run and shard the
 * first that is given.
 */
export function inOrder(records: readonly HistoryRecord[]): HistoryRecord[] {
  const byId = new Map<string, HistoryRecord>();
  for (const record of records) {
    const id = recordId(record);
    if (!byId.has(id)) byId.set(id, record);
  }
  const key = ({ run }: HistoryRecord) => [run.startedAt, run.id, run.shard ?? ""] as const;
  return [...byId.values()].sort((a, b) => {
    const [x, y] = [key(a), key(b)];
    const at = x.findIndex((part, i) => part !== y[i]);
    return at === -1 ? 0 : (x[at] ?? "") < (y[at] ?? "") ? -1 : 1;
  });
}
