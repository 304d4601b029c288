// From a generator's rows to a slice; whether it counts is validity.ts's question.

import type { Scenario } from "../model/config.ts";
import { requestsDropped, windowCount } from "../model/load-rules.ts";
import type { Latency, Slice, Window } from "../model/samples.ts";
import { mean } from "../stats/dispersion.ts";
import { quantile, type SortedSample, sortSample } from "../stats/quantile.ts";
import { lagOf } from "./join-parts.ts";
import type { LoadDistribution, LoadDone } from "./load.ts";

type SliceFacts = Pick<Slice, "arm" | "pair" | "attempt" | "startedAtMs" | "scheduled" | "host">;
/** Share that a CPU lost between two moments, in ms since the load began. Absent: not known. */
type Facts = SliceFacts & { lostIn?: ((fromMs: number, toMs: number) => number) | undefined };

interface SummarizedSlice {
  slice: Slice;
  latencies: Float64Array;
}

export function summarizeSlice(
  load: LoadDone | LoadDistribution,
  scenario: Scenario,
  facts: Facts,
): SummarizedSlice {
  return load.kind === "done" ? fromRows(load, scenario, facts) : fromDistribution(load, facts);
}

/** Releases, lags and waits are not in a distribution: they stay null. */
function fromDistribution(load: LoadDistribution, facts: SliceFacts): SummarizedSlice {
  const { latencies, scheduled, statuses, errors, durationMs, unsent, oversleptUs } = load;
  const latency = latencies.length === 0 ? null : summarizeLatency(sortSample(latencies));
  const slice = {
    ...emptySlice(facts),
    scheduled,
    statuses,
    errors,
    latency,
    p99FromIdealUs: latency?.p99 ?? null,
    achievedRps: round((1000 * latencies.length) / durationMs),
    ...(latency === null ? {} : { slackUs: round(load.slackUs) }),
    ...(unsent === 0 ? {} : { unsent }),
    ...(oversleptUs === 0 ? {} : { oversleptUs: round(oversleptUs) }),
  };
  return { latencies, slice };
}

function fromRows(load: LoadDone, scenario: Scenario, facts: Facts): SummarizedSlice {
  const { release, start, end, bytes = [] } = load.rows;
  const dropped = Math.min(release.length, requestsDropped(scenario));
  const kept = release.length - dropped;
  const lagAll = lagOf(load.rows, scenario.rateRps, facts.scheduled);
  const latencies = new Float64Array(kept);
  const waits = new Float64Array(kept);
  const fromIdeal = lagAll === null ? null : new Float64Array(kept);
  for (let k = 0; k < kept; k++) {
    const i = dropped + k;
    latencies[k] = (end[i] as number) - (release[i] as number);
    waits[k] = (start[i] as number) - (release[i] as number);
    if (fromIdeal !== null && lagAll !== null) {
      fromIdeal[k] = (latencies[k] as number) + (lagAll[i] as number);
    }
  }
  const lags = lagAll?.subarray(dropped) ?? null;
  const lag = lags === null ? null : sortSample(lags);
  const nearMs = (k: number, byMs: number) => (release[dropped + k] as number) / 1000 + byMs;
  const windows = cutWindows(kept, scenario.rateRps)?.map((span) => ({
    ...windowOf(span, latencies, lags),
    slowed: facts.lostIn?.(nearMs(span.from, -AROUND_MS), nearMs(span.to - 1, AROUND_MS)),
  }));
  const spanUs =
    kept > 1 ? (release[release.length - 1] as number) - (release[dropped] as number) : 0;
  const slice = {
    ...emptySlice(facts),
    dropped,
    statuses: load.statuses,
    errors: load.errors,
    latency: kept === 0 ? null : summarizeLatency(sortSample(latencies)),
    windows,
    p99FromIdealUs: fromIdeal === null || kept === 0 ? null : at(sortSample(fromIdeal), 0.99),
    lag:
      lag === null || kept === 0
        ? null
        : { p50: at(lag, 0.5), p99: at(lag, 0.99), max: at(lag, 1) },
    queueWaitP99Us: kept === 0 ? null : at(sortSample(waits), 0.99),
    achievedRps: spanUs > 0 ? round(((kept - 1) * 1e6) / spanUs) : null,
    ...(bytes.length === 0 ? {} : { answerBytes: round(mean(bytes)) }),
  };
  return { latencies, slice };
}

/**
 * A generator's program takes 30 to 50 ms until its clock starts, which the load began before; and
 * what queued in a slow moment is answered after it.
 */
const AROUND_MS = 60;

/** A stretch of requests in the order of release: `from` up to, but without, `to`. */
interface Span {
  from: number;
  to: number;
}

/**
 * Windows of equal numbers of kept requests, and so of equal time: short so that a stop spoils few,
 * long enough for a p99 (docs/adr/0013). Null: only one.
 */
export function cutWindows(requests: number, rateRps: number): Span[] | null {
  const count = windowCount(requests, rateRps);
  if (count === 1) return null;
  const startOf = (k: number): number => Math.floor((k * requests) / count);
  return Array.from({ length: count }, (_, k) => ({ from: startOf(k), to: startOf(k + 1) }));
}

function windowOf({ from, to }: Span, latencies: Float64Array, lags: Float64Array | null): Window {
  const { p999: _, ...window } = summarizeLatency(sortSample(latencies.subarray(from, to)));
  if (lags === null) return window;
  const lagMax = lags.subarray(from, to).reduce((most, lag) => Math.max(most, lag), 0);
  return { ...window, lagMax: round(lagMax) };
}

export function summarizeLatency(sorted: SortedSample): Latency {
  return {
    requests: sorted.length,
    p50: at(sorted, 0.5),
    p90: at(sorted, 0.9),
    p95: at(sorted, 0.95),
    p99: at(sorted, 0.99),
    p999: at(sorted, 0.999),
    max: at(sorted, 1),
  };
}

function at(sorted: SortedSample, share: number): number {
  return round(quantile(sorted, share));
}

/** Tenths of a microsecond: below that there is only the generator's clock. */
export function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/** A slice of which the generator gave nothing. */
export function emptySlice({ arm, pair, attempt, startedAtMs, ...facts }: SliceFacts): Slice {
  return {
    arm,
    pair,
    attempt,
    startedAtMs: round(startedAtMs),
    scheduled: facts.scheduled,
    dropped: 0,
    statuses: {},
    errors: {},
    latency: null,
    p99FromIdealUs: null,
    lag: null,
    queueWaitP99Us: null,
    achievedRps: null,
    host: facts.host,
    void: null,
  };
}
