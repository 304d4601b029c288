// A scenario of several requests: each part has a share of rate, connections and counts, and is
// loaded beside the others.
import type { Scenario } from "./config.ts";

/** Of the connections, as long as there are so many: what a scenario with a low rate has. */
const LEAST_CONNECTIONS = 4;

/** Whole numbers in proportion to `weights` that add up to `total`; none below 0. */
export function deal(total: number, weights: readonly number[]): number[] {
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  let dealt = 0;
  let weighed = 0;
  return weights.map((weight) => {
    weighed += weight;
    const until = Math.round((Math.max(0, total) * weighed) / all);
    const share = until - dealt;
    dealt = until;
    return share;
  });
}

/** What each part has of a rate and of connections, in their order. */
export function dealLoad(
  { rateRps, connections }: Pick<Scenario, "rateRps" | "connections">,
  weights: readonly number[],
): Pick<Scenario, "rateRps" | "connections">[] {
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  const least = Math.max(1, Math.min(LEAST_CONNECTIONS, Math.floor(connections / weights.length)));
  const rest = deal(connections - least * weights.length, weights);
  return weights.map((weight, i) => ({
    rateRps: (rateRps * weight) / all,
    connections: least + (rest[i] ?? 0),
  }));
}

/** The parts as scenarios, `api/shop[checkout]`; empty: it is no mix. */
export function partsOf(scenario: Scenario): Scenario[] {
  const { mix, ...whole } = scenario;
  if (mix === undefined) return [];
  const weights = mix.map(({ weight }) => weight);
  const loads = dealLoad(scenario, weights);
  const warmups = deal(scenario.warmupRequests, weights);
  return mix.map(({ name, weight: _, ...own }, i) => ({
    ...whole,
    ...own,
    id: `${scenario.id}[${name}]`,
    name: `${scenario.name}[${name}]`,
    ...loads[i],
    warmupRequests: warmups[i] ?? 0,
  }));
}

/** Each with its parts behind it: all that has latencies of its own. */
export function withParts(scenarios: readonly Scenario[]): Scenario[] {
  return scenarios.flatMap((scenario) => [scenario, ...partsOf(scenario)]);
}

/** Each, or its parts: all that has a request of its own. */
export function splitIntoParts(scenarios: readonly Scenario[]): Scenario[] {
  return scenarios.flatMap((scenario) =>
    scenario.mix === undefined ? [scenario] : partsOf(scenario),
  );
}

/** Id of the scenario that is loaded: of a part the whole's, of any other its own. */
export function wholeId(id: string): string {
  return id.endsWith("]") ? id.slice(0, id.lastIndexOf("[")) : id;
}

/** By the id of a scenario or of a part. */
export function isPart(id: string): boolean {
  return wholeId(id) !== id;
}
