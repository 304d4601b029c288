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
 * The least whole delay for a wanted effect (a fraction): on the line between its two nearest neighbours among what was measured, where
 * no delay is no effect; past the longest, in proportion to that. No curve is assumed: planting itself takes time, and queues grow
 * faster than a delay. Null without observations or when they show no slowing at all.
 */
export function sizeFor(effect: number, observed: readonly Observed[]): number | null {
  let below: Knot = { latencyUs: 0, slowing: 0, rounds: 0 };
  for (const knot of increasing(observed)) {
    if (knot.slowing >= effect) return between(below, knot, effect);
    below = knot;
  }
  return below.slowing > 0 ? Math.ceil((effect * below.latencyUs) / below.slowing) : null;
}

interface Knot {
  latencyUs: number;
  /** A fraction. */
  slowing: number;
  rounds: number;
}

/** Where the line through both reaches the effect; `above` does. */
function between(below: Knot, above: Knot, effect: number): number {
  const share = (effect - below.slowing) / (above.slowing - below.slowing);
  return Math.max(1, Math.ceil(below.latencyUs + share * (above.latencyUs - below.latencyUs)));
}

/**
 * One knot for each delay, in order of both. A longer delay that seems to come to less is noise, and pooled with the one before it:
 * isotonic regression by pooling adjacent violators (Barlow et al., Statistical Inference under Order Restrictions, 1972).
 */
function increasing(observed: readonly Observed[]): Knot[] {
  const knots: Knot[] = [];
  for (const { latencyUs, logRatio, rounds } of observed.toSorted(byDelay)) {
    let knot: Knot = { latencyUs, slowing: Math.expm1(logRatio), rounds };
    for (let last = knots.at(-1); last && !isBelow(last, knot); last = knots.at(-1)) {
      knots.pop();
      knot = pooled(last, knot);
    }
    knots.push(knot);
  }
  return knots;
}

const byDelay = (a: Observed, b: Observed): number => a.latencyUs - b.latencyUs;

const isBelow = (a: Knot, b: Knot): boolean => a.latencyUs < b.latencyUs && a.slowing < b.slowing;

function pooled(a: Knot, b: Knot): Knot {
  const rounds = a.rounds + b.rounds;
  const mean = (of: (knot: Knot) => number): number =>
    (of(a) * a.rounds + of(b) * b.rounds) / rounds;
  return {
    latencyUs: mean((knot) => knot.latencyUs),
    slowing: mean((knot) => knot.slowing),
    rounds,
  };
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
