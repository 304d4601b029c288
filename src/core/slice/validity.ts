// Whether a slice counts, by generator and protocol: never by arm or latency, nor by the host.
import type { Scenario } from "../model/config.ts";
import { requestsUnaccounted } from "../model/load-rules.ts";
import { mostFirst, total } from "../model/parts.ts";
import type { Slice, VoidReason } from "../model/samples.ts";
import { describeDisturbance, disturbancesOf, percent } from "./disturbance.ts";

/** wrk2 oversleeps for most of a second; a shorter stop is the host's. */
const MAX_OVERSLEPT_SHARE = 0.1;
/** A generator that is busier than this queues its own work. Its CPU time is known to 10 ms. */
const MAX_GENERATOR_SHARE = 0.7;

/** The first rule that is broken, most telling first; null: the slice counts. */
export function voidReason(
  slice: Slice,
  scenario: Scenario,
  errorBudget: number,
): VoidReason | null {
  const answered = total(slice.statuses);
  const failed = total(slice.errors);
  const expected = slice.statuses[String(scenario.expectStatus)] ?? 0;
  const allowed = Math.floor(errorBudget * slice.scheduled);
  const failures = `${failed} of ${slice.scheduled} requests failed (${worst(slice.errors)})`;
  if (failed > allowed) return { rule: "transport", detail: `${failures}, ${allowed} allowed` };
  if (answered - expected + failed > allowed) {
    const { [String(scenario.expectStatus)]: _, ...wrong } = slice.statuses;
    const answers = `${answered - expected} of ${slice.scheduled} answers were not ${scenario.expectStatus} (${worst(wrong)})`;
    const rest = failed === 0 ? `${allowed} allowed` : `${failures}, ${allowed} allowed together`;
    return { rule: "status", detail: `${answers}, ${rest}` };
  }
  return missingReason(slice, scenario) ?? busyReason(slice);
}

/**
 * Who lost missing requests. oha reports all that it sends; wrk2 ends without sending what a stop
 * delayed; the arm swallowed the rest or closed their connections.
 */
function missingReason(slice: Slice, scenario: Scenario): VoidReason | null {
  const { scheduled, unsent = 0, oversleptUs = 0 } = slice;
  const accounted = total(slice.statuses) + total(slice.errors);
  const slack = requestsUnaccounted(scenario);
  const missing = scheduled - accounted;
  const overslept = ((oversleptUs / 1e6) * scenario.rateRps) / scheduled;
  if (overslept > MAX_OVERSLEPT_SHARE) {
    const detail = `the generator stood still by itself for ${percent(overslept)} of the time, ${percent(MAX_OVERSLEPT_SHARE)} allowed`;
    return { rule: "incomplete", detail };
  }
  if (Math.abs(missing) <= slack) return null;
  const detail = `${accounted} of ${scheduled} scheduled requests are accounted for${slack === 0 ? "" : `, ${slack} may be missing`}`;
  if (scenario.generator === "oha" || missing < 0) return { rule: "incomplete", detail };
  if (missing - unsent <= slack) {
    return { rule: "incomplete", detail: `${detail}: it ended before it had made up for a stop` };
  }
  const [disturbance] = disturbancesOf(slice);
  return disturbance === undefined
    ? { rule: "unanswered", detail }
    : { rule: "incomplete", detail: `${detail}: ${describeDisturbance(disturbance)}` };
}

function busyReason({ host: { generator } }: Slice): VoidReason | null {
  if (!(generator > MAX_GENERATOR_SHARE)) return null;
  const detail = `the generator used its CPUs for ${percent(generator)} of the time, ${percent(MAX_GENERATOR_SHARE)} allowed`;
  return { rule: "generator-busy", detail };
}

/**
 * Requests waited for a free connection. No reason to discard: a candidate that saturates where the
 * reference does not is a result.
 */
export function isSaturated(slice: Slice): boolean {
  const { queueWaitP99Us, latency } = slice;
  if (queueWaitP99Us === null || latency === null) return false;
  return queueWaitP99Us > SATURATED_WAIT_US && queueWaitP99Us > SATURATED_WAIT_SHARE * latency.p99;
}

/** The same whatever the host does: the rate needs more CPU time than the service has. */
export function isBeyondCpus(slice: Slice): boolean {
  return isSaturated(slice) && (slice.host.needed ?? 0) >= BEYOND_CPUS;
}

/**
 * A busy host makes a request cost up to 1.3 times the CPU time (medians of 350 recorded slices).
 */
const BEYOND_CPUS = 1.2;

/**
 * A stop of the host fills all connections for 1 to 6 ms; 2 % above capacity a slice ends with a
 * wait of 10 ms.
 */
const SATURATED_WAIT_US = 10_000;
const SATURATED_WAIT_SHARE = 0.5;

function worst(counts: Record<string, number>): string {
  const [name, count] = mostFirst(counts)[0] ?? ["", 0];
  return `${count} × ${name}`;
}
