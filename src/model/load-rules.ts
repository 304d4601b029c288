// Rules of load that more than one room must apply alike.
import type { Scenario } from "./config.ts";

/** Part of a slice whose requests may still pay for connection set-up and cold caches. */
const SETTLE_MS = 20;
/** Each connection's first request opens it; twice that many have passed once every connection has been used. */
const SETTLE_REQUESTS_PER_CONNECTION = 2;

/** With fewer connections a service's growth under load is not what they cost. */
const MANY_CONNECTIONS = 1000;

/**
 * Connections among which a launch's growth is shared out: those of its only scenario, if there are many. Null: memory per
 * connection cannot be told in such a launch.
 */
export function sharingConnections(
  scenarios: readonly Pick<Scenario, "connections">[],
): number | null {
  const [only] = scenarios;
  if (only === undefined || scenarios.length > 1) return null;
  return only.connections < MANY_CONNECTIONS ? null : only.connections;
}

/** How many requests at the head of a slice's schedule count in no quantile. A fixed rule: blind to arm and latency. */
export function requestsDropped(scenario: Pick<Scenario, "connections" | "rateRps">): number {
  return Math.max(
    SETTLE_REQUESTS_PER_CONNECTION * scenario.connections,
    Math.ceil((scenario.rateRps * SETTLE_MS) / 1000),
  );
}
