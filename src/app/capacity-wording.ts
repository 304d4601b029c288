// A capacity in words: the headline, and what a reader has to know before believing it.
import { assertInvariant } from "../base/errors.ts";
import type { CapacityResult, CapacitySamples, CapacityState, Median } from "../model/capacity.ts";
import type { Limit } from "../plan/capacity-search.ts";
import { formatRate } from "../report/capacity-text.ts";
import { median } from "../stats/dispersion.ts";

/** Of every interval. */
export const LEVEL = 0.95;
/** Below this share of its CPUs in use, something else than CPU holds the service back. */
const BUSY_SHARE = 0.7;
/** A slice of so many objectives overstates what an open queue can hide in it by one part in that many. */
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

interface HeadlineFacts {
  state: CapacityState;
  capacity: CapacityMedian | null;
  limits: readonly Limit[];
  launches: readonly LaunchResult[];
}

export function headlineOf(samples: CapacitySamples, facts: HeadlineFacts): string {
  const { scenario, settings, run } = samples;
  const within = `with a p99 of at most ${settings.objectiveUs / 1000} ms`;
  const { state, capacity, limits, launches } = facts;
  switch (state) {
    case "found":
      assertInvariant(capacity !== null, "found without a capacity");
      return `${scenario.id} sustains ${formatRate(capacity.median.estimate)} ${within}`;
    case "at-least":
      assertInvariant(capacity !== null, "at-least without a capacity");
      return `${scenario.id} sustains at least ${formatRate(capacity.median.estimate)} ${within}, ${limitWords(limits)}`;
    case "below":
      assertInvariant(capacity !== null, "below without a capacity");
      return `${scenario.id} does not sustain ${formatRate(capacity.median.estimate)} ${within}`;
    case "invalid": {
      const failed = launches.find((launch) => launch.state === "failed");
      if (failed !== undefined) return `no capacity of ${scenario.id}: ${failed.note}`;
      if (limits.includes("host")) {
        const note = launches.find(({ limit }) => limit === "host")?.note ?? "";
        return `no capacity of ${scenario.id}: the machine was disturbed (${note})`;
      }
      return `no capacity of ${scenario.id}: no launch was measured to its end (${run.ended === "" ? "the run was killed" : run.ended})`;
    }
  }
}

function limitWords(limits: readonly Limit[]): string {
  if (limits.includes("generator")) return "limited by the generator";
  return limits.includes("host") ? "limited by a disturbed machine" : "the highest rate tried";
}

interface WarningFacts {
  capacity: CapacityMedian | null;
  ended: readonly LaunchResult[];
  limits: readonly Limit[];
}

export function warningsOf(samples: CapacitySamples, facts: WarningFacts): string[] {
  const { settings, scenario, cpuSets, run } = samples;
  const { capacity, ended, limits } = facts;
  const warnings: string[] = [];
  const failures = samples.launches.filter(({ failure }) => failure !== null);
  if (ended.length < settings.launches) {
    const why =
      run.state === "complete" && failures.length > 0
        ? `${failures.length} failed`
        : run.ended === ""
          ? "the run was killed"
          : run.ended;
    warnings.push(`${ended.length} of ${settings.launches} launches count: ${why}`);
  }
  for (const { failure } of failures) {
    warnings.push(`${failure?.text}\n${failure?.detail}`.trimEnd());
  }
  if (capacity !== null && capacity.median.level < LEVEL) {
    const { level, launches } = capacity.median;
    warnings.push(
      launches === 1
        ? "one launch says nothing about others: an interval of 95 % takes 6 launches"
        : `the interval holds the median of launches with a chance of ${Math.floor(level * 100)} % only: 95 % take 6 launches, and there are ${launches}`,
    );
  }
  if (capacity?.bound === "none" && limits.length > 0) {
    warnings.push(
      `in ${limits.length} of ${ended.length} launches the search was ${limitWords(limits)}: these count as "at least"`,
    );
  }
  const busy = ended.flatMap(({ busyShare }) => busyShare ?? []);
  if (busy.length > 0 && median(busy) < BUSY_SHARE && limits.length < ended.length) {
    warnings.push(
      `the service used only ${Math.round(median(busy) * 100)} % of its CPUs at its highest sustained rate: what holds it back is what it waits for (a dependency, a lock) or the ${scenario.connections} connections of the scenario, and cores do not mend that`,
    );
  }
  if (settings.sliceMs * 1000 < LEAST_OBJECTIVES_A_SLICE * settings.objectiveUs) {
    warnings.push(
      `a slice of ${settings.sliceMs / 1000} s is short for an objective of ${settings.objectiveUs / 1000} ms: a queue that grows for one slice can stay within it at up to ${Math.round((settings.objectiveUs / settings.sliceMs / 1000) * 100)} % above capacity`,
    );
  }
  if (!cpuSets.disjoint) {
    warnings.push("service and generator share a CPU: the capacity is that of both together");
  }
  return warnings;
}
