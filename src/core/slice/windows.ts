// Cuts a slice into windows, short so that a stop spoils few, long enough for a p99. See
// docs/adr/0013.
import { windowCount } from "../model/load-rules.ts";

/** A stretch of requests in the order of release: `from` up to, but without, `to`. */
export interface Span {
  from: number;
  to: number;
}

/** Windows of equal numbers of kept requests, and so of equal time; null: only one. */
export function cutWindows(requests: number, rateRps: number): Span[] | null {
  const count = windowCount(requests, rateRps);
  if (count === 1) return null;
  const startOf = (k: number): number => Math.floor((k * requests) / count);
  return Array.from({ length: count }, (_, k) => ({ from: startOf(k), to: startOf(k + 1) }));
}
