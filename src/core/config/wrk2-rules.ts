// What wrk2 cannot do, said before anything is built. The reasons are in its source, see
// docs/adr/0009. Pure.
import { filesOf, type Recipe, type Scenario } from "../model/config.ts";
import { WRK2_CONNECT_EVERY_MS, WRK2_MOST_SECONDS } from "../model/load-rules.ts";
import type { Report } from "./problem.ts";
import { DURATION, RATE } from "./units.ts";

export const WRK2_SLICE_PAIRS = 2;
/** wrk2 takes a whole second at least. */
export const WRK2_WARMUP_MS = 1000;
/** Shorter ones are mostly the opening of connections, which wrk2 does not set apart. */
const LEAST_SLICE_MS = 2000;
const SLICE_REQUESTS = 1000;
/** Share of a slice in which connections may still be opened: until they are, the rate is lower. */
const MOST_CONNECTING = 0.1;

export function defaultWrk2SliceMs(rateRps: number): number {
  const enoughMs = Math.ceil(SLICE_REQUESTS / rateRps) * 1000;
  return Math.min(WRK2_MOST_SECONDS * 1000, Math.max(LEAST_SLICE_MS, enoughMs));
}

type Load = Pick<
  Scenario,
  "request" | "rateRps" | "connections" | "requestTimeoutMs" | "warmupRequests" | "slice"
>;

export function reportForWrk2(scenario: Load, own: Report): void {
  const { request, rateRps, connections, requestTimeoutMs, warmupRequests, slice } = scenario;
  const most = DURATION.format(WRK2_MOST_SECONDS * 1000);
  if (request.pathIsPattern) {
    own(["request", "pathPattern"], "wrk2 draws no paths from a pattern: use path, or oha", "key");
  }
  if (filesOf(request).some(({ lines }) => lines !== undefined)) {
    own(["request"], "wrk2 draws nothing from lines of a file: use oha", "key");
  }
  if (!Number.isInteger(rateRps)) {
    own(["rate"], `got ${RATE.format(rateRps)}, and wrk2 takes whole numbers of requests a second`);
  }
  const { durationMs } = slice;
  if (durationMs % 1000 !== 0 || durationMs < 1000 || durationMs > WRK2_MOST_SECONDS * 1000) {
    own(
      ["slice", "duration"],
      `got ${DURATION.format(durationMs)}, and wrk2 takes whole seconds; it may throw away what it measured in runs of more than ${most}`,
    );
  }
  if (warmupRequests > rateRps * WRK2_MOST_SECONDS) {
    own(["warmup"], `longer than ${most} at this rate, the longest run of wrk2 that is used`);
  }
  const connectingMs = connections * WRK2_CONNECT_EVERY_MS;
  if (connectingMs > MOST_CONNECTING * durationMs) {
    own(
      ["connections"],
      `wrk2 opens a connection every ${DURATION.format(WRK2_CONNECT_EVERY_MS)}: ${connections} take ${DURATION.format(connectingMs)} of ${DURATION.format(durationMs)}, of which a tenth is allowed`,
    );
  }
  const idleMs = (1000 * connections) / rateRps;
  if (idleMs > requestTimeoutMs / 2) {
    own(
      ["connections"],
      `each connection of wrk2 is used every ${DURATION.format(Math.round(idleMs))}, and it takes idle ones for timed out: expected at most half of timeout (${DURATION.format(requestTimeoutMs)})`,
    );
  }
}

/** In words, what of the service's transport wrk2 cannot speak; null: nothing. */
export function beyondWrk2({ transport }: Pick<Recipe, "transport">): string | null {
  if (transport === undefined) return null;
  if (transport.protocol !== "http1") return `protocol: ${transport.protocol}`;
  return transport.socket ? "socket: true" : "tls";
}
