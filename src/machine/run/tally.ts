// What the slices of a round come to: for each scenario the requests that count, and of them its
// part of the round.
import type { Scenario } from "../../core/model/config.ts";
import { partsOf } from "../../core/model/mix.ts";
import {
  type Answer,
  ARMS,
  type Arm,
  type Curve,
  type RoundFailure,
  type ScenarioArm,
  type ScenarioRound,
  type Slice,
} from "../../core/model/samples.ts";
import type { SlicePairPlan } from "../../core/plan/round.ts";
import { isDisturbed } from "../../core/slice/disturbance.ts";
import { firstDifference } from "../../core/slice/json-answer.ts";
import { summarizeLatency, round as tenths } from "../../core/slice/slice.ts";
import { isBeyondCpus, isSaturated } from "../../core/slice/validity.ts";
import { quantile, sortSample } from "../../core/stats/quantile.ts";
import type { RoundContext } from "./round-context.ts";

/** Dense in the tail, where the curves of two arms part. */
const CURVE_PROBABILITIES: readonly number[] = [
  0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.92, 0.94, 0.95, 0.96, 0.97,
  0.98, 0.985, 0.99, 0.992, 0.994, 0.995, 0.996, 0.997, 0.998, 0.9985, 0.999, 0.9995, 1,
];

/** What one scenario has come to so far. */
export interface Tally {
  scenario: Scenario;
  /** Of a mix, in its order; empty for others. */
  parts: Tally[];
  answers: Partial<Record<Arm, Answer>>;
  /** To a path that no service knows, where an arm may not have it; null: there was none. */
  unknown: Partial<Record<Arm, Answer | null>>;
  /** What they say as JSON, where that is compared. */
  json: Partial<Record<Arm, unknown>>;
  slices: Slice[];
  /** Kept requests of valid pairs. */
  latencies: Record<Arm, Float64Array[]>;
  /** Valid slices in which the arm was saturated: calm ones, and those in which it needed more CPU time than it has. */
  saturated: Record<Arm, number>;
  validPairs: number;
  /** A pair stayed void: the scenario does not count in this round. */
  spoiled: boolean;
  /** Why it is not loaded; null: it is. */
  failure: RoundFailure | null;
  /** The reference does not have it: the candidate is loaded when its memory has been read. */
  isNew: boolean;
}

export type Tallies = ReadonlyMap<string, Tally>;

/** One arm's slice, and of a mix those of its parts, which it is pooled from. */
export interface Measured {
  slice: Slice;
  /** Kept requests, microseconds; empty when the slice is void. */
  latencies: Float64Array;
  parts: readonly Measured[];
}

export type MeasuredPair = Partial<Record<Arm, Measured>>;

/** Every slice is kept, void ones too. */
export function keep(tally: Tally, { slice, parts }: Measured): void {
  tally.slices.push(slice);
  for (const [i, part] of parts.entries()) tally.parts[i]?.slices.push(part.slice);
}

export function newTally(scenario: Scenario): Tally {
  return {
    scenario,
    parts: partsOf(scenario).map(newTally),
    answers: {},
    unknown: {},
    json: {},
    slices: [],
    latencies: { candidate: [], reference: [] },
    saturated: { candidate: 0, reference: 0 },
    validPairs: 0,
    spoiled: false,
    failure: null,
    isNew: false,
  };
}

export function withPartTallies(tally: Tally): Tally[] {
  return [tally, ...tally.parts];
}

export function tallyOf(tallies: Tallies, pair: SlicePairPlan): Tally {
  const tally = tallies.get(pair.scenario);
  if (tally === undefined) throw new Error(`${pair.scenario} is not in the round`);
  return tally;
}

export function accept(tally: Tally, measured: MeasuredPair): void {
  if (tally.spoiled) return;
  tally.validPairs++;
  for (const arm of ARMS) {
    const result = measured[arm];
    if (result === undefined) continue;
    tally.latencies[arm].push(result.latencies);
    const own = [result, ...result.parts];
    // Without its CPU any service queues: that alone says nothing of what it can serve.
    const isFull = isDisturbed(result.slice) ? isBeyondCpus : isSaturated;
    if (own.some(({ slice }) => isFull(slice))) tally.saturated[arm]++;
  }
  for (const [i, part] of tally.parts.entries()) {
    const { candidate, reference } = measured;
    accept(part, { candidate: candidate?.parts[i], reference: reference?.parts[i] });
  }
}

/** Secrets are taken out of what is shown of answers. */
export function scenarioRound(
  tally: Tally,
  launchOrder: readonly Arm[],
  { secrets, unshared }: Pick<RoundContext, "secrets" | "unshared">,
): ScenarioRound {
  const { request: asked } = unshared?.asked(tally.scenario) ?? tally.scenario;
  const { candidate, reference } = tally.json;
  const difference =
    candidate === undefined || reference === undefined
      ? null
      : firstDifference(candidate, reference, secrets?.mask);
  const complete = !tally.spoiled && tally.validPairs === tally.scenario.slice.pairs;
  const both = launchOrder.includes("reference") && !tally.isNew;
  return {
    scenario: tally.scenario.id,
    ...(Object.keys(tally.answers).length === 0 ? {} : { answers: tally.answers }),
    difference: difference ?? undefined,
    arms: {
      candidate: scenarioArm(tally, "candidate", complete),
      reference: both ? scenarioArm(tally, "reference", complete) : null,
    },
    slices: tally.slices,
    failure: tally.failure ?? undefined,
    referenceAsked: asked === tally.scenario.request ? undefined : `${asked.method} ${asked.path}`,
  };
}

function scenarioArm(tally: Tally, arm: Arm, complete: boolean): ScenarioArm {
  // Of all, not of the calm ones: a stop that nobody saw can fill the connections of the only calm slice.
  const saturated = tally.saturated[arm] * 2 > tally.validPairs;
  const pooled = complete ? sortSample(tally.latencies[arm].flatMap((own) => [...own])) : null;
  if (pooled === null || pooled.length === 0) return { pooled: null, curve: [], saturated };
  const curve: Curve = CURVE_PROBABILITIES.map((p) => [p, tenths(quantile(pooled, p))]);
  return { pooled: summarizeLatency(pooled), curve, saturated };
}

/** Leaves a scenario out of the rest of the round. */
export function leaveOut(tally: Tally, failure: RoundFailure): void {
  tally.spoiled = true;
  tally.failure = failure;
}

/** Those that are loaded, in their order: the new ones, or those of both arms. */
export function loadedScenarios(tallies: Tallies, which: "shared" | "new" = "shared"): Scenario[] {
  return [...tallies.values()].flatMap(({ scenario, failure, isNew }) =>
    failure === null && isNew === (which === "new") ? [scenario] : [],
  );
}

/** Time in which a slice's schedule was running. */
export function loadMsOf(tallies: Tallies): number {
  let sum = 0;
  for (const { slices, scenario } of tallies.values()) {
    sum += slices.length * scenario.slice.durationMs;
  }
  return sum;
}
