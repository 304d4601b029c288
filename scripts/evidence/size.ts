// How much delay makes p99 a wanted fraction longer. Requests queue behind a delayed one, so that no formula says it: it is measured.
import type { StoredRun } from "./runs.ts";

/** One measured plant: delay on every request, and the log ratio of p99 that came of it. */
export interface Observed {
  latencyUs: number;
  logRatio: number;
  /** Rounds behind it. */
  rounds: number;
}

/** Fewer rounds than this are no measurement of a size. */
export const FIT_ROUNDS = 8;

/**
 * The delay for a wanted effect (a fraction), by a line through what delays came to: least squares, weighted by rounds, neither part
 * negative. The line need not begin at nothing: planting itself takes time. Where slowing was to more than twice the time, queues have
 * grown faster than the delay: that is an upper bound of the steepness, which keeps small plants, whose slowing is little more than
 * noise, from being taken for large ones. Null without observations or when they show no slowing at all.
 */
export function sizeFor(effect: number, observed: readonly Observed[]): number | null {
  const near = observed.filter(isNear);
  const { slope: fitted, start } = lineThrough(near);
  const atMost = observed
    .filter((one) => !isNear(one))
    .map(({ latencyUs, logRatio }) => Math.expm1(logRatio) / latencyUs);
  const slope = Math.min(...(near.length > 0 ? [fitted] : []), ...atMost);
  if (!(slope > 0 && Number.isFinite(slope))) return null;
  return Math.max(1, Math.round((effect - start) / slope));
}

const isNear = ({ logRatio }: Observed): boolean => logRatio <= Math.LN2;

/** Slowing as a fraction: `start + slope * latencyUs`. Of one delay alone, or of a line that would start below nothing: from nothing. */
function lineThrough(observed: readonly Observed[]): { slope: number; start: number } {
  const sum = (of: (x: number, y: number) => number): number =>
    observed.reduce(
      (total, { latencyUs, logRatio, rounds }) =>
        total + rounds * of(latencyUs, Math.expm1(logRatio)),
      0,
    );
  const n = sum(() => 1);
  const x = sum((x) => x) / n;
  const y = sum((_, y) => y) / n;
  const slope = sum((a, b) => (a - x) * (b - y)) / sum((a) => (a - x) ** 2);
  const start = y - slope * x;
  if (slope > 0 && start > 0) return { slope, start };
  return { slope: sum((a, b) => a * b) / sum((a) => a * a), start: 0 };
}

/**
 * What to try next: that fraction of the level at first; then what the latest one says, but no more than three times as much or as little, since
 * far away the line does not hold.
 */
export function nextTrial(effect: number, levelUs: number, latest: Observed | null): number {
  if (latest === null) return Math.max(1, Math.round(effect * levelUs));
  const wanted = effect / Math.max(Math.expm1(latest.logRatio), 0.01);
  return Math.max(1, Math.round(latest.latencyUs * Math.min(3, Math.max(1 / 3, wanted))));
}

/** The delay that a plant asks for on every request; null: it is another kind of fault. */
export function latencyOf(faults: string): number | null {
  const found = /(?:^|,)latency_us=(\d+)$/.exec(faults);
  return found === null ? null : Number(found[1]);
}

/** What runs with a planted delay have shown of one service, by the estimate over their first rounds, so that no stopping rule is in it. */
export function observationsOf(
  runs: readonly StoredRun[],
  service: string,
  estimateOf: (run: StoredRun, hypothesis: string) => { logRatio: number; rounds: number } | null,
): Observed[] {
  return runs.flatMap((run) =>
    run.plants.flatMap((plant) => {
      const latencyUs = plant.service === service ? latencyOf(plant.faults) : null;
      const [hypothesis] = plant.finds;
      if (latencyUs === null || hypothesis === undefined) return [];
      const estimate = estimateOf(run, hypothesis);
      return estimate === null ? [] : [{ latencyUs, ...estimate }];
    }),
  );
}
