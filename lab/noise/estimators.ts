// Ways to make one log ratio of a round out of its slice pairs, to be compared on the same rounds.
// All take pairs of slices as they are in a samples file and turn into their negative when the arms
// are swapped. Which one the gate uses: src/core/verdict/series.ts.
import type { Latency, Slice } from "../../src/core/model/samples.ts";
import { median } from "../../src/core/stats/dispersion.ts";
import { hodgesLehmann } from "../../src/core/stats/hodges-lehmann.ts";
import { lowerMean } from "../../src/core/stats/lower-mean.ts";

/** A slice that counts. */
export type MeasuredSlice = Slice & { latency: Latency };
export interface MeasuredPair {
  candidate: MeasuredSlice;
  reference: MeasuredSlice;
}
/** A round's log ratio from its slice pairs. */
export type Estimator = (pairs: readonly MeasuredPair[]) => number;
/** Share of requests beyond, and latency. */
type Point = readonly [number, number];

export const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;
const ascending = (values: readonly number[]): number[] => values.toSorted((a, b) => a - b);
const p99 = ({ latency }: MeasuredSlice): number => Math.log(latency.p99);

/** Mean of the lower share of the values: 0.5 is what the gate uses of up to eight slices. */
export const lowerShare = (values: readonly number[], share: number): number =>
  lowerMean(values, Math.ceil(values.length * share));

/**
 * −ln(mean of x^−k)/k of the values whose logs these are: slow slices fade out, the more the larger
 * k, and none is cut off.
 */
export function softLower(logs: readonly number[], k: number): number {
  const least = Math.min(...logs);
  return least - Math.log(mean(logs.map((log) => Math.exp(-k * (log - least))))) / k;
}

/** Each value beyond the share-th from either end counts as that one. */
function winsorisedMean(values: readonly number[], share: number): number {
  const sorted = ascending(values);
  const cut = Math.floor(sorted.length * share);
  const [low, high] = [sorted[cut] as number, sorted[sorted.length - 1 - cut] as number];
  return mean(sorted.map((value) => Math.min(high, Math.max(low, value))));
}

/**
 * The p99 of all requests of some slices, each known by its quantiles only: ln latency is taken as
 * linear in ln(1 − p) between them.
 */
function pooledP99(slices: readonly MeasuredSlice[]): number {
  const share = (latency: Latency, x: number): number => {
    const levels: readonly Point[] = [
      [0.5, latency.p50],
      [0.1, latency.p90],
      [0.05, latency.p95],
      [0.01, latency.p99],
      [0.001, latency.p999],
      [0.5 / latency.requests, latency.max],
    ];
    let [x0, y0] = [Math.log(latency.p50), Math.log(0.5)];
    if (x <= x0) return 0.5;
    for (const [beyond, us] of levels.slice(1)) {
      const [x1, y1] = [Math.log(us), Math.log(beyond)];
      if (x <= x1) return Math.exp(x1 === x0 ? y1 : y0 + ((x - x0) / (x1 - x0)) * (y1 - y0));
      [x0, y0] = [x1, y1];
    }
    return 0;
  };
  let low = Math.min(...slices.map(({ latency }) => Math.log(latency.p50)));
  let high = Math.max(...slices.map(({ latency }) => Math.log(latency.max)));
  for (let step = 0; step < 40; step++) {
    const middle = (low + high) / 2;
    if (mean(slices.map(({ latency }) => share(latency, middle))) > 0.01) low = middle;
    else high = middle;
  }
  return high;
}

const byArm =
  (of: (slices: readonly MeasuredSlice[]) => number): Estimator =>
  (pairs) =>
    of(pairs.map((pair) => pair.candidate)) - of(pairs.map((pair) => pair.reference));
const byPair =
  (of: (logRatios: number[]) => number): Estimator =>
  (pairs) =>
    of(pairs.map(({ candidate, reference }) => p99(candidate) - p99(reference)));

/** The half of an arm's slices that comes first by `key`. */
const firstHalf = <T>(slices: readonly T[], key: (slice: T) => number): T[] =>
  [...slices].sort((a, b) => key(a) - key(b)).slice(0, Math.ceil(slices.length / 2));

/** The half of the pairs that comes first by `key`, which sees both arms alike. */
const pairsByKey =
  (key: (pair: MeasuredPair) => number): Estimator =>
  (pairs) =>
    mean(firstHalf(pairs, key).map(({ candidate, reference }) => p99(candidate) - p99(reference)));

/** What the host did during a slice, in one number; about 1 where it did what it may. */
const disturbance = ({ lag, host }: MeasuredSlice): number =>
  Math.max((lag?.p99 ?? 0) / 2000, host.steal / 0.01, host.foreign / 0.03);
const weighted = (slices: readonly MeasuredSlice[]): number => {
  const weightOf = (slice: MeasuredSlice): number => 1 / (1 + disturbance(slice) ** 2);
  const sum = slices.reduce((total, slice) => total + weightOf(slice) * p99(slice), 0);
  return sum / slices.reduce((total, slice) => total + weightOf(slice), 0);
};

/** What the gate uses. */
export const TODAY: Estimator = byArm((slices) => lowerShare(slices.map(p99), 0.5));

/** Names as in docs/adr/0010. */
export const ESTIMATORS: Readonly<Record<string, Estimator>> = {
  "quieter half": TODAY,
  "quieter quarter": byArm((slices) => lowerShare(slices.map(p99), 0.25)),
  "quieter third": byArm((slices) => lowerShare(slices.map(p99), 1 / 3)),
  "quieter 5/8": byArm((slices) => lowerShare(slices.map(p99), 0.625)),
  "quieter 3/4": byArm((slices) => lowerShare(slices.map(p99), 0.75)),
  quietest: byArm((slices) => Math.min(...slices.map(p99))),
  mean: byArm((slices) => mean(slices.map(p99))),
  "median against median": byArm((slices) => median(slices.map(p99))),
  "power mean -1": byArm((slices) => softLower(slices.map(p99), 1)),
  "power mean -2": byArm((slices) => softLower(slices.map(p99), 2)),
  "power mean -4": byArm((slices) => softLower(slices.map(p99), 4)),
  "power mean -8": byArm((slices) => softLower(slices.map(p99), 8)),
  "median of pairs": byPair(median),
  "Hodges-Lehmann of pairs": byPair(hodgesLehmann),
  "winsorised mean of pairs": byPair((values) => winsorisedMean(values, 0.25)),
  "quieter pairs, by their sum": pairsByKey((p) => p99(p.candidate) + p99(p.reference)),
  "quieter pairs, by the slower": pairsByKey((p) => Math.max(p99(p.candidate), p99(p.reference))),
  "pooled, all": byArm(pooledP99),
  "pooled, quieter half": byArm((slices) => pooledP99(firstHalf(slices, p99))),
  "half of least lag": byArm((slices) =>
    mean(firstHalf(slices, ({ lag }) => lag?.p99 ?? 0).map(p99)),
  ),
  "half of least disturbance": byArm((slices) => mean(firstHalf(slices, disturbance).map(p99))),
  "weighted by disturbance": byArm(weighted),
  "quieter half of the undisturbed": byArm((slices) => {
    const undisturbed = slices.filter((slice) => disturbance(slice) <= 1);
    const kept = undisturbed.length * 2 >= slices.length ? undisturbed : slices;
    return lowerShare(kept.map(p99), 0.5);
  }),
};
