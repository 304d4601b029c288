// One slice of a capacity search: from the generator's rows to facts and a verdict.

import type { Scenario } from "../model/config.ts";
import { requestsDropped } from "../model/load-rules.ts";
import type { Slice } from "../model/samples.ts";
import { describeDisturbance, disturbancesOf } from "../slice/disturbance.ts";
import { lagOf } from "../slice/join-parts.ts";
import type { LoadDone } from "../slice/load.ts";
import { SLICE_RULE_FACTS } from "../slice/rules.ts";
import { emptySlice, round } from "../slice/slice.ts";
import { voidReason } from "../slice/validity.ts";
import { quantile, sortSample } from "../stats/quantile.ts";
import type { CapacitySettings, CapacitySlice, SliceVerdict } from "./model.ts";

/** Fewer kept requests than this, and their p99 would be their slowest. */
const LEAST_KEPT = 101;
/** A slice is never stretched by more than this for the sake of LEAST_KEPT. */
const MOST_STRETCH = 10;
/** Of the kept requests: what "keeps up with the rate" means. */
const LEAST_ANSWERED = 0.99;
/** Further below, a short stall is no explanation. */
const CLEARLY_UNANSWERED = 0.9;
/** Far enough below the objective not to be chance. */
const CLEARLY_WITHIN = 0.5;

type Sizing = Pick<CapacitySettings, "sliceMs" | "warmupShare">;

/** The lowest rate at which even a stretched slice has enough requests for a p99. */
export function leastRate({ sliceMs, warmupShare }: Sizing): number {
  return (1000 * LEAST_KEPT) / (MOST_STRETCH * sliceMs * (1 - warmupShare));
}

export function sliceDurationMs(rateRps: number, { sliceMs, warmupShare }: Sizing): number {
  const neededMs = (1000 * LEAST_KEPT) / (rateRps * (1 - warmupShare));
  return Math.ceil(Math.max(sliceMs, Math.min(neededMs, MOST_STRETCH * sliceMs)));
}

export type SliceRun = Pick<
  CapacitySlice,
  "rateRps" | "startedAtMs" | "durationMs" | "scheduled" | "serviceCpuMs" | "wallMs" | "host"
>;

export type SliceFacts = Omit<CapacitySlice, "verdict">;

export function summarizeTry(
  load: LoadDone,
  run: SliceRun,
  scenario: Scenario,
  settings: CapacitySettings,
): SliceFacts {
  const { release, start, end } = load.rows;
  const { rateRps, scheduled } = run;
  const wanted = Math.max(
    Math.ceil(scheduled * settings.warmupShare),
    requestsDropped({ ...scenario, rateRps }),
  );
  // At least half of a slice counts, however long connecting takes.
  const dropped = Math.min(wanted, Math.floor(scheduled / 2), release.length);
  const lagOfAll = lagOf(load.rows, rateRps, scheduled);
  const latencies: number[] = [];
  const lags: number[] = [];
  const waits: number[] = [];
  let inTime = 0;
  const last = release.length - 1;
  const periodUs = 1e6 / rateRps;
  const scheduleEndUs = (release[last] ?? 0) - (lagOfAll?.[last] ?? 0) + periodUs;
  for (let i = dropped; i < release.length; i++) {
    const [released, started, ended] = [release[i] ?? 0, start[i] ?? 0, end[i] ?? 0];
    const lag = lagOfAll?.[i] ?? 0;
    latencies.push(ended - released + lag);
    lags.push(lag);
    waits.push(started - released);
    if (ended <= scheduleEndUs + settings.objectiveUs) inTime++;
  }
  const at = (values: readonly number[], share: number): number =>
    round(quantile(sortSample(values), share));
  const answered = latencies.length > 0;
  return {
    ...run,
    dropped,
    statuses: load.statuses,
    errors: load.errors,
    latency: answered
      ? { p50Us: at(latencies, 0.5), p99Us: at(latencies, 0.99), maxUs: at(latencies, 1) }
      : null,
    lag: answered && lagOfAll !== null ? { p99Us: at(lags, 0.99), maxUs: at(lags, 1) } : null,
    connectionWaitP99Us: answered ? at(waits, 0.99) : null,
    // Failures are the error budget's matter; this counts what was answered in time.
    answeredShare: answered ? inTime / latencies.length : 0,
  };
}

/**
 * Whether the service sustained the rate, if the slice is evidence at all: the gate's rules on host
 * and generator decide that, blind to latency. A wait for a free connection is no such rule: the
 * service has not answered earlier requests, so it counts as latency.
 */
export function judgeTry(
  facts: SliceFacts,
  scenario: Scenario,
  settings: CapacitySettings,
): SliceVerdict {
  const unfit = unfitness(facts, scenario);
  if (unfit !== null) return unfit;

  const broken = voidReason(asSlice(facts), scenario, settings.errorBudget);
  if (broken !== null) {
    return SLICE_RULE_FACTS[broken.rule].always.on === "generator"
      ? { kind: "void", by: "generator", reason: broken.detail }
      : { kind: "exceeded", clear: false, reason: broken.detail };
  }
  const { latency, answeredShare } = facts;
  if (latency === null) return { kind: "exceeded", clear: true, reason: "nothing was answered" };
  const p99 = `p99 ${ms(latency.p99Us)} from the schedule, ${ms(settings.objectiveUs)} allowed`;
  if (answeredShare < LEAST_ANSWERED) {
    const reason = `${(answeredShare * 100).toFixed(1)} % answered by the end of the try plus the objective, ${LEAST_ANSWERED * 100} % asked; ${p99}`;
    return { kind: "exceeded", clear: answeredShare < CLEARLY_UNANSWERED, reason };
  }
  if (latency.p99Us > settings.objectiveUs) return { kind: "exceeded", clear: false, reason: p99 };
  const clear = latency.p99Us <= CLEARLY_WITHIN * settings.objectiveUs;
  return { kind: "sustained", clear, reason: p99 };
}

function unfitness(facts: SliceFacts, scenario: Scenario): SliceVerdict | null {
  // With a clean protocol only the rules on the generator are left.
  const { scheduled } = facts;
  const slice = asSlice(facts);
  const clean = { statuses: { [scenario.expectStatus]: scheduled }, errors: {} };
  const broken = voidReason({ ...slice, ...clean }, scenario, 0);
  if (broken !== null) return { kind: "void", by: "generator", reason: broken.detail };
  // Slow moments are so short that a try has some.
  const disturbance = disturbancesOf(slice).find(({ rule }) => rule !== "slow-cpu");
  if (disturbance === undefined) return null;
  // The search repeats such a rate, so the last try stands for all.
  const { on } = SLICE_RULE_FACTS[disturbance.rule].always;
  const by = on === "generator" ? on : "host";
  return { kind: "void", by, reason: describeDisturbance(disturbance) };
}

function asSlice(facts: SliceFacts): Slice {
  const { lag } = facts;
  return {
    ...emptySlice({ arm: "candidate", pair: 0, attempt: 0, ...facts }),
    statuses: facts.statuses,
    errors: facts.errors,
    lag: lag === null ? null : { p50: 0, p99: lag.p99Us, max: lag.maxUs },
  };
}

function ms(us: number): string {
  const value = us / 1000;
  return `${value < 10 ? value.toFixed(2) : value.toFixed(0)} ms`;
}
