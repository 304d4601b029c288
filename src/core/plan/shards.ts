// Divides a run over shards, the same in every job of a workflow: services into groups, and the
// rounds of a group's services over the shards of the group. See docs/adr/0030.
import type { Config } from "../model/config.ts";
import { MAX_SHARDS } from "../model/samples.ts";

/** What one shard measures: of its services the rounds `part`, `part + parts`, … */
interface ShardPlan {
  services: string[];
  part: number;
  parts: number;
}

/** More parts of a service's rounds hardly save time, and leave more questions open. */
const MOST_PARTS = 3;

/**
 * At most `shards`, which is 1 or more; none without a service. Groups get services longest first,
 * each to the one that would end it first (Graham 1969).
 */
export function spreadOverShards(config: Config, shards: number): ShardPlan[] {
  const order = config.services.map(({ name }) => name);
  const loadOf = (service: string): number =>
    config.scenarios
      .filter((scenario) => scenario.service === service)
      .reduce((sum, { slice }) => sum + slice.pairs * slice.durationMs, 0);
  const used = Math.min(shards, MOST_PARTS * order.length);
  const count = Math.ceil(used / MOST_PARTS);
  const groups = Array.from({ length: count }, (_, i) => ({
    parts: Math.ceil((used - i) / count),
    load: 0,
    services: [] as string[],
  }));
  for (const service of [...order].sort((a, b) => loadOf(b) - loadOf(a))) {
    const own = loadOf(service);
    const first = groups.reduce((best, next) =>
      (next.load + own) / next.parts < (best.load + own) / best.parts ? next : best,
    );
    first.load += own;
    first.services.push(service);
  }
  return groups.flatMap(({ parts, services: own }) => {
    const services = order.filter((name) => own.includes(name));
    return Array.from({ length: parts }, (_, part) => ({ services, part, parts }));
  });
}

/** `1/3`: the first of three. Null: no such thing. */
export function parseShard(value: string): { index: number; of: number } | null {
  const [, index, of] = /^(\d{1,3})\/(\d{1,3})$/.exec(value) ?? [];
  const shard = { index: Number(index), of: Number(of) };
  return shard.index >= 1 && shard.index <= shard.of && shard.of <= MAX_SHARDS ? shard : null;
}
