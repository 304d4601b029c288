// Rules of load that more than one room must apply alike.
import type { Scenario } from "./config.ts";
import { dealLoad } from "./mix.ts";

/** Part of a slice whose requests may still pay for connection set-up and cold caches. */
const SETTLE_MS = 20;
/**
 * With TLS: oha stalls for 50 to 150 ms before its first handshake, and sends late what came due.
 */
export const TLS_SETTLE_MS = 250;
/** Each connection's first request opens it; after twice as many all have been used. */
const SETTLE_REQUESTS_PER_CONNECTION = 2;

/** With fewer connections a service's growth under load is not what they cost. */
const MANY_CONNECTIONS = 1000;

/**
 * Connections that share a launch's growth: its only scenario's, if many. Null: it cannot be told.
 */
export function sharingConnections(
  scenarios: readonly Pick<Scenario, "connections">[],
): number | null {
  const [only] = scenarios;
  if (only === undefined || scenarios.length > 1) return null;
  return only.connections < MANY_CONNECTIONS ? null : only.connections;
}

/**
 * Requests at the head of a slice that count in no quantile; none of wrk2's, which records no
 * order.
 */
export function requestsDropped(
  scenario: Pick<Scenario, "connections" | "rateRps" | "generator" | "settleMs" | "mix">,
): number {
  if (scenario.generator === "wrk2") return 0;
  const { mix } = scenario;
  if (mix !== undefined) {
    // As long as its slowest part takes.
    const weights = mix.map(({ weight }) => weight);
    const seconds = dealLoad(scenario, weights).map((load) => {
      const part = { ...scenario, ...load, mix: undefined };
      return requestsDropped(part) / load.rateRps;
    });
    return Math.ceil(scenario.rateRps * Math.max(...seconds));
  }
  const { settleMs = SETTLE_MS } = scenario;
  return Math.max(
    SETTLE_REQUESTS_PER_CONNECTION * scenario.connections,
    Math.ceil((scenario.rateRps * settleMs) / 1000),
  );
}

export type RoundLoad = Pick<Scenario, "rateRps" | "warmupRequests" | "slice">;

/** Requests of a scenario to each arm in a round, warm-up included, if nothing is measured again. */
export function requestsOfRound({ rateRps, warmupRequests, slice }: RoundLoad): number {
  return warmupRequests + slice.pairs * Math.round((rateRps * slice.durationMs) / 1000);
}

/** More frequent work of a service, such as garbage collection, is in every window. */
const LEAST_WINDOW_MS = 50;
/** One of them is slower than the p99. */
export const LEAST_WINDOW_REQUESTS = 100;

/** How many windows a stretch of kept requests holds; 1: it is a window itself. */
export function windowCount(requests: number, rateRps: number): number {
  const byTime = (1000 * requests) / rateRps / LEAST_WINDOW_MS;
  return Math.max(1, Math.floor(Math.min(byTime, requests / LEAST_WINDOW_REQUESTS)));
}

/**
 * Requests that may lack an answer or error: wrk2 stops in the middle, with one under way on each
 * connection.
 */
export function requestsUnaccounted({
  generator,
  connections,
}: Pick<Scenario, "generator" | "connections">): number {
  return generator === "wrk2" ? 2 * connections : 0;
}

/** wrk2 drops its records after 10 s plus connecting, and checks for its end every 2 s only. */
export const WRK2_MOST_SECONDS = 8;
/**
 * A wrk2 thread opens its connections one by one; each schedule begins when its connection opens.
 */
export const WRK2_CONNECT_EVERY_MS = 5;

/** Requests on the schedules of all connections of a wrk2 run. `threads` divides `connections`. */
export function wrk2Scheduled(
  { rateRps, connections }: Pick<Scenario, "rateRps" | "connections">,
  run: { threads: number; durationMs: number },
): number {
  const periodMs = (1000 * connections) / rateRps;
  let total = 0;
  for (let i = 0; i < connections / run.threads; i++) {
    const leftMs = Math.max(0, run.durationMs - i * WRK2_CONNECT_EVERY_MS);
    total += Math.ceil(leftMs / periodMs) * run.threads;
  }
  return total;
}
