// Whether a slice counts. Rules look at the generator, the protocol and the host: never at the arm, never at latency.
import type { Scenario } from "../model/config.ts";
import { requestsUnaccounted } from "../model/load-rules.ts";
import type { Slice, VoidReason } from "../model/samples.ts";

/**
 * oha's timers tick in milliseconds, so a healthy slice lags by up to 2 ms at its p99 (0.9 to 1.7 ms was measured at 200 to
 * 2,000 requests/s). Twice that is a generator that was not running when it should have been.
 */
const MAX_LAG_P99_US = 4_000;
/** Of fewer requests the p99 is the largest value, which has a limit of its own. */
const LEAST_FOR_P99 = 100;
/** One stop of the generator's CPU; the requests it delays are released together and load the service as a burst. */
const MAX_LAG_US = 20_000;
/** A generator that is busier than this queues its own work. Its CPU time is known to 10 ms. */
const MAX_GENERATOR_SHARE = 0.7;
/**
 * Shares of the measured CPUs' time. Known to 10 ms, which is 1 % of a slice of 500 ms on two CPUs; undisturbed slices came to
 * -1 to +3 %. Over 360 slices of two services that answer in 0.4 and 0.7 ms at their p99, foreign time of 5 to 10 % made that
 * p99 1.7 and 3.2 times as long (medians), 10 to 15 % 2.9 and 3.5 times, and below 3 % not longer.
 */
const MAX_STEAL_SHARE = 0.05;
const MAX_FOREIGN_SHARE = 0.05;

/** The first rule that is broken, most telling first; null: the slice counts. */
export function voidReason(
  slice: Slice,
  scenario: Scenario,
  errorBudget: number,
): VoidReason | null {
  const answered = sum(slice.statuses);
  const failed = sum(slice.errors);
  const expected = slice.statuses[String(scenario.expectStatus)] ?? 0;
  const allowed = Math.floor(errorBudget * slice.scheduled);
  if (failed > allowed) {
    return {
      rule: "transport",
      detail: `${failed} of ${slice.scheduled} requests failed (${worst(slice.errors)}), ${allowed} allowed`,
    };
  }
  if (answered - expected + failed > allowed) {
    const wrong = Object.fromEntries(
      Object.entries(slice.statuses).filter(([status]) => status !== String(scenario.expectStatus)),
    );
    return {
      rule: "status",
      detail: `${answered - expected} of ${slice.scheduled} answers were not ${scenario.expectStatus} (${worst(wrong)}), ${allowed} allowed`,
    };
  }
  const slack = requestsUnaccounted(scenario);
  if (Math.abs(answered + failed - slice.scheduled) > slack) {
    return {
      rule: "incomplete",
      detail: `${answered + failed} of ${slice.scheduled} scheduled requests are accounted for${slack === 0 ? "" : `, ${slack} may be missing`}`,
    };
  }
  return hostReason(slice);
}

function hostReason({ scheduled, dropped, lag, host }: Slice): VoidReason | null {
  const hasP99 = scheduled - dropped >= LEAST_FOR_P99;
  if (lag !== null && hasP99 && lag.p99 > MAX_LAG_P99_US) {
    return {
      rule: "lag",
      detail: `the generator released requests ${ms(lag.p99)} late at the 99th percentile, ${ms(MAX_LAG_P99_US)} allowed`,
    };
  }
  if (lag !== null && lag.max > MAX_LAG_US) {
    return {
      rule: "lag",
      detail: `the generator released a request ${ms(lag.max)} late, ${ms(MAX_LAG_US)} allowed`,
    };
  }
  const shares = [
    ["generator-busy", host.generator, MAX_GENERATOR_SHARE, "the generator used its CPUs"],
    ["steal", host.steal, MAX_STEAL_SHARE, "the hypervisor took the measured CPUs"],
    ["foreign-cpu", host.foreign, MAX_FOREIGN_SHARE, "other processes used the measured CPUs"],
  ] as const;
  for (const [rule, share, limit, what] of shares) {
    if (share > limit) {
      return {
        rule,
        detail: `${what} for ${percent(share)} of the time, ${percent(limit)} allowed`,
      };
    }
  }
  if (host.throttled > 0) {
    return {
      rule: "throttled",
      detail: `the control group's CPU quota stopped it ${host.throttled} times`,
    };
  }
  return null;
}

/**
 * Whether requests waited for a free connection: then the service does not keep up with the schedule. Not a void rule, since
 * it is a latency; a candidate that saturates where the reference does not is a result.
 */
export function isSaturated(slice: Slice): boolean {
  const { queueWaitP99Us, latency } = slice;
  if (queueWaitP99Us === null || latency === null) return false;
  return queueWaitP99Us > SATURATED_WAIT_US && queueWaitP99Us > SATURATED_WAIT_SHARE * latency.p99;
}

/**
 * A stop of the host fills all connections for as long: waits of 1 to 6 ms are met on services far from saturation. Above
 * capacity by a fiftieth, a slice of 500 ms ends with a wait of 10 ms.
 */
const SATURATED_WAIT_US = 10_000;
const SATURATED_WAIT_SHARE = 0.5;

function sum(counts: Record<string, number>): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}

function worst(counts: Record<string, number>): string {
  const [name, count] = Object.entries(counts).sort(([, a], [, b]) => b - a)[0] ?? ["", 0];
  return `${count} × ${name}`;
}

function ms(us: number): string {
  return `${(us / 1000).toFixed(1)} ms`;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`;
}
