// Spreads services over shards, so that a machine each can measure them at the same time. Pure:
// every job of a workflow comes to the same answer from the same configuration.
import type { Config } from "../model/config.ts";

/**
 * Names of the services of each shard, in the configuration's order; at most `shards` lists, none
 * empty. Longest first, each to the shard that has least (Graham 1969: at most a third above the
 * best spread). Ties go to the earlier one.
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
