// How long a round takes: its load by configuration, the rest as measured on the reference
// services.
import type { Scenario, Service } from "../model/config.ts";
import type { RoundTime } from "../model/plan.ts";
import { shareOut, whatIsLeft } from "./share-out.ts";

/** Of each arm, of a service that is ready in 20 ms: started, frozen, asked, stopped. */
const LAUNCH_MS = 45;
/** Around each run of the generator: its start, its rows, thawing and freezing. */
const GENERATOR_MS = 40;
/** Rest before memory is read. */
const REST_MS = 200;
/** A configured rate should be a third of what a core can serve. */
const FULL_SPEED = 3;

/** A round in which nothing is decided yet and nothing is measured again. */
export function roundTime(service: Service, scenarios: readonly Scenario[]): RoundTime {
  const rest = shareOut(whatIsLeft(service, scenarios), scenarios);
  let loadMs = 0;
  let armMs = LAUNCH_MS;
  for (const [i, scenario] of scenarios.entries()) {
    const { slice, warmupRequests } = scenario;
    loadMs += loadTimeMs(scenario);
    armMs += slice.pairs * GENERATOR_MS + sentMs(scenario, warmupRequests);
    armMs += sentMs(scenario, rest[i] ?? 0);
  }
  return { loadMs, otherMs: 2 * armMs + REST_MS };
}

/** Of both arms, in a round. */
export function loadTimeMs({ slice }: Pick<Scenario, "slice">): number {
  return 2 * slice.pairs * slice.durationMs;
}

function sentMs({ rateRps, generator }: Scenario, requests: number): number {
  if (requests === 0) return 0;
  const speed = generator === "wrk2" ? rateRps : FULL_SPEED * rateRps;
  return GENERATOR_MS + (1000 * requests) / speed;
}
