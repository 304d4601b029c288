// Whether an arm could keep a scenario's rate, and what it did of it. Pure.

import type { SeenCapacity } from "../model/fault.ts";
import { entriesOf } from "../model/parts.ts";
import type { Arm, Samples, Slice } from "../model/samples.ts";
import { isDisturbed } from "../slice/disturbance.ts";
import { median } from "../stats/dispersion.ts";

/** An arm that cannot keep up in more than this share of rounds has no steady state. */
const MAX_SATURATED_SHARE = 0.2;
/** One may be a stop of the host; what cannot be served queues in every round. */
const LEAST_SATURATED_ROUNDS = 2;

interface Seen {
  /** Rounds in which the arm could not keep up, of all that have the scenario. */
  saturated: number;
  rounds: number;
  capacity?: SeenCapacity;
}

export function seenCapacity(samples: Samples, scenario: string, arm: Arm): Seen {
  const entries = entriesOf(samples.rounds, scenario);
  // A candidate measured alone stands for both.
  const saturated = entries.filter(({ arms }) => (arms[arm] ?? arms.candidate).saturated);
  const valid = saturated
    .flatMap((entry) => entry.slices)
    .filter((slice) => slice.arm === arm && slice.void === null);
  const calm = valid.filter((slice) => !isDisturbed(slice));
  const slices = calm.length > 0 ? calm : valid;
  const rateRps = samples.config.scenarios.find(({ id }) => id === scenario)?.rateRps;
  const served = slices.flatMap((slice) => servedRps(slice) ?? []);
  // Only what it served undisturbed shows what it can serve.
  const needed = calm.length > 0 ? [] : valid.flatMap(({ host }) => host.needed ?? []);
  const seen = { saturated: saturated.length, rounds: entries.length };
  if (rateRps === undefined || slices.length === 0) return seen;
  const capacity = {
    rateRps,
    servedRps: served.length === 0 ? null : median(served),
    cpuShare: median(slices.map(({ host }) => host.service)),
    cpusRps: needed.length === 0 ? undefined : rateRps / median(needed),
  };
  return { ...seen, capacity };
}

/** Releases follow the schedule, so the requests took its length and the longest latency. */
function servedRps({ achievedRps, latency }: Slice): number | null {
  if (achievedRps === null || achievedRps === 0 || latency === null) return null;
  return latency.requests / (latency.requests / achievedRps + latency.max / 1e6);
}

export function isBeyondCapacity({ saturated, rounds }: Seen): boolean {
  return saturated >= LEAST_SATURATED_ROUNDS && saturated / rounds > MAX_SATURATED_SHARE;
}

/** A rate that the reference keeps and the candidate does not: why its latency got worse. */
export function capacityCautions(samples: Samples) {
  if (samples.sources.reference === null) return [];
  return samples.config.scenarios.flatMap(({ id }) => {
    const seen = seenCapacity(samples, id, "candidate");
    const both = isBeyondCapacity(seenCapacity(samples, id, "reference"));
    if (both || !isBeyondCapacity(seen)) return [];
    return [{ code: "beyond-capacity" as const, scenario: id, ...seen }];
  });
}
