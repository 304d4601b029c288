// How long a round takes: its load by configuration, the rest as measured on the reference
// services; and how requests that belong to no slice are dealt to the scenarios: as the slices are.
import type { Scenario, Service } from "../model/config.ts";
import { type RoundLoad, requestsOfRound } from "../model/load-rules.ts";
import { deal } from "../model/mix.ts";
import type { RoundTime } from "../model/plan.ts";

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

/** Requests of a launch between the end of its slices and the reading of its memory. */
export function whatIsLeft({ memory }: Service, scenarios: readonly RoundLoad[]): number {
  const sent = scenarios.reduce((sum, scenario) => sum + requestsOfRound(scenario), 0);
  return Math.max(0, (memory?.requests ?? 0) - sent);
}

/** Whole numbers in the order of the scenarios that add up to `requests`; none below 0. */
export function shareOut(requests: number, scenarios: readonly RoundLoad[]): number[] {
  return deal(requests, scenarios.map(requestsOfRound));
}
