// Spreads services over shards, the same in every job of a workflow.
import type { Config } from "../model/config.ts";

/**
 * At most `shards` lists of services, none empty: longest first, each to the least loaded (Graham
 * 1969).
 */
export function spreadOverShards(config: Config, shards: number): string[][] {
  const order = config.services.map(({ name }) => name);
  const loadOf = (service: string): number =>
    config.scenarios
      .filter((scenario) => scenario.service === service)
      .reduce((sum, { slice }) => sum + slice.pairs * slice.durationMs, 0);
  const spread = Array.from({ length: Math.min(shards, order.length) }, () => ({
    load: 0,
    services: [] as string[],
  }));
  for (const service of [...order].sort((a, b) => loadOf(b) - loadOf(a))) {
    const least = spread.reduce((best, next) => (next.load < best.load ? next : best));
    least.load += loadOf(service);
    least.services.push(service);
  }
  return spread.map(({ services }) => order.filter((name) => services.includes(name)));
}
