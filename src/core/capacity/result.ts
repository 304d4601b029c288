// From the slices of a capacity search to its result, and what a reader has to know before believing
// it: a pure function.
import { UserError } from "../base/errors.ts";
import { total } from "../model/parts.ts";
import { median } from "../stats/dispersion.ts";
import { medianRanks } from "../stats/median-interval.ts";
import type {
  CapacityCaution,
  CapacityFacts,
  CapacityLaunch,
  CapacityResult,
  CapacitySamples,
  CapacitySlice,
  CapacityState,
  Median,
} from "./model.ts";
import { type Bracket, type Limit, searchCapacity } from "./search.ts";

export function summarizeCapacity(samples: CapacitySamples): CapacityFacts {
  const { launches: measured, schema: _schema, ...subject } = samples;
  const launches = measured.map((launch) => summarizeLaunch(launch, samples));
  const ended = launches.filter(({ state }) => state === "ended");
  const capacity = medianOfBrackets(ended);
  const perCore = medianOf(ended.flatMap(({ perCoreRps }) => perCoreRps ?? []));
  const limits = ended.filter(isAtLeast).map(({ limit }) => limit);
  const state = stateOf(samples, capacity, limits);
  return {
    schema: "tailgate.capacity.v1",
    ...subject,
    state,
    cautions: cautionsOf(samples, { capacity, ended, limits }),
    capacity: state === "invalid" ? null : (capacity?.median ?? null),
    perCore: state === "invalid" ? null : perCore,
    launches,
    curve: measured.flatMap((launch) =>
      launch.slices.flatMap(({ rateRps, latency, verdict: { kind } }) => {
        if (latency === null || kind === "void") return [];
        const { p50Us, p99Us } = latency;
        return [{ rateRps, launch: launch.index, p50Us, p99Us, sustained: kind === "sustained" }];
      }),
    ),
  };
}

/** Replays the search; a file whose rates differ from what it asks for is not ours. */
function replay(
  launch: CapacityLaunch,
  { settings }: CapacitySamples,
): { bracket: Bracket; ended: boolean } {
  const search = searchCapacity({ ...settings, startRps: launch.startRps });
  let turn = search.next();
  for (const { rateRps, verdict } of launch.slices) {
    if (turn.done || Math.abs(turn.value - rateRps) > 1e-9 * rateRps) {
      throw new UserError(
        `launch ${launch.index + 1} of the samples has a try at ${rateRps}/s, where the search asks for ${turn.done ? "no more" : `${turn.value}/s`}`,
        { next: "The file was changed, or written by another version: measure again." },
      );
    }
    turn = search.next(verdict);
  }
  return turn.done ? { bracket: turn.value, ended: true } : { bracket: OPEN_BRACKET, ended: false };
}

/** Whether the search in this launch came to its end. */
export function isEnded(launch: CapacityLaunch, samples: CapacitySamples): boolean {
  return replay(launch, samples).ended;
}

/** A search that was cut short may have been about to take back either end. */
const OPEN_BRACKET: Bracket = { lowRps: null, highRps: null, limit: "service" };

function summarizeLaunch(launch: CapacityLaunch, samples: CapacitySamples): LaunchResult {
  const { slices, failure, index } = launch;
  const { bracket, ended } = replay(launch, samples);
  const { lowRps, highRps, limit } = bracket;
  const best = slices.filter(
    ({ rateRps, verdict }) => verdict.kind === "sustained" && rateRps === lowRps,
  );
  const cpuMs = best.reduce((sum, slice) => sum + slice.serviceCpuMs, 0);
  const answers = best.reduce((sum, { statuses }) => sum + total(statuses), 0);
  return {
    index,
    lowRps,
    highRps,
    limit,
    state: failure !== null ? "failed" : ended ? "ended" : "open",
    perCoreRps: cpuMs > 0 ? (1000 * answers) / cpuMs : null,
    busyShare: best.length === 0 ? null : median(best.map(({ host }) => host.service)),
    slices: slices.length,
    voidSlices: slices.filter(({ verdict }) => verdict.kind === "void").length,
    note: failure?.text ?? lastVoid(slices, limit),
  };
}

