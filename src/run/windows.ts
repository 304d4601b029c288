// Cuts a slice's requests into windows: stretches so short that a stop of the host spoils few of them, and long enough that each has a
// p99 of its own. Pure. See docs/adr/0013.
import type { Latency, Window } from "../model/samples.ts";

/** What a service does more often than this, collecting garbage for one, is in every window. */
const LEAST_WINDOW_MS = 50;
/** One of them is slower than the p99. */
const LEAST_WINDOW_REQUESTS = 100;

/** How many windows a stretch of kept requests holds; 1: it is a window itself. */
export function windowCount(requests: number, rateRps: number): number {
  const byTime = (1000 * requests) / rateRps / LEAST_WINDOW_MS;
  return Math.max(1, Math.floor(Math.min(byTime, requests / LEAST_WINDOW_REQUESTS)));
}

/**
 * Windows of latencies that are in the order of release, alike in requests to one, in that order; null where there is but one. The
 * schedule is even, so that they are alike in time as well.
 */
export function cutWindows(
  latencies: Float64Array,
  rateRps: number,
  summarize: (window: Float64Array) => Latency,
): Window[] | null {
  const count = windowCount(latencies.length, rateRps);
  if (count === 1) return null;
  const startOf = (k: number): number => Math.floor((k * latencies.length) / count);
  return Array.from({ length: count }, (_, k) => {
    const { requests, p50, p90, p95, p99 } = summarize(
      latencies.subarray(startOf(k), startOf(k + 1)),
    );
    return { requests, p50, p90, p95, p99 };
  });
}
