// Hosts and cost of a throughput per core; every assumption is a parameter.

import type { Carried, CostRow } from "../../../src/core/capacity/model.ts";
import type { CostParameters } from "../../../src/core/model/config.ts";

const SECONDS_A_DAY = 86_400;

/**
 * Peak rate = requests / 86,400 × peak factor; cores = rate / (throughput per core × utilisation);
 * whole hosts, at least one.
 */
export function costRows(perCoreRps: Carried, parameters: CostParameters): CostRow[] {
  return parameters.requestsPerDay.map((requestsPerDay) => {
    const peakRps = (requestsPerDay / SECONDS_A_DAY) * parameters.peakFactor;
    const coresAt = (throughput: number): number => peakRps / (throughput * parameters.utilisation);
    const bound = (throughput: number | null, unbounded: number | null): number | null =>
      throughput === null || throughput <= 0 ? unbounded : coresAt(throughput);
    const cores: Carried = {
      estimate: coresAt(perCoreRps.estimate),
      low: bound(perCoreRps.high, 0),
      high: bound(perCoreRps.low, null),
    };
    const hosts = mapCarried(cores, (value) => hostsFor(value, parameters.coresPerHost));
    const pricePerMonth = mapCarried(hosts, (value) => value * parameters.hostPrice);
    return { requestsPerDay, peakRps, cores, hosts, pricePerMonth };
  });
}

/** Binary noise in a quotient must not buy a host. */
const QUOTIENT_SLACK = 1e-9;

function hostsFor(cores: number, coresPerHost: number): number {
  return Math.max(1, Math.ceil((cores / coresPerHost) * (1 - QUOTIENT_SLACK)));
}

function mapCarried({ estimate, low, high }: Carried, map: (value: number) => number): Carried {
  return {
    estimate: map(estimate),
    low: low === null ? null : map(low),
    high: high === null ? null : map(high),
  };
}
