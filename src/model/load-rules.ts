// Rules of load that more than one room must apply alike.
import type { Scenario } from "./config.ts";

/** Part of a slice whose requests may still pay for connection set-up and cold caches. */
const SETTLE_MS = 20;
/** Each connection's first request opens it; twice that many have passed once every connection has been used. */
const SETTLE_REQUESTS_PER_CONNECTION = 2;

/** How many requests at the head of a slice's schedule count in no quantile. A fixed rule: blind to arm and latency. */
export function requestsDropped(scenario: Pick<Scenario, "connections" | "rateRps">): number {
  return Math.max(
    SETTLE_REQUESTS_PER_CONNECTION * scenario.connections,
    Math.ceil((scenario.rateRps * SETTLE_MS) / 1000),
  );
}
