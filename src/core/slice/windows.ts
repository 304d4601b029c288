// Cuts a slice's requests into windows: stretches so short that a stop of the host spoils few of
// them, and long enough that each has a p99 of its own. Pure. See docs/adr/0013.
import { windowCount } from "../model/load-rules.ts";

/** A stretch of requests in the order of release: `from` up to, but without, `to`. */
export interface Span {
  from: number;
  to: number;
}

/**
 * Windows of so many kept requests, alike in requests to one, in their order; null where there is
 * but one. The schedule is even, so that they are alike in time as well.
 */
export function cutWindows(requests: number, rateRps: number): Span[] | null {
  const count = windowCount(requests, rateRps);
  if (count === 1) return null;
  const startOf = (k: number): number => Math.floor((k * requests) / count);
  return Array.from({ length: count }, (_, k) => ({ from: startOf(k), to: startOf(k + 1) }));
}
