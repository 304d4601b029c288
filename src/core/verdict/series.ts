// Rounds as a hypothesis' series: one log ratio for each round that counts.
import type { Quantile, ServiceMetric } from "../model/metric.ts";
import { isLatencyMetric, METRIC_FACTS } from "../model/metric.ts";
import {
  ARMS,
  type Arm,
  type Latency,
  type Launch,
  memoryOf,
  type Round,
  type ScenarioRound,
  type Slice,
} from "../model/samples.ts";
import { calmWindows, hadItsSpeed, isDisturbed } from "../slice/disturbance.ts";
import { lowerMean } from "../stats/dispersion.ts";
import { requestsBeyond } from "../stats/quantile.ts";
import { type Hypothesis, limitOf } from "./hypotheses.ts";
import { geometricMean, slowestOfWindows, weightedBySize } from "./slow.ts";

export interface RoundValue {
  round: number;
  /** In the metric's unit. */
  candidate: number;
  /** Or the limit that stands in its place. NaN when the candidate is measured alone. */
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
  /** Memory is PSS, since an arm has several processes. Absent: RSS, or another metric. */
  isPss?: true;
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
export const seriesOf = (hypothesis: Hypothesis, rounds: readonly Round[]): RoundValue[] =>
  readSeries(hypothesis, rounds).values;

export function readSeries(hypothesis: Hypothesis, rounds: readonly Round[]): Series {
  const series: Series = { values: [], zeros: 0, beforeZero: 0 };
  for (const round of rounds) {
    if (round.service !== hypothesis.service) continue;
    const value = valueIn(hypothesis, round);
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

/** An arm's value of a round; `beyond` as in RoundValue. */
interface ArmValue {
  value: number;
  beyond: number | null;
}

function plain(value: number | null | undefined): ArmValue | null {
  return value == null ? null : { value, beyond: null };
}

/** A value of 0 is below any limit, and has no logarithm: this share of the limit stands for it. */
const LEAST = 1e-9;

/** Of the candidate and, where one was measured, the reference; null: an arm has no value. */
function join(
  limit: number | undefined,
  [candidate = null, measured]: readonly (ArmValue | null)[],
  calm: boolean,
): Value {
  const reference = limit === undefined ? measured : plain(limit);
  if (candidate === null || reference === null) return null;
  const value = Math.max(candidate.value, LEAST * (limit ?? 0));
  if (!(value > 0) || (reference !== undefined && !(reference.value > 0))) return "zero";
  const of = reference?.value ?? Number.NaN;
  const least = Math.min(candidate.beyond ?? 0, reference?.beyond ?? Number.POSITIVE_INFINITY);
  const beyond = candidate.beyond === null ? null : least;
  return { candidate: value, reference: of, d: Math.log(value / of), beyond, calm };
}

/** One entry for each arm that was measured. */
function armsOf<T>({
  candidate,
  reference,
}: Record<"candidate", T> & Record<"reference", T | null>) {
  return reference === null ? [candidate] : [candidate, reference];
}

function valueIn(hypothesis: Hypothesis, round: Round): Value {
  const { among, scenario } = hypothesis;
  if (among !== undefined) return amongValue(hypothesis, among, round);
  return scenario === null ? launchValue(hypothesis, round) : scenarioValue(hypothesis, round);
}

/**
 * Values are those of the scenario that moved most. A round without one of them says nothing: fewer
 * would be another quantity, and which are there must not depend on what they showed.
 */
function amongValue(hypothesis: Hypothesis, among: readonly string[], round: Round): Value {
  const own: Exclude<Value, "zero" | null>[] = [];
  for (const scenario of among) {
    const value = scenarioValue({ ...hypothesis, scenario }, round);
    if (value === "zero" || value === null) return value;
    own.push(value);
  }
  const [most] = own.toSorted((a, b) => Math.abs(b.d) - Math.abs(a.d));
  if (most === undefined) return null;
  const calm = own.every((one) => one.calm);
  return { ...most, d: weightedBySize(own.map(({ d }) => d)), calm };
}

function launchValue(hypothesis: Hypothesis, round: Round): Value {
  const metric = hypothesis.policy.metric as ServiceMetric;
  const { failure, launches } = round;
  if (failure !== null || launches === null) return null;
  const isPss = metric === "rss" && memoryOf(round) === "pss";
  const value = join(
    limitOf(hypothesis),
    armsOf<Launch>(launches).map((launch) => plain(launch.values[isPss ? "pss" : metric])),
    true,
  );
  return isPss && typeof value === "object" && value !== null ? { ...value, isPss } : value;
}

function scenarioValue(hypothesis: Hypothesis, round: Round): Value {
  const { scenario, policy } = hypothesis;
  const { metric, estimator } = policy;
  const limit = limitOf(hypothesis);
  const entry = round.scenarios.find((one) => one.scenario === scenario);
  if (!isLatencyMetric(metric) || entry === undefined) return null;
  const pooled = armsOf(entry.arms).map((arm) => arm.pooled);
  // Fewer pairs would be another, noisier estimate.
  if (pooled.includes(null)) return null;
  const slices = countedSlices(entry);
  if (metric === "slow") {
    const { used, calm } = slowestOf(entry);
    const slowest = used.map((own) => plain(geometricMean(own)));
    return join(limit, slowest, calm);
  }
  if (estimator === "typical") {
    const { arms, calm } = quietValues(metric, slices);
    return join(limit, arms, calm);
  }
  return join(
    limit,
    pooled.map((latency) => latency && quantileOf(latency, metric)),
    !slices.flat().some(isDisturbed),
  );
}

/** Of the candidate, and of the reference where there is one: of pairs that count as a whole. */
function countedSlices({ arms, slices }: ScenarioRound): Slice[][] {
  if (arms.reference === null) return [slices.filter((slice) => slice.void === null)];
  const pairs = validPairs(slices);
  return ARMS.map((arm) => pairs.map((both) => both[arm]));
}

/**
 * Of each arm's windows that a round's value is of; none is left out for being slow. Without half of
 * them calm, all but those of slow CPUs, if each arm has another.
 */
export function slowestOf(entry: ScenarioRound) {
  const arms = countedSlices(entry).map((own) => own.flatMap(slowestOfWindows));
  const atSpeed = arms.map((own) => own.filter(({ window }) => hadItsSpeed(window)));
  const { used, calm } = calmOf(arms);
  return { used: calm || atSpeed.some(({ length }) => length === 0) ? used : atSpeed, calm };
}

interface Quiet {
  value: number;
  beyond: number;
}

/** The geometric mean over the quieter half of each arm's calm windows; null: nothing answered. */
function quietValues(metric: Quantile, arms: readonly (readonly Slice[])[]) {
  const { used, calm } = calmOf(
    arms.map((slices) => slices.flatMap((slice) => windowsOf(slice, metric))),
  );
  return { arms: used.map(quieterHalf), calm };
}

/** The calm windows if in every arm half of them are calm, else all; the host alone decides. */
function calmOf<W extends { calm: boolean }>(arms: readonly (readonly W[])[]) {
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
  const beyond = count * Math.min(...windows.map(({ beyond }) => beyond));
  return { value: Math.exp(lowerMean(logs, count)), beyond };
}

/** A slice without windows is one, as is any slice for a quantile beyond what windows hold. */
function windowsOf(slice: Slice, metric: Quantile): WindowValue[] {
  const { latency, windows } = slice;
  if (windows !== undefined && metric !== "p999" && metric !== "max") {
    const calm = calmWindows(slice);
    const q = METRIC_FACTS[metric].quantile ?? 1;
    return windows.map((window, k) => ({
      value: window[metric],
      beyond: requestsBeyond(window.requests, q),
      calm: calm[k] === true,
    }));
  }
  return latency === null ? [] : [{ ...quantileOf(latency, metric), calm: !isDisturbed(slice) }];
}

/** Pairs of adjacent slices of which both count, in pair order. */
export function validPairs(slices: readonly Slice[]): Record<Arm, Slice>[] {
  const byPair = new Map<string, Partial<Record<Arm, Slice>>>();
  for (const slice of slices) {
    if (slice.void !== null) continue;
    const key = `${slice.pair}.${slice.attempt}`;
    byPair.set(key, { ...byPair.get(key), [slice.arm]: slice });
  }
  return [...byPair.values()].flatMap(({ candidate, reference }) =>
    candidate !== undefined && reference !== undefined ? [{ candidate, reference }] : [],
  );
}

function quantileOf(latency: Pick<Latency, "requests" | Quantile>, metric: Quantile): Quiet {
  const q = METRIC_FACTS[metric].quantile ?? 1;
  return { value: latency[metric], beyond: requestsBeyond(latency.requests, q) };
}
