// What the host did during a slice, and which slices and windows were calm. Discards nothing; blind
// to arm and latency.
import type { DisturbanceRule, Slice, Window } from "../model/samples.ts";

/** A healthy oha lags by 0.9 to 1.7 ms at its p99, as its timers tick in milliseconds. */
const MAX_LAG_US = 4_000;
/** Of fewer requests the p99 is the largest value, which has a limit of its own. */
const LEAST_FOR_P99 = 100;
/** A stop of the generator; the requests that it delays are released as a burst. */
const MAX_STOP_US = 20_000;
/**
 * Of the measured CPUs' time, known to 1 %. In 360 slices foreign time of 5 to 10 % made a p99 of
 * 0.5 ms two to three times as long, and below 3 % not longer.
 */
const MAX_STEAL_SHARE = 0.05;
const MAX_FOREIGN_SHARE = 0.05;
/** docs/adr/0038. */
const MAX_SLOWED_SHARE = 0.02;

/** What was seen and what is still calm: shares of CPU time, throttlings, or µs of lag. */
export interface Disturbance {
  rule: DisturbanceRule;
  seen: number;
  allowed: number;
}

type HostSeen = Pick<Slice, "scheduled" | "dropped" | "lag" | "oversleptUs" | "host">;

/** Of the slice as a whole, most telling first: a CPU that was taken explains a late generator. */
export function disturbancesOf(slice: HostSeen): Disturbance[] {
  return [...ofCpu(slice), ...ofLag(slice)];
}

export function isDisturbed(slice: HostSeen): boolean {
  return disturbancesOf(slice).length > 0;
}

/** Discarded because the host kept the generator from sending: another minute may not. */
export function isHostsLoss(slice: Slice): boolean {
  return slice.void?.rule === "incomplete" && ofCpu(slice).length > 0;
}

/**
 * Which windows were calm, or the slice if it is not cut. CPU loss is known for the whole slice
 * only, lag and slow CPUs for each window.
 */
export function calmWindows(slice: HostSeen & Pick<Slice, "windows">): boolean[] {
  const { windows } = slice;
  if (windows === undefined) return [!isDisturbed(slice)];
  const hadCpu = ofCpu(slice).every(({ rule }) => rule === "slow-cpu");
  // Where the lag of a window is not known, that of the slice stands for it.
  const wasPunctual = ofLag(slice).length === 0;
  return windows.map((window) => {
    const isPunctual = window.lagMax === undefined ? wasPunctual : window.lagMax <= MAX_LAG_US;
    return hadCpu && isPunctual && hadItsSpeed(window);
  });
}

/** No CPU was slow meanwhile, as far as it is known. */
export const hadItsSpeed = ({ slowed = 0 }: Pick<Window, "slowed">): boolean =>
  slowed <= MAX_SLOWED_SHARE;

function ofCpu({ host }: HostSeen): Disturbance[] {
  const limits: Disturbance[] = [
    { rule: "throttled", seen: host.throttled, allowed: 0 },
    { rule: "steal", seen: host.steal, allowed: MAX_STEAL_SHARE },
    { rule: "slow-cpu", seen: host.slowed ?? 0, allowed: MAX_SLOWED_SHARE },
    { rule: "foreign-cpu", seen: host.foreign, allowed: MAX_FOREIGN_SHARE },
  ];
  return limits.filter(({ seen, allowed }) => seen > allowed);
}

function ofLag({ scheduled, dropped, lag, oversleptUs = 0 }: HostSeen): Disturbance[] {
  if (lag === null) {
    return oversleptUs > MAX_STOP_US
      ? [{ rule: "lag", seen: oversleptUs, allowed: MAX_STOP_US }]
      : [];
  }
  const hasP99 = scheduled - dropped >= LEAST_FOR_P99;
  if (hasP99 && lag.p99 > MAX_LAG_US) return [{ rule: "lag", seen: lag.p99, allowed: MAX_LAG_US }];
  return lag.max > MAX_STOP_US ? [{ rule: "lag", seen: lag.max, allowed: MAX_STOP_US }] : [];
}

/** One line for a person: what was seen against what is allowed. */
export function describeDisturbance({ rule, seen, allowed }: Disturbance): string {
  switch (rule) {
    case "steal":
      return `the hypervisor took the measured CPUs for ${percent(seen)} of the time, ${percent(allowed)} allowed`;
    case "slow-cpu":
      return `the measured CPUs were slow, which cost ${(seen * 100).toFixed(1)} % of the time, ${percent(allowed)} allowed`;
    case "foreign-cpu":
      return `other processes used the measured CPUs for ${percent(seen)} of the time, ${percent(allowed)} allowed`;
    case "throttled":
      return `the control group's CPU quota stopped it ${seen} times`;
    case "lag":
      return `the generator released requests up to ${ms(seen)} late, ${ms(allowed)} allowed`;
  }
}

function ms(us: number): string {
  return `${(us / 1000).toFixed(1)} ms`;
}

export function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`;
}
