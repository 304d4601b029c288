// How requests that belong to no slice are dealt to the scenarios of a service: as the slices are.
import type { Service } from "../model/config.ts";
import { type RoundLoad, requestsOfRound } from "../model/load-rules.ts";
import { deal } from "../model/mix.ts";

/** Requests of a launch between the end of its slices and the reading of its memory. */
export function whatIsLeft({ memory }: Service, scenarios: readonly RoundLoad[]): number {
  const sent = scenarios.reduce((sum, scenario) => sum + requestsOfRound(scenario), 0);
  return Math.max(0, (memory?.requests ?? 0) - sent);
}

/** Whole numbers in the order of the scenarios that add up to `requests`; none below 0. */
export function shareOut(requests: number, scenarios: readonly RoundLoad[]): number[] {
  return deal(requests, scenarios.map(requestsOfRound));
}
