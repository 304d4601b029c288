// Plans what a fresh run of the default branch would change in the stored baselines. Pure. Proposes
// nothing while all is within noise, and nothing from a run that could not be trusted or could not
// tell: one that may become a baseline is complete, of a commit, valid, and able to tell what it was asked.
import type { Baseline } from "../../model/baseline.ts";
import type { Waiver } from "../../model/config.ts";
import type { HistoryRecord } from "../../model/history.ts";
import { wholeRounds, wholeRoundsOf } from "../../model/parts.ts";
import type { Samples } from "../../model/samples.ts";
import { baselineKey, incomparable, isSameMachine } from "../../model/workload.ts";
import { STORED_LOOKS } from "../../verdict/decide-stored.ts";
import { listStorable } from "../../verdict/hypotheses.ts";
import { judge } from "../../verdict/judge.ts";
import { calmPart, readSeries } from "../../verdict/series.ts";
import { baselinesFor } from "../../verdict/stored.ts";
import { findFaults } from "../../verdict/validity.ts";
import { isExpired } from "../../verdict/waiver.ts";
import { recordBaseline } from "../record.ts";
import type { BaselineUpdate, Refusal, ServiceUpdate, UpdateCause } from "./model.ts";
import { changedValues } from "./values.ts";

interface UpdateRequest {
  /** What the default branch has now, of the run's class of machine. */
  stored: readonly Baseline[];
  /** A run of the default branch: what becomes the baseline. */
  fresh: Samples;
  /** Of the default branch: what the machine's drift is learned from. */
  history: readonly HistoryRecord[];
}

const DAY_MS = 24 * 3600 * 1000;

export function planBaselineUpdate(request: UpdateRequest): BaselineUpdate {
  const { stored, fresh } = request;
  const { services } = fresh.config;
  if (services.every(({ name }) => isRecorded(fresh, storedOf(stored, name, fresh)))) {
    return { kind: "none", text: "the baselines are of this run already, or of a later one" };
  }
  const refusals = refusalsOf(fresh, request);
  if (refusals.length > 0) return { kind: "refused", refusals };

  const waivers = fresh.config.waivers.filter((waiver) => !isExpired(waiver, fresh.run.startedAt));
  const updates = services.flatMap(({ name }) => updateOf(name, waivers, request) ?? []);
  if (updates.length === 0) {
    return { kind: "none", text: "nothing moved beyond noise, and no baseline is too old" };
  }
  return {
    kind: "update",
    runnerClass: fresh.config.runner.class,
    fingerprint: fresh.host.fingerprint,
    services: updates,
    run: describeRun(fresh),
    consumed: waivers.filter((waiver) => isConsumed(waiver, updates)),
  };
}

/** Of this machine. */
export function storedOf(stored: readonly Baseline[], service: string, run: Samples) {
  const isOwn = ({ fingerprint }: Baseline) => isSameMachine(fingerprint, run.host.fingerprint);
  return baselinesFor(service, stored, run).find(isOwn) ?? null;
}

function updateOf(
  service: string,
  waivers: readonly Waiver[],
  { stored, fresh, history }: UpdateRequest,
): ServiceUpdate | null {
  const previous = storedOf(stored, service, fresh);
  const baseline = recordBaseline(fresh, service);
  const values = changedValues({ baseline, previous, samples: fresh, history, waivers });
  const moved = values.filter(
    ({ judged, move }) => judged && (move === "loosened" || move === "tightened"),
  );
  const cause = causeOf(previous, fresh, moved.length);
  if (cause === null) return null;
  const origin = ({ recordedAt, run, source }: Baseline) => ({ recordedAt, run, source });
  return { service, ...cause, baseline, previous: previous && origin(previous), values };
}

function isRecorded({ run }: Samples, baseline: Baseline | null): boolean {
  return baseline !== null && run.startedAt <= baseline.recordedAt;
}

