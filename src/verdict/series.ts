// Turns rounds into the series a hypothesis is tested on: one log ratio for each round that counts. No policy, no decision.
import type { LatencyMetric, ServiceMetric } from "../model/metric.ts";
import { isLatencyMetric, METRIC_FACTS } from "../model/metric.ts";
import type { Arm, Latency, Round, ScenarioRound, Slice } from "../model/samples.ts";
import { lowerHalfMean } from "../stats/lower-half.ts";
import { requestsBeyond } from "../stats/quantile.ts";
import type { Hypothesis } from "./hypotheses.ts";

/** One round's answer for one hypothesis. */
export interface RoundValue {
  /** Index of the round within its service. */
  round: number;
  /** In the metric's unit; for `typical` the geometric mean over the arm's quieter half of slices. */
  candidate: number;
  /** NaN when the candidate is measured alone. */
  reference: number;
  /** Natural log of candidate / reference; NaN when the candidate is measured alone. */
  d: number;
  /** Requests beyond the quantile in the smaller arm; null for launch metrics. */
  beyond: number | null;
}

/** Values in round order. A round that failed, or whose slices stayed void, contributes nothing. */
export function seriesOf(hypothesis: Hypothesis, rounds: readonly Round[]): RoundValue[] {
  const values: RoundValue[] = [];
  for (const round of rounds) {
    if (round.service !== hypothesis.service) continue;
    const value =
      hypothesis.scenario === null
        ? launchValue(hypothesis.policy.metric as ServiceMetric, round)
        : scenarioValue(hypothesis, round);
    if (value !== null) values.push({ round: round.index, ...value });
  }
  return values;
}

type Value = Omit<RoundValue, "round">;

function launchValue(metric: ServiceMetric, round: Round): Value | null {
  if (round.failure !== null || round.launches === null) return null;
  const candidate = round.launches.candidate.values[metric];
  if (candidate === undefined) return null;
  if (round.launches.reference === null) {
    return { candidate, reference: Number.NaN, d: Number.NaN, beyond: null };
  }
  const reference = round.launches.reference.values[metric];
  return reference === undefined ? null : pair(candidate, reference, null);
}

function scenarioValue(hypothesis: Hypothesis, round: Round): Value | null {
  const metric = hypothesis.policy.metric;
  if (!isLatencyMetric(metric)) return null;
  const scenario = round.scenarios.find((entry) => entry.scenario === hypothesis.scenario);
  if (scenario === undefined) return null;
  return hypothesis.policy.estimator === "typical"
    ? typicalValue(metric, scenario)
    : pooledValue(metric, scenario);
}

function pooledValue(metric: LatencyMetric, scenario: ScenarioRound): Value | null {
  const candidate = scenario.arms.candidate.pooled;
  if (candidate === null) return null;
  if (scenario.arms.reference === null) {
    return {
      candidate: candidate[metric],
      reference: Number.NaN,
      d: Number.NaN,
      beyond: beyondOf(candidate, metric),
    };
  }
  const reference = scenario.arms.reference.pooled;
  if (reference === null) return null;
  const beyond = Math.min(beyondOf(candidate, metric), beyondOf(reference, metric));
  return pair(candidate[metric], reference[metric], beyond);
}

/** The arms' quieter slices against each other (see docs/adr/0005): what disturbs a slice from outside only makes it slower. */
function typicalValue(metric: LatencyMetric, scenario: ScenarioRound): Value | null {
  const { candidate, reference } = scenario.arms;
  // A round with a pair that stayed void does not count: fewer pairs would be another, noisier estimate.
  if (candidate.pooled === null || reference === null || reference.pooled === null) return null;
  const logs = { candidate: [] as number[], reference: [] as number[] };
  for (const slices of validPairs(scenario.slices)) {
    const c = slices.candidate.latency?.[metric];
    const r = slices.reference.latency?.[metric];
    if (c === undefined || r === undefined || c <= 0 || r <= 0) continue;
    logs.candidate.push(Math.log(c));
    logs.reference.push(Math.log(r));
  }
  if (logs.candidate.length === 0) return null;
  return pair(
    Math.exp(lowerHalfMean(logs.candidate)),
    Math.exp(lowerHalfMean(logs.reference)),
    Math.min(beyondOf(candidate.pooled, metric), beyondOf(reference.pooled, metric)),
  );
}

/** Pairs of adjacent slices of which both count, in pair order. */
export function validPairs(slices: readonly Slice[]): Record<Arm, Slice>[] {
  const byPair = new Map<string, Partial<Record<Arm, Slice>>>();
  for (const slice of slices) {
    if (slice.void !== null) continue;
    const key = `${slice.pair}.${slice.attempt}`;
    byPair.set(key, { ...byPair.get(key), [slice.arm]: slice });
  }
  const pairs: Record<Arm, Slice>[] = [];
  for (const { candidate, reference } of byPair.values()) {
    if (candidate !== undefined && reference !== undefined) pairs.push({ candidate, reference });
  }
  return pairs;
}

function pair(candidate: number, reference: number, beyond: number | null): Value | null {
  // A ratio needs both; zero happens where nothing was counted (no collection ran, no switch took place).
  if (!(candidate > 0) || !(reference > 0)) return null;
  return { candidate, reference, d: Math.log(candidate / reference), beyond };
}

function beyondOf(latency: Latency, metric: LatencyMetric): number {
  return requestsBeyond(latency.requests, METRIC_FACTS[metric].quantile ?? 1);
}
