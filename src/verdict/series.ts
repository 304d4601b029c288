// Turns rounds into the series a hypothesis is tested on: one log ratio for each round that counts. No policy, no decision.
import type { LatencyMetric, ServiceMetric } from "../model/metric.ts";
import { isLatencyMetric, METRIC_FACTS } from "../model/metric.ts";
import type { Arm, Latency, Round, ScenarioRound, Slice } from "../model/samples.ts";
import { lowerMean } from "../stats/lower-mean.ts";
import { requestsBeyond } from "../stats/quantile.ts";
import type { Hypothesis } from "./hypotheses.ts";

/** One round's answer for one hypothesis. */
export interface RoundValue {
  /** Index of the round within its service. */
  round: number;
  /** In the metric's unit; for `typical` the geometric mean over the arm's quieter windows. */
  candidate: number;
  /** NaN when the candidate is measured alone. */
  reference: number;
  /** Natural log of candidate / reference; NaN when the candidate is measured alone. */
  d: number;
  /** Requests beyond the quantile in the smaller arm, of the slices that the value rests on; null for launch metrics. */
  beyond: number | null;
}

export interface Series {
  /** In round order. A round that failed, or whose slices stayed void, contributes nothing. */
  values: RoundValue[];
  /**
   * Rounds that count and in which an arm's value was 0 (nothing was counted: no collection ran, no switch took place) or below,
   * so that there is no ratio. They cannot simply be left out: the rest would be the rounds in which something happened.
   */
  zeros: number;
  /** How many of the values come before the first of those. */
  beforeZero: number;
}

/** Only the values; see `readSeries` for what they leave out. */
export function seriesOf(hypothesis: Hypothesis, rounds: readonly Round[]): RoundValue[] {
  return readSeries(hypothesis, rounds).values;
}

export function readSeries(hypothesis: Hypothesis, rounds: readonly Round[]): Series {
  const series: Series = { values: [], zeros: 0, beforeZero: 0 };
  for (const round of rounds) {
    if (round.service !== hypothesis.service) continue;
    const value =
      hypothesis.scenario === null
        ? launchValue(hypothesis.policy.metric as ServiceMetric, round)
        : scenarioValue(hypothesis, round);
    if (value === null) continue;
    if (value === "zero") series.zeros++;
    else series.values.push({ round: round.index, ...value });
    if (series.zeros === 0) series.beforeZero = series.values.length;
  }
  return series;
}

/** Null: the round has no value. */
type Value = Omit<RoundValue, "round"> | "zero" | null;

function launchValue(metric: ServiceMetric, round: Round): Value {
  if (round.failure !== null || round.launches === null) return null;
  const candidate = round.launches.candidate.values[metric];
  if (candidate === undefined) return null;
  if (round.launches.reference === null) return alone(candidate, null);
  const reference = round.launches.reference.values[metric];
  return reference === undefined ? null : pair(candidate, reference, null);
}

function scenarioValue(hypothesis: Hypothesis, round: Round): Value {
  const metric = hypothesis.policy.metric;
  if (!isLatencyMetric(metric)) return null;
  const scenario = round.scenarios.find((entry) => entry.scenario === hypothesis.scenario);
  if (scenario === undefined) return null;
  return hypothesis.policy.estimator === "typical"
    ? typicalValue(metric, scenario)
    : pooledValue(metric, scenario);
}

function pooledValue(metric: LatencyMetric, { arms }: ScenarioRound): Value {
  const candidate = arms.candidate.pooled;
  if (candidate === null) return null;
  if (arms.reference === null) return alone(candidate[metric], beyondOf(candidate, metric));
  const reference = arms.reference.pooled;
  if (reference === null) return null;
  const beyond = Math.min(beyondOf(candidate, metric), beyondOf(reference, metric));
  return pair(candidate[metric], reference[metric], beyond);
}

/** The arms' quieter windows against each other (see docs/adr/0005 and 0013): what disturbs one from outside only makes it slower. */
function typicalValue(metric: LatencyMetric, { arms, slices }: ScenarioRound): Value {
  // A round with a pair that stayed void does not count: fewer pairs would be another, noisier estimate.
  if (arms.candidate.pooled === null || arms.reference?.pooled === null) return null;
  if (arms.reference === null) {
    const candidate = quietValue(
      metric,
      slices.filter((slice) => slice.void === null),
    );
    return candidate === null ? null : alone(candidate.value, candidate.beyond);
  }
  const pairs = validPairs(slices).filter(
    (both) => both.candidate.latency !== null && both.reference.latency !== null,
  );
  const [candidate, reference] = [
    quietValue(
      metric,
      pairs.map((both) => both.candidate),
    ),
    quietValue(
      metric,
      pairs.map((both) => both.reference),
    ),
  ];
  if (candidate === null || reference === null) return null;
  return pair(candidate.value, reference.value, Math.min(candidate.beyond, reference.beyond));
}

/**
 * The typical value of an arm's slices: the geometric mean over the quieter half of their windows. `beyond`: requests beyond the quantile
 * in the windows that it rests on. Null where nothing was answered.
 */
export function quietValue(
  metric: LatencyMetric,
  slices: readonly Slice[],
): { value: number; beyond: number } | null {
  const windows = slices.flatMap((slice) => windowsOf(slice, metric));
  if (windows.length === 0) return null;
  const count = Math.ceil(windows.length / 2);
  const logs = windows.map(({ value }) => Math.log(value));
  return {
    value: Math.exp(lowerMean(logs, count)),
    beyond: count * Math.min(...windows.map(({ beyond }) => beyond)),
  };
}

/** A slice without windows is one, and so is every slice for a quantile that windows hold too few requests for. */
function windowsOf(
  { latency, windows }: Slice,
  metric: LatencyMetric,
): { value: number; beyond: number }[] {
  const q = METRIC_FACTS[metric].quantile ?? 1;
  if (windows !== undefined && metric !== "p999" && metric !== "max") {
    return windows.map((window) => ({
      value: window[metric],
      beyond: requestsBeyond(window.requests, q),
    }));
  }
  return latency === null
    ? []
    : [{ value: latency[metric], beyond: requestsBeyond(latency.requests, q) }];
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

function pair(candidate: number, reference: number, beyond: number | null): Value {
  if (!(candidate > 0) || !(reference > 0)) return "zero";
  return { candidate, reference, d: Math.log(candidate / reference), beyond };
}

function alone(candidate: number, beyond: number | null): Value {
  if (!(candidate > 0)) return "zero";
  return { candidate, reference: Number.NaN, d: Number.NaN, beyond };
}

function beyondOf(latency: Latency, metric: LatencyMetric): number {
  return requestsBeyond(latency.requests, METRIC_FACTS[metric].quantile ?? 1);
}