function causeOf(
  previous: Baseline | null,
  last: Samples,
  moved: number,
): { cause: UpdateCause; text: string } | null {
  if (previous === null) return { cause: "first", text: "there was no baseline of this machine" };
  if (isRecorded(last, previous)) return null;
  // Start-up depends on all of the machine and of the load.
  const difference = incomparable(previous, last, {
    service: previous.service,
    scenario: null,
    policy: { metric: "startup", estimator: "launch" },
  });
  if (difference !== null) return { cause: "incomparable", text: difference };
  if (moved > 0) {
    const text = `${moved} ${moved === 1 ? "value" : "values"} moved beyond noise`;
    return { cause: "moved", text };
  }
  const ageDays = (Date.parse(last.run.startedAt) - Date.parse(previous.recordedAt)) / DAY_MS;
  const limit = last.config.baselines.maxAgeDays;
  return ageDays > limit
    ? { cause: "stale", text: `it is ${Math.floor(ageDays)} days old (limit ${limit})` }
    : null;
}

/** Something that it accepts is now in the baseline, and nothing went beyond it. */
function isConsumed(waiver: Waiver, updates: readonly ServiceUpdate[]): boolean {
  const held = updates
    .flatMap(({ values }) => values)
    .flatMap((value) => (value.waiver?.waiver === waiver ? [value.waiver.holds] : []));
  return held.length > 0 && held.every((holds) => holds === "within");
}

function describeRun({ run, sources, rounds }: Samples) {
  const { commit, subject } = sources.candidate;
  const whole = rounds.filter(({ failure }) => failure === null);
  const counts = [...Map.groupBy(whole, ({ service }) => service).values()].map(
    (own) => own.length,
  );
  return { id: run.id, startedAt: run.startedAt, commit, subject, rounds: Math.max(0, ...counts) };
}

/** What the run is held against. */
export interface Known {
  stored: readonly Baseline[];
  history: readonly HistoryRecord[];
}

/** Every reason against it; empty when there is none. */
export function refusalsOf(samples: Samples, known: Known): Refusal[] {
  const { run, sources } = samples;
  const refusals: Refusal[] = findFaults(samples).map((fault) => ({ code: "fault", fault }));
  if (run.state !== "complete") refusals.push({ code: "incomplete", ended: run.ended });
  if (sources.candidate.dirty) refusals.push({ code: "uncommitted" });
  if (refusals.length > 0) return refusals;
  const short = tooFewLaunches(samples);
  return short.length > 0 ? short : undecided(samples, known);
}

/** A value that the first look could not have judged is no value to judge others by. */
export const FIRST_LOOK = STORED_LOOKS[0] ?? 1;

/** Launches of a service under its whole load, of the gated metric that has fewest calm ones. */
export function calmLaunches(samples: Samples, service: string): number {
  const each = launchesOf(samples, service).map(({ launches }) => launches);
  return Math.min(wholeRoundsOf(samples, service).length, ...each);
}

function launchesOf(samples: Samples, service: string): { key: string; launches: number }[] {
  const rounds = wholeRounds(samples);
  return listStorable(samples.config)
    .filter((one) => one.policy.level === "gate" && one.service === service)
    .map((hypothesis) => ({
      key: baselineKey(hypothesis),
      launches: calmPart(readSeries(hypothesis, rounds)).values.length,
    }));
}

function tooFewLaunches(samples: Samples): Refusal[] {
  return samples.config.services.flatMap(({ name: service }) =>
    launchesOf(samples, service)
      .filter(({ launches }) => launches < FIRST_LOOK)
      .map((few) => ({ code: "few-launches" as const, service, ...few, needed: FIRST_LOOK })),
  );
}

/**
 * A gated question that stayed open. Against a stored baseline that is young nothing can be
 * decided, however good the run, and the close margin of a typical value seldom against another
 * day's: there openness says nothing about the run.
 */
function undecided(samples: Samples, { stored, history }: Known): Refusal[] {
  const verdict = judge({ samples, baselines: stored, history });
  return verdict.comparisons
    .filter(({ level, state }) => level === "gate" && state === "inconclusive")
    .filter(({ against }) => against !== "limit")
    .filter(
      (one) =>
        samples.run.compare !== "stored" || (one.estimator !== "typical" && one.drift !== null),
    )
    .map((comparison) => ({ code: "undecided", comparison }));
}