function lastVoid(slices: readonly CapacitySlice[], limit: Limit): string {
  if (limit !== "generator" && limit !== "host") return "";
  return slices.findLast(({ verdict }) => verdict.kind === "void")?.verdict.reason ?? "";
}

/**
 * The median over launches of each bracket's geometric middle, with an interval from low ends below
 * and high ends above. Open brackets count as 0 or infinite: a median that depends on one is only a
 * bound.
 */
function medianOfBrackets(launches: readonly LaunchResult[]): CapacityMedian | null {
  const ranks = medianRanks(launches.length, LEVEL);
  if (ranks === null) return null;
  const lows = ascending(launches.map(({ lowRps }) => lowRps ?? 0));
  const highs = ascending(launches.map(highEnd));
  const high = highs[ranks.high - 1] ?? Number.POSITIVE_INFINITY;
  const least = median(launches.map((launch) => middle(launch) ?? launch.lowRps ?? 0));
  const most = median(launches.map((launch) => middle(launch) ?? highEnd(launch)));
  const bound = least === most ? "none" : Number.isFinite(most) ? "below" : "at-least";
  return {
    bound,
    median: {
      estimate: bound === "below" ? most : least,
      low: lows[ranks.low - 1] ?? 0,
      high: Number.isFinite(high) ? high : null,
      level: ranks.level,
      launches: launches.length,
    },
  };
}

function highEnd(launch: LaunchResult): number {
  return isAtLeast(launch) || launch.highRps === null ? Number.POSITIVE_INFINITY : launch.highRps;
}

/** Null for a bracket that is open at an end. */
function middle(launch: LaunchResult): number | null {
  const high = highEnd(launch);
  return launch.lowRps === null || !Number.isFinite(high) ? null : Math.sqrt(launch.lowRps * high);
}

function medianOf(values: readonly number[]): Median | null {
  const ranks = medianRanks(values.length, LEVEL);
  if (ranks === null) return null;
  const sorted = ascending(values);
  const low = sorted[ranks.low - 1] ?? null;
  const high = sorted[ranks.high - 1] ?? null;
  return { estimate: median(values), low, high, level: ranks.level, launches: values.length };
}

function ascending(values: readonly number[]): number[] {
  return values.toSorted((a, b) => a - b);
}

function stateOf(
  { run }: CapacitySamples,
  capacity: CapacityMedian | null,
  limits: readonly Limit[],
): CapacityState {
  if (run.state === "failed" || capacity === null) return "invalid";
  if (capacity.bound !== "at-least") return capacity.bound === "none" ? "found" : "below";
  // A disturbed machine, or a bound of 0, bounds nothing.
  const isBound = capacity.median.estimate !== 0 && limits.some((limit) => limit !== "host");
  return isBound ? "at-least" : "invalid";
}

const LEVEL = 0.95;
/** Below this share of its CPUs in use, something else than CPU holds the service back. */
const BUSY_SHARE = 0.7;
/** A slice of n objectives can overstate the capacity by a queue of 1/n. */
const LEAST_OBJECTIVES_A_SLICE = 50;

type LaunchResult = CapacityResult["launches"][number];

interface CapacityMedian {
  median: Median;
  /** Whether the estimate itself is only a bound. */
  bound: "none" | "at-least" | "below";
}

/** Nothing is known above the low end: what stopped the search was not the service. */
function isAtLeast({ limit }: LaunchResult): boolean {
  return limit !== "service";
}

interface CautionFacts {
  capacity: CapacityMedian | null;
  ended: readonly LaunchResult[];
  limits: readonly Limit[];
}

function cautionsOf(
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
