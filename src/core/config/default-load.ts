// How a scenario is loaded where its configuration does not say: from its rate alone. Pure.
import type { Scenario } from "../model/config.ts";
import { LEAST_WINDOW_REQUESTS, requestsDropped, windowCount } from "../model/load-rules.ts";
import { DURATION } from "./units.ts";
import { defaultWrk2SliceMs, WRK2_SLICE_PAIRS, WRK2_WARMUP_MS } from "./wrk2-rules.ts";

/**
 * A slice opens its connections anew, and their first requests count in no quantile: at a low rate
 * that is most of a slice. So many serve answers of a quarter of a second without a wait.
 */
const MOST_CONNECTIONS = 16;
const LEAST_CONNECTIONS = 4;
const RPS_PER_CONNECTION = 4;

/** Warm-up: the requests of a tenth of a second, and two for each connection. */
const WARMUP_MS = 100;
const WARMUP_REQUESTS_PER_CONNECTION = 2;

/*
 * Slices and pairs. A verdict counts rounds: 10 are the fewest for a pass, 11 for a regression, and
 * about twice as many for a change as large as its margin. So eleven rounds have to fit well into
 * the time budget of 15 minutes, also with three scenarios on the service. A slice therefore sends
 * 500 requests (four windows and more) in half a second to two. Two seconds at a low rate are fewer
 * than 100 that count: then it lasts until there are so many, 12 s at most. A slice of a single
 * window gets three pairs in place of two, as far as they fit into 20 s. Load of eleven rounds, in
 * minutes, of one scenario and of three:
 *
 *   1000/s  2 pairs of  0.5 s   0.4   1.1
 *    200/s  2 pairs of  2 s     1.5   4.4
 *     50/s  3 pairs of  2.5 s   2.8   8.3
 *     10/s  1 pair  of 10.8 s   4.0  11.9
 */
const SLICE_REQUESTS = 500;
const MIN_SLICE_MS = 500;
const MAX_PACED_SLICE_MS = 2000;
const ENOUGH_KEPT = 100;
const MAX_SLICE_MS = 12_000;
const SLICE_PAIRS = 2;
/** Where a slice is a single window. */
const SINGLE_WINDOW_PAIRS = 3;
/** Load of one scenario in a round, both arms. */
const MAX_ROUND_LOAD_MS = 20_000;

/** What the functions below do, for people; to follow "Default:". */
export const DEFAULTS_IN_WORDS = {
  connections: `one for each ${RPS_PER_CONNECTION} requests a second, from ${LEAST_CONNECTIONS} to ${MOST_CONNECTIONS}`,
  warmup: `those of ${DURATION.format(WARMUP_MS)}, and ${WARMUP_REQUESTS_PER_CONNECTION} for each connection`,
  duration: `as long as ${SLICE_REQUESTS} requests take, within ${DURATION.format(MIN_SLICE_MS)} and ${DURATION.format(MAX_PACED_SLICE_MS)}; longer, ${DURATION.format(MAX_SLICE_MS)} at most, where fewer than ${ENOUGH_KEPT} of them would count`,
  pairs: `${SLICE_PAIRS}; ${SINGLE_WINDOW_PAIRS} where fewer than ${2 * LEAST_WINDOW_REQUESTS} requests of a slice count; fewer where these take more than ${DURATION.format(MAX_ROUND_LOAD_MS)}`,
};

type Load = Pick<Scenario, "rateRps" | "connections" | "generator" | "settleMs">;

export function defaultConnections(rateRps: number): number {
  return within(LEAST_CONNECTIONS, Math.ceil(rateRps / RPS_PER_CONNECTION), MOST_CONNECTIONS);
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
  given: { duration?: number; pairs?: number } = {},
): Scenario["slice"] {
  const isWrk2 = load.generator === "wrk2";
  const durationMs =
    given.duration ?? (isWrk2 ? defaultWrk2SliceMs(load.rateRps) : defaultSliceMs(load));
  const pairs = given.pairs ?? (isWrk2 ? WRK2_SLICE_PAIRS : defaultPairs(load, durationMs));
  return { durationMs, pairs };
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
