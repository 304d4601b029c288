// Rounds as a hypothesis' series: one log ratio for each round that counts.
import type { Quantile, ServiceMetric } from "../model/metric.ts";
import { isLatencyMetric, METRIC_FACTS } from "../model/metric.ts";
import {
  ARMS,
  type Arm,
  type Latency,
  type Round,
  type ScenarioRound,
  type Slice,
} from "../model/samples.ts";
import { calmWindows, isDisturbed } from "../slice/disturbance.ts";
import { lowerMean } from "../stats/lower-mean.ts";
import { requestsBeyond } from "../stats/quantile.ts";
import type { Hypothesis } from "./hypotheses.ts";
import { geometricMean, slowestOfWindows } from "./slow.ts";

export interface RoundValue {
  round: number;
  /** In the metric's unit. */
  candidate: number;
  /** NaN when the candidate is measured alone. */
  reference: number;
  /** Natural log of candidate / reference; NaN when the candidate is measured alone. */
  d: number;
  /** Fewest requests beyond the quantile in an arm; null for launch metrics. */
  beyond: number | null;
  /**
   * The host was quiet in both arms; always so for launch metrics. A noisy value proves no pass,
   * and is never left out.
   */
  calm: boolean;
}

export interface Series {
  /** In round order. A round that failed, or whose slices stayed void, contributes nothing. */
  values: RoundValue[];
  /**
   * Rounds in which an arm's value was 0 or below, so that there is no ratio. The rest alone would
   * be a biased selection.
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

/** The calm values alone, for comparison with another day, where noise falls on one side. */
export function calmPart({ values, zeros, beforeZero }: Series): Series {
  const calm = (some: readonly RoundValue[]): RoundValue[] => some.filter((value) => value.calm);
  return { values: calm(values), zeros, beforeZero: calm(values.slice(0, beforeZero)).length };
}

/** Null: the round has no value. */
type Value = Omit<RoundValue, "round"> | "zero" | null;

function launchValue(metric: ServiceMetric, round: Round): Value {
  if (round.failure !== null || round.launches === null) return null;
  const candidate = round.launches.candidate.values[metric];
  if (candidate === undefined) return null;
  const restsOn = { beyond: null, calm: true };
  if (round.launches.reference === null) return alone(candidate, restsOn);
  const reference = round.launches.reference.values[metric];
  return reference === undefined ? null : pair(candidate, reference, restsOn);
}

function scenarioValue(hypothesis: Hypothesis, round: Round): Value {
  const metric = hypothesis.policy.metric;
  if (!isLatencyMetric(metric)) return null;
  const scenario = round.scenarios.find((entry) => entry.scenario === hypothesis.scenario);
  if (scenario === undefined) return null;
  if (metric === "slow") return slowestValue(scenario);
  return hypothesis.policy.estimator === "typical"
    ? typicalValue(metric, scenario)
    : pooledValue(metric, scenario);
}

function pooledValue(metric: Quantile, entry: ScenarioRound): Value {
  const candidate = entry.arms.candidate.pooled;
  if (candidate === null) return null;
  const calm = !countedSlices(entry).flat().some(isDisturbed);
  if (entry.arms.reference === null) {
    return alone(candidate[metric], { beyond: beyondOf(candidate, metric), calm });
  }
  const reference = entry.arms.reference.pooled;
  if (reference === null) return null;
  const beyond = Math.min(beyondOf(candidate, metric), beyondOf(reference, metric));
  return pair(candidate[metric], reference[metric], { beyond, calm });
}

/** The arms' quieter windows (docs/adr/0013): outside disturbance only makes a window slower. */
function typicalValue(metric: Quantile, entry: ScenarioRound): Value {
  // Fewer pairs would be another, noisier estimate.
  if (entry.arms.candidate.pooled === null || entry.arms.reference?.pooled === null) return null;
  const { arms, calm } = quietValues(
    metric,
    countedSlices(entry).map((own) => own.filter(({ latency }) => latency !== null)),
  );
  const [candidate, reference] = arms;
  if (!candidate) return null;
  if (entry.arms.reference === null) {
    return alone(candidate.value, { beyond: candidate.beyond, calm });
  }
  if (!reference) return null;
  const beyond = Math.min(candidate.beyond, reference.beyond);
  return pair(candidate.value, reference.value, { beyond, calm });
}

/** Of the candidate, and of the reference where there is one: of pairs that count as a whole. */
function countedSlices({ arms, slices }: ScenarioRound): Slice[][] {
  if (arms.reference === null) return [slices.filter((slice) => slice.void === null)];
  const pairs = validPairs(slices);
  return ARMS.map((arm) => pairs.map((both) => both[arm]));
}

interface Quiet {
  value: number;
  beyond: number;
}

/** The slowest answers of the calm windows, none left out for being slow. */
function slowestValue(entry: ScenarioRound): Value {
  if (entry.arms.candidate.pooled === null || entry.arms.reference?.pooled === null) return null;
  const { used, calm } = calmOf(
    countedSlices(entry).map((slices) => slices.flatMap(slowestOfWindows)),
  );
  const restsOn = { beyond: null, calm };
  const [candidate = null, reference = null] = used.map(geometricMean);
  if (candidate === null) return null;
  if (entry.arms.reference === null) return alone(candidate, restsOn);
  return reference === null ? null : pair(candidate, reference, restsOn);
}

/** The geometric mean over the quieter half of each arm's calm windows; null: nothing answered. */
function quietValues(
  metric: Quantile,
  arms: readonly (readonly Slice[])[],
): { arms: (Quiet | null)[]; calm: boolean } {
  const { used, calm } = calmOf(
    arms.map((slices) => slices.flatMap((slice) => windowsOf(slice, metric))),
  );
  return { arms: used.map(quieterHalf), calm };
}

/** The calm windows if in every arm half of them are calm, else all; the host alone decides. */
function calmOf<W extends { calm: boolean }>(
  arms: readonly (readonly W[])[],
): { used: (readonly W[])[]; calm: boolean } {
  const calm = arms.every((own) => 2 * own.filter((one) => one.calm).length >= own.length);
  return { used: arms.map((own) => (calm ? own.filter((one) => one.calm) : own)), calm };
}

/** The typical value of slices of one arm; null where nothing was answered. */
export function quietValue(metric: Quantile, slices: readonly Slice[]): Quiet | null {
  return quietValues(metric, [slices]).arms[0] ?? null;
}

interface WindowValue extends Quiet {
  calm: boolean;
}

function quieterHalf(windows: readonly WindowValue[]): Quiet | null {
  if (windows.length === 0) return null;
  const count = Math.ceil(windows.length / 2);
  const logs = windows.map(({ value }) => Math.log(value));
  return {
    value: Math.exp(lowerMean(logs, count)),
    beyond: count * Math.min(...windows.map(({ beyond }) => beyond)),
  };
}

/** A slice without windows is one, as is any slice for a quantile beyond what windows hold. */
function windowsOf(slice: Slice, metric: Quantile): WindowValue[] {
  const { latency, windows } = slice;
  const q = METRIC_FACTS[metric].quantile ?? 1;
  if (windows !== undefined && metric !== "p999" && metric !== "max") {
    const calm = calmWindows(slice);
    return windows.map((window, k) => ({
      value: window[metric],
      beyond: requestsBeyond(window.requests, q),
      calm: calm[k] ?? false,
    }));
  }
  if (latency === null) return [];
  const beyond = requestsBeyond(latency.requests, q);
  return [{ value: latency[metric], beyond, calm: !isDisturbed(slice) }];
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

type RestsOn = Pick<RoundValue, "beyond" | "calm">;

function pair(candidate: number, reference: number, restsOn: RestsOn): Value {
  if (!(candidate > 0) || !(reference > 0)) return "zero";
  return { candidate, reference, d: Math.log(candidate / reference), ...restsOn };
}

function alone(candidate: number, restsOn: RestsOn): Value {
  if (!(candidate > 0)) return "zero";
  return { candidate, reference: Number.NaN, d: Number.NaN, ...restsOn };
}

function beyondOf(latency: Latency, metric: Quantile): number {
  return requestsBeyond(latency.requests, METRIC_FACTS[metric].quantile ?? 1);
}
