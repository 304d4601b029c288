// Rare and slow answers, which neither a p99 nor the quieter half of windows sees. See
// docs/adr/0019.
import type { Slice, Window } from "../model/samples.ts";
import { calmWindows, isDisturbed } from "../slice/disturbance.ts";
import { meanBettorOn, meanInterval, steadyMean } from "../stats/bounded-bets.ts";
import { detectableEffect, POWER_DEVIATIONS } from "../stats/detectable-effect.ts";
import { type Decision, INTERVAL_LEVEL, type Method, type Rule, SYMMETRIC } from "./decide.ts";
import type { Hypothesis } from "./hypotheses.ts";

export interface Slowest {
  us: number;
  calm: boolean;
  /** Whose slowest it is. */
  window: Window;
}

/** The slowest answer of each window in order; a slice without windows is one. */
export function slowestOfWindows(slice: Slice): Slowest[] {
  const { latency, windows } = slice;
  if (windows?.every(({ max }) => max !== undefined)) {
    const calm = calmWindows(slice);
    return windows.map((window, k) => ({ us: window.max ?? 0, calm: calm[k] === true, window }));
  }
  if (latency === null) return [];
  const window = { ...latency, slowed: slice.host.slowed };
  return [{ us: latency.max, calm: !isDisturbed(slice), window }];
}

/** Null without any. A stop of the host is in few windows and moves it little. */
export function geometricMean(slowest: readonly Pick<Slowest, "us">[]): number | null {
  if (slowest.length === 0) return null;
  return Math.exp(slowest.reduce((sum, { us }) => sum + Math.log(us), 0) / slowest.length);
}

/**
 * The mean, each weighted by its size: the larger count most, none is left out, and the mean of
 * ratios that are symmetric about centres within ±x lies within ±x times their number, since it
 * changes by no more than that when each changes by x. It changes its sign with them. 0 of zeros.
 */
export function weightedBySize(d: readonly number[]): number {
  const size = d.reduce((sum, one) => sum + Math.abs(one), 0);
  return size === 0 ? 0 : d.reduce((sum, one) => sum + one * Math.abs(one), 0) / size;
}

type Width = Pick<Rule, "margin" | "scale">;

/** A round further out counts as this many margins, so that no single stop counts for more. */
const CLIP = 3;

/** For log ratios of any shape: their centre is the mean, each counted as `clip` margins at most. */
function boundedMean({ margin, scale = Math.log1p(margin) }: Width, clip: number): Method {
  const most = clip * scale;
  const share = (value: number): number => {
    if (!Number.isFinite(value)) throw new RangeError(`not a finite value: ${value}`);
    return Math.max(-1, Math.min(1, value / most));
  };
  return {
    bettor: ({ bound, direction }) => {
      const bettor = meanBettorOn({ bound: share(bound), direction });
      return {
        take: (value) => bettor.take(share(value)),
        get wealth() {
          return bettor.wealth;
        },
      };
    },
    estimate: (values) =>
      (most * values.reduce((sum, value) => sum + share(value), 0)) / values.length,
    interval: (values) => {
      const { low, high, level } = meanInterval(values.map(share), INTERVAL_LEVEL);
      return { low: most * low, high: most * high, level };
    },
    detectable: (precision) => {
      const { sd, rounds, tolerance, wealth } = precision;
      // However steady a change is, a bet at most doubles the wealth in a round.
      const bet = { bound: share(Math.log1p(tolerance)), direction: "+" } as const;
      const steady = most * steadyMean(bet, wealth, rounds);
      const change = Math.expm1(steady + (POWER_DEVIATIONS * sd) / Math.sqrt(rounds));
      return Math.max(detectableEffect(precision), change);
    },
  };
}

/**
 * The mean with no round clipped, where the interval shows a change and this is the larger; null: no
 * clip hides any of it.
 */
export function beyondClip(
  values: readonly number[],
  { estimate, interval: { low, high } }: Pick<Decision, "estimate" | "interval">,
): number | null {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const isBeyond = (low > 0 && mean > estimate) || (high < 0 && mean < estimate);
  return isBeyond && Math.abs(mean - estimate) > ROUNDING ? mean : null;
}

/** Sums in another order differ by less. */
const ROUNDING = 1e-9;

export function methodOf(
  {
    policy,
    clip = CLIP,
  }: { policy: Pick<Hypothesis["policy"], "estimator"> } & Pick<Hypothesis, "clip">,
  rule: Width,
): Method {
  return policy.estimator === "windows" ? boundedMean(rule, clip) : SYMMETRIC;
}
