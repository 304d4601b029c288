// Plans what a fresh run of the default branch would change in the stored baselines. Pure. Proposes
// nothing while all is within noise, and nothing from a run that could not be trusted or could not
// tell.
import type { Baseline } from "../../model/baseline.ts";
import type { Waiver } from "../../model/config.ts";
import type { HistoryRecord } from "../../model/history.ts";
import type { Samples } from "../../model/samples.ts";
import { incomparable, isSameMachine } from "../../model/workload.ts";
import { baselinesFor } from "../../verdict/stored.ts";
import { isExpired } from "../../verdict/waiver.ts";
import { recordBaseline } from "../record.ts";
import type { BaselineUpdate, ServiceUpdate, UpdateCause } from "./model.ts";
import { refusalsOf } from "./trust.ts";
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
    return {
      kind: "none",
      text: "nothing moved beyond noise, and no baseline is too old",
    };
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
  return {
    service,
    ...cause,
    baseline,
    previous:
      previous === null
        ? null
        : { recordedAt: previous.recordedAt, run: previous.run, source: previous.source },
    values,
  };
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
    return {
      cause: "moved",
      text: `${moved} ${moved === 1 ? "value" : "values"} moved beyond noise`,
    };
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
  const byService = new Map<string, number>();
  for (const { service, failure } of rounds) {
    if (failure === null) byService.set(service, (byService.get(service) ?? 0) + 1);
  }
  return {
    id: run.id,
    startedAt: run.startedAt,
    commit,
    subject,
    rounds: Math.max(0, ...byService.values()),
  };
}
