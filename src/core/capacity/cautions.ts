// What a reader has to know before believing a capacity.
import { median } from "../stats/dispersion.ts";
import type { CapacityCaution, CapacityResult, CapacitySamples, Median } from "./model.ts";
import type { Limit } from "./search.ts";

export const LEVEL = 0.95;
/** Below this share of its CPUs in use, something else than CPU holds the service back. */
const BUSY_SHARE = 0.7;
/** A slice of n objectives can overstate the capacity by a queue of 1/n. */
const LEAST_OBJECTIVES_A_SLICE = 50;

export type LaunchResult = CapacityResult["launches"][number];

export interface CapacityMedian {
  median: Median;
  /** Whether the estimate itself is only a bound. */
  bound: "none" | "at-least" | "below";
}

/** Nothing is known above the low end: what stopped the search was not the service. */
export function isAtLeast({ limit }: LaunchResult): boolean {
  return limit !== "service";
}

interface CautionFacts {
  capacity: CapacityMedian | null;
  ended: readonly LaunchResult[];
  limits: readonly Limit[];
}

export function cautionsOf(
  { settings, scenario, cpuSets, run, launches }: CapacitySamples,
  { capacity, ended, limits }: CautionFacts,
): CapacityCaution[] {
  const { sliceMs, objectiveUs } = settings;
  const cautions: CapacityCaution[] = [];
  const failures = launches.flatMap(({ failure }) => failure ?? []);
  const counted = ended.length;
  if (counted < settings.launches) {
    const failed = run.state === "complete" || run.state === "failed" ? failures.length : 0;
    cautions.push({ code: "launches", counted, of: settings.launches, failed, ended: run.ended });
  }
  cautions.push(...failures.map((failure) => ({ code: "failure" as const, ...failure })));
  if (capacity !== null && capacity.median.level < LEVEL) {
    const { level, launches: of } = capacity.median;
    cautions.push({ code: "few-launches", level, launches: of });
  }
  if (capacity?.bound === "none" && limits.length > 0) {
    cautions.push({ code: "limited", limits: [...limits], of: counted });
  }
  const busy = ended.flatMap(({ busyShare }) => busyShare ?? []);
  if (busy.length > 0 && median(busy) < BUSY_SHARE && limits.length < counted) {
    const { connections } = scenario;
    cautions.push({ code: "idle-cpus", busyShare: median(busy), connections });
  }
  if (sliceMs * 1000 < LEAST_OBJECTIVES_A_SLICE * objectiveUs) {
    cautions.push({ code: "short-slice", sliceMs, objectiveUs });
  }
  if (!cpuSets.disjoint) cautions.push({ code: "shared-cpus" });
  return cautions;
}
