// Plans what a fresh run of the default branch would change in the stored baselines. Pure. Proposes
// nothing while all is within noise, and nothing from a run that could not be trusted or could not
// tell.
import type { Baseline } from "../../model/baseline.ts";
import type { Waiver } from "../../model/config.ts";
import type { Samples } from "../../model/samples.ts";
import {
  baselineKey,
  differingFact,
  differingIsolation,
  workloadHash,
} from "../../model/workload.ts";
import { median } from "../../stats/dispersion.ts";
import { isExpired } from "../../verdict/waiver.ts";
import { recordBaseline } from "../record.ts";
import type { BaselineUpdate, ServiceUpdate, UpdateCause, ValueChange } from "./model.ts";
import { refusalsOf } from "./trust.ts";
import { changedValues } from "./values.ts";

export interface UpdateRequest {
  /** What the default branch has now, of the runs' class of machine. */
  stored: readonly Baseline[];
  /**
   * Runs of the default branch in the order of time, at least one. The last becomes the baseline;
   * earlier ones that can be trusted enter its history, so that the machine's drift is learned from
   * nights that nobody recorded.
   */
  fresh: readonly Samples[];
}

const DAY_MS = 24 * 3600 * 1000;

export function planBaselineUpdate({ stored, fresh }: UpdateRequest): BaselineUpdate {
  const last = fresh.at(-1);
  if (last === undefined) return { kind: "refused", refusals: [{ code: "unmeasured" }] };
  const { services } = last.config;
  if (services.every(({ name }) => isRecorded(last, storedOf(stored, name, last)))) {
    return { kind: "none", text: "the baselines are of this run already, or of a later one" };
  }
  const refusals = refusalsOf(last, stored);
  if (refusals.length > 0) return { kind: "refused", refusals };
  const earlier = fresh
    .slice(0, -1)
    .filter((run) => isBefore(run, last) && refusalsOf(run, stored).length === 0);

  const waivers = last.config.waivers.filter((waiver) => !isExpired(waiver, last.run.startedAt));
  const updates = services.flatMap(({ name }) => {
    const previous = storedOf(stored, name, last);
    const update = updateOf({ service: name, previous, earlier, last, waivers });
    return update === null ? [] : [update];
  });
  if (updates.length === 0) {
    return {
      kind: "none",
      text: "nothing moved beyond noise, and no baseline is too old",
    };
  }
  return {
    kind: "update",
    runnerClass: last.config.runner.class,
    fingerprint: last.host.fingerprint,
    services: updates,
    runs: [
      ...earlier.map((run) => ({ ...describeRun(run), use: "history" as const })),
      { ...describeRun(last), use: "values" as const },
    ],
    consumed: waivers.filter((waiver) => isConsumed(waiver, updates)),
  };
}

function isBefore(run: Samples, last: Samples): boolean {
  return run.run.id !== last.run.id && run.run.startedAt < last.run.startedAt;
}

function storedOf(stored: readonly Baseline[], service: string, run: Samples): Baseline | null {
  return (
    stored.find(
      (baseline) =>
        baseline.service === service && baseline.runnerClass === run.config.runner.class,
    ) ?? null
  );
}

function updateOf(request: {
  service: string;
  previous: Baseline | null;
  earlier: readonly Samples[];
  last: Samples;
  waivers: readonly Waiver[];
}): ServiceUpdate | null {
  const { service, previous, earlier, last, waivers } = request;
  const baseline = [...earlier, last].reduce<Baseline | null>(
    (before, run) => recordNext(run, service, before),
    previous,
  );
  if (baseline === null) return null;
  const values = changedValues({ baseline, previous, samples: last, waivers });
  const moved = values.filter(
    ({ judged, move }) => judged && (move === "loosened" || move === "tightened"),
  );
  const found = causeOf(previous, last, moved.length);
  if (found === null) return null;
  return {
    service,
    ...found,
    baseline: withNewLevels(baseline, previous, moved.map(baselineKeyOf)),
    previous:
      previous === null
        ? null
        : { recordedAt: previous.recordedAt, run: previous.run, source: previous.source },
    values,
  };
}

function baselineKeyOf({ service, scenario, metric, estimator = "pooled" }: ValueChange): string {
  return baselineKey({ service, scenario, policy: { metric, estimator } });
}

/**
 * Marks where each of these values took its new level: at the largest step since `previous`.
 * Otherwise an accepted change would count as the machine's wandering, and the next one of its size
 * would be noise.
 */
function withNewLevels(
  baseline: Baseline,
  previous: Baseline | null,
  keys: readonly string[],
): Baseline {
  const first = baseline.history.findIndex(({ recordedAt }) => recordedAt === previous?.recordedAt);
  if (first === -1 || keys.length === 0) return baseline;
  const history = baseline.history.map((entry) => ({ ...entry }));
  for (const key of keys) {
    const levels = [
      ...history.slice(first).map(({ medians }) => medians[key]),
      median(baseline.metrics[key] ?? []),
    ];
    const steps = levels.slice(1).map((level, i) => {
      const before = levels[i];
      return level === undefined || before === undefined ? 0 : Math.abs(Math.log(level / before));
    });
    const entry = history[first + steps.indexOf(Math.max(...steps))];
    if (entry !== undefined) entry.moved = [...(entry.moved ?? []), key].sort();
  }
  return { ...baseline, history };
}

function isRecorded({ run }: Samples, baseline: Baseline | null): boolean {
  return baseline !== null && run.startedAt <= baseline.recordedAt;
}

/** A run that is in the history already is not recorded twice. */
function recordNext(run: Samples, service: string, before: Baseline | null): Baseline | null {
  if (isRecorded(run, before)) return before;
  return recordBaseline(run, service, run.run.startedAt, before);
}

function causeOf(
  previous: Baseline | null,
  last: Samples,
  moved: number,
): { cause: UpdateCause; text: string } | null {
  if (previous === null) return { cause: "first", text: "there was no baseline" };
  if (isRecorded(last, previous)) return null;
  const difference = incomparability(previous, last);
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

/** Another machine, or other scenarios: the old file compares with nothing that is measured now. */
function incomparability(previous: Baseline, samples: Samples): string | null {
  const { host, config } = samples;
  const machine = differingFact(previous.fingerprint, host.fingerprint);
  if (machine !== null) return `it was recorded on another machine (${machine})`;
  const dependency = differingIsolation(previous, samples);
  if (dependency !== null) return `${dependency} is shared and copied otherwise than then`;
  const scenarios = config.scenarios.filter(({ service }) => service === previous.service);
  const changed = scenarios
    .filter((scenario) => previous.workloads[scenario.name] !== workloadHash(scenario, config))
    .map(({ name }) => name);
  const gone = Object.keys(previous.workloads).filter(
    (name) => !scenarios.some((scenario) => scenario.name === name),
  );
  if (changed.length > 0) return `scenarios are new or defined differently: ${changed.join(", ")}`;
  return gone.length > 0 ? `scenarios are gone: ${gone.join(", ")}` : null;
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
