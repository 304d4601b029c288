// Where a history is kept. Every store gives the same records in the same order (inOrder).
import type { HistoryRecord } from "../../core/model/history.ts";

export interface HistoryStore {
  /** What it is, for messages: `branch tailgate-history`. */
  name: string;
  /** Of runs of this month, YYYY-MM, and later; null: all. */
  read(since: string | null): Promise<HistoryRecord[]>;
  /** Those that are there already are left as they are. Returns how many were new. */
  append(records: readonly HistoryRecord[]): Promise<number>;
}
