// What the host did while a slice ran, from what is recorded of it. It discards nothing: it says
// which slices and windows were calm. Blind to the arm and to latency.
import type { DisturbanceRule, Slice } from "../model/samples.ts";

/**
 * oha's timers tick in milliseconds, so a healthy generator lags by up to 2 ms at its p99 (0.9 to
 * 1.7 ms was measured at 200 to 2,000 requests/s). Twice that is one that was not running when it
 * should have been.
 */
const MAX_LAG_US = 4_000;
/** Of fewer requests the p99 is the largest value, which has a limit of its own. */
const LEAST_FOR_P99 = 100;
/**
 * One stop of the generator's CPU; the requests it delays are released together and load the
 * service as a burst.
 */
const MAX_STOP_US = 20_000;
/**
 * Shares of the measured CPUs' time. Known to 10 ms, which is 1 % of a slice of 500 ms on two CPUs;
 * undisturbed slices came to -1 to +3 %. Over 360 slices of two services that answer in 0.4 and 0.7
 * ms at their p99, foreign time of 5 to 10 % made that p99 1.7 and 3.2 times as long (medians), 10
 * to 15 % 2.9 and 3.5 times, and below 3 % not longer.
 */
const MAX_STEAL_SHARE = 0.05;
const MAX_FOREIGN_SHARE = 0.05;

/**
 * What was seen against what is still calm, in the rule's unit. `steal`, `foreign-cpu`: shares of
 * the measured CPUs' time. `throttled`: how often a quota stopped us. `lag`: microseconds.
 */
export interface Disturbance {
  rule: DisturbanceRule;
  seen: number;
  allowed: number;
}

/** What is known of the host while a slice ran. */
type HostSeen = Pick<Slice, "scheduled" | "dropped" | "lag" | "oversleptUs" | "host">;

/** Of the slice as a whole, most telling first: a CPU that was taken explains a late generator. */
export function disturbancesOf(slice: HostSeen): Disturbance[] {
  return [...ofCpu(slice), ...ofLag(slice)];
}

export function isDisturbed(slice: HostSeen): boolean {
  return disturbancesOf(slice).length > 0;
}

/**
 * Which of its windows were calm, in their order; of a slice that is not cut, itself. Who took the
 * CPU is known for the whole slice, and then spoils all of its windows; how late requests were
 * released is known for each.
 */
export function calmWindows(slice: HostSeen & Pick<Slice, "windows">): boolean[] {
  const { windows } = slice;
  if (windows === undefined) return [!isDisturbed(slice)];
  const hadCpu = ofCpu(slice).length === 0;
  // Where the lag of a window is not known, that of the slice stands for it.
  const wasPunctual = ofLag(slice).length === 0;
  return windows.map(
    ({ lagMax }) => hadCpu && (lagMax === undefined ? wasPunctual : lagMax <= MAX_LAG_US),
  );
}

function ofCpu({ host }: HostSeen): Disturbance[] {
  const limits: Disturbance[] = [
    { rule: "steal", seen: host.steal, allowed: MAX_STEAL_SHARE },
    { rule: "foreign-cpu", seen: host.foreign, allowed: MAX_FOREIGN_SHARE },
    { rule: "throttled", seen: host.throttled, allowed: 0 },
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

function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`;
}
