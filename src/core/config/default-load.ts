// How a scenario is loaded where its configuration does not say: from its rate alone. Pure.
import type { Scenario } from "../model/config.ts";
import { requestsDropped, windowCount } from "../model/load-rules.ts";
import {
  CONNECTIONS_PER_RPS,
  ENOUGH_KEPT,
  LEAST_CONNECTIONS,
  MAX_PACED_SLICE_MS,
  MAX_ROUND_LOAD_MS,
  MAX_SLICE_MS,
  MIN_SLICE_MS,
  MOST_CONNECTIONS,
  SINGLE_WINDOW_PAIRS,
  SLICE_PAIRS,
  SLICE_REQUESTS,
  WARMUP_MS,
  WARMUP_REQUESTS_PER_CONNECTION,
} from "./defaults.ts";
import { defaultWrk2SliceMs, WRK2_SLICE_PAIRS, WRK2_WARMUP_MS } from "./wrk2-rules.ts";

type Load = Pick<Scenario, "rateRps" | "connections" | "generator" | "settleMs">;

export function defaultConnections(rateRps: number): number {
  return within(LEAST_CONNECTIONS, Math.ceil(rateRps * CONNECTIONS_PER_RPS), MOST_CONNECTIONS);
}

/** Requests to each arm before anything counts. */
export function defaultWarmup({ rateRps, connections, generator }: Load): number {
  const requestsIn = (ms: number): number => Math.ceil((rateRps * ms) / 1000);
  return generator === "wrk2"
    ? requestsIn(WRK2_WARMUP_MS)
    : Math.max(requestsIn(WARMUP_MS), WARMUP_REQUESTS_PER_CONNECTION * connections);
}

/** What `given` leaves open. */
export function defaultSlice(
  load: Load,
  given: { duration?: number | undefined; pairs?: number | undefined },
): Scenario["slice"] {
  const isWrk2 = load.generator === "wrk2";
  const durationMs =
    given.duration ?? (isWrk2 ? defaultWrk2SliceMs(load.rateRps) : defaultSliceMs(load));
  return {
    durationMs,
    pairs: given.pairs ?? (isWrk2 ? WRK2_SLICE_PAIRS : defaultPairs(load, durationMs)),
  };
}

function defaultSliceMs(load: Load): number {
  const msOf = (requests: number): number => Math.ceil((requests * 1000) / load.rateRps);
  const paced = within(MIN_SLICE_MS, msOf(SLICE_REQUESTS), MAX_PACED_SLICE_MS);
  const settled = paced + (load.settleMs ?? 0);
  return Math.min(MAX_SLICE_MS, Math.max(settled, msOf(ENOUGH_KEPT + requestsDropped(load))));
}

function defaultPairs(load: Load, durationMs: number): number {
  const kept = Math.round((load.rateRps * durationMs) / 1000) - requestsDropped(load);
  const wanted = windowCount(kept, load.rateRps) === 1 ? SINGLE_WINDOW_PAIRS : SLICE_PAIRS;
  return within(1, Math.floor(MAX_ROUND_LOAD_MS / (2 * durationMs)), wanted);
}

/** The upper end wins. */
function within(least: number, value: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}
