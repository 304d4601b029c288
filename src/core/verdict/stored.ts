// The candidate against a stored baseline of another day: passes nothing without a known drift.

import type { Baseline } from "../model/baseline.ts";
import type { Waiver } from "../model/config.ts";
import type { Caution, Fault } from "../model/fault.ts";
import { type HistoryRecord, seriesId } from "../model/history.ts";
import { wholeRounds } from "../model/parts.ts";
import type { OneArm, Samples } from "../model/samples.ts";
import type { ComparisonState, Finding, JudgedComparison } from "../model/verdict.ts";
import * as workload from "../model/workload.ts";
import { median } from "../stats/dispersion.ts";
import { type Answer, answer, describe, faultOf, findingOf, floorAt } from "./compare.ts";
import { ruleOf } from "./decide.ts";
import { decideStored, FEWEST_LAUNCHES } from "./decide-stored.ts";
import { type Drift, driftOf } from "./drift.ts";
import { gatingCount, type Hypothesis, isStorable, type Unanswerable } from "./hypotheses.ts";
import { calmPart, readSeries, type Series } from "./series.ts";
import { waiverOf } from "./waiver.ts";

/** Unlike that of the comparison alongside. */
export function storedId({ id }: Pick<Hypothesis, "id">): string {
  return `${id} against the stored baseline`;
}

/** What the questions of a verdict are answered from. */
export interface Evidence {
  samples: Samples;
  hypotheses: readonly Hypothesis[];
  baselines: readonly Baseline[];
  /** Of the default branch, in any order. */
  history: readonly HistoryRecord[];
  faults: readonly Fault[];
  /** Those that count. */
  waivers: readonly Waiver[];
  /** ISO 8601. */
  now: string;
}

/** In the order of the questions. */
export interface Answers {
  comparisons: JudgedComparison[];
  unanswerable: ReadonlyMap<string, Unanswerable>;
}

/** Those of every comparison that is not of level info; limits are of no stored value. */
export function compareStored(evidence: Evidence): Answers & { cautions: Caution[] } {
  const { samples, baselines } = evidence;
  const hypotheses = evidence.hypotheses.filter(isStorable);
  const unanswerable = new Map<string, Unanswerable>();
  const alone = samples.run.compare === "stored";
  if (!alone && baselines.length === 0) return { comparisons: [], unanswerable, cautions: [] };
  const gating = gatingCount(hypotheses);
  const comparisons = hypotheses
    .filter(({ policy, against }) => policy.level !== "info" && against !== "limit")
    .map((hypothesis) => {
      const { comparison, why } = compareOne(hypothesis, evidence, gating);
      if (why !== null) unanswerable.set(comparison.id, why);
      return comparison;
    });
  const creeping = alone ? [] : comparisons.filter(({ state }) => state === "regressed");
  const cautions = [
    ...staleBaselines(evidence),
    ...creeping.map(({ id }): Caution => ({ code: "creep", comparison: id })),
  ];
  return { comparisons, unanswerable, cautions };
}

const DAY_MS = 24 * 3600 * 1000;

function staleBaselines({ samples, baselines, now }: Evidence): Caution[] {
  const { services, ...config } = samples.config;
  const { maxAgeDays } = config.baselines;
  return services.flatMap(({ name }): Caution[] => {
    const [baseline] = baselinesFor(name, baselines, samples);
    if (baseline === undefined) return [];
    const ageDays = (Date.parse(now) - Date.parse(baseline.recordedAt)) / DAY_MS;
    return ageDays > maxAgeDays ? [{ code: "stale", service: name, ageDays, maxAgeDays }] : [];
  });
}

/** Without a host: whatever the machine is. */
type Place = Pick<Samples, "config"> & Partial<Pick<Samples, "host">>;

/** Of the service and the class of runner: of this machine first, then the newest. */
export function baselinesFor(wanted: string, baselines: readonly Baseline[], place: Place) {
  const { config, host } = place;
  const rank = ({ fingerprint, recordedAt }: Baseline): string =>
    `${host !== undefined && workload.isSameMachine(fingerprint, host.fingerprint)} ${recordedAt}`;
  return baselines
    .filter((one) => one.service === wanted && one.runnerClass === config.runner.class)
    .sort((a, b) => (rank(a) < rank(b) ? 1 : -1));
}

/** What only the configuration or only the stored baselines have, and what they define otherwise. */
export function besideStored({ samples, baselines }: Evidence): OneArm {
  const { config } = samples;
  const told = (baselines.length === 0 ? [] : config.services).flatMap(({ name }) => {
    const [stored] = baselinesFor(name, baselines, samples);
    const needs = workload.needsOf(config, name);
    return [
      workload.differing(stored?.workloads ?? {}, workload.workloadsOf(config, name), `${name}/`),
      // An older file does not say what the service needed.
      workload.differing(stored?.dependencies ?? needs, needs),
    ];
  });
  return workload.joined(told);
}

/** `why`: it can get no answer; null: it can. */
function compareOne(
  hypothesis: Hypothesis,
  evidence: Evidence,
  gating: number,
): { comparison: JudgedComparison; why: Unanswerable | null } {
  const { samples, faults, waivers } = evidence;
  // Memory depends on all of a launch's load, so only whole rounds compare with stored ones.
  const ofRounds = hypothesis.scenario === null ? wholeRounds(samples) : samples.rounds;
  const series = calmPart(readSeries(hypothesis, ofRounds));
  const rounds = series.values.length;
  const { values, drift, obstacle, machine } = findStored(hypothesis, evidence, rounds);
  const isComparable = obstacle === null || obstacle.code === "no-drift";
  const waiver = waiverOf(waivers, hypothesis);
  const limits = { ...hypothesis.policy, floor: floorAt(values, hypothesis) };
  const rule = ruleOf(limits, samples.config.policy, gating);
  const launches = series.values.slice(0, series.beforeZero).map(({ candidate }) => candidate);
  const answered = answer(waiver, rule, (one) =>
    decideStored(launches, isComparable ? values : [], { ...one, driftMargin: drift ?? 0 }),
  );
  const fault = countedFault(faultOf(hypothesis, faults), { rounds, obstacle });
  const why = whyUnanswered(obstacle, series);
  // What has nothing to be compared with is shown all the same.
  const decision = { ...answered.decision, ...(isComparable ? {} : { rounds }) };
  const { margin } = rule;
  const reference = isComparable ? median(values) : Number.NaN;
  const shown = series.values.map((value) => ({
    ...value,
    reference,
    d: Math.log(value.candidate / reference),
  }));
  const comparison: JudgedComparison = {
    ...describe(hypothesis, shown, decision, { rule, drift: drift ?? 0 }),
    id: storedId(hypothesis),
    against: "stored",
    drift,
    machine: isComparable ? machine : undefined,
    state: fault === null ? stateOf(why, answered) : "invalid",
    waiver: answered.held,
    finding:
      fault === null
        ? (obstacle ?? findingOf(answered, series, { waiver, margin, fewest: FEWEST_LAUNCHES }))
        : { code: "fault", fault },
  };
  return { why, comparison };
}

/** What keeps stored values from answering a question. */
type Obstacle = Extract<
  Finding,
  { code: "no-baseline" | "incomparable" | "no-stored-value" | "no-drift" }
>;

interface Stored {
  /** Whether or not they are comparable. */
  values: readonly number[];
  /** A log ratio; null: not known. */
  drift: number | null;
  obstacle: Obstacle | null;
  /** Absent: this one. */
  machine?: string | undefined;
}

/** Of a baseline, its first: more tell hardly more, and exact tests take time with their square. */
const MOST_LAUNCHES = 120;

function findStored(hypothesis: Hypothesis, evidence: Evidence, rounds: number): Stored {
  const { samples, baselines, history, now } = evidence;
  const { config, host } = samples;
  const key = workload.baselineKey(hypothesis);
  const all = baselinesFor(hypothesis.service, baselines, samples);
  const isUsable = (one: Baseline): boolean =>
    one.metrics[key] !== undefined && workload.incomparable(one, samples, hypothesis) === null;
  const baseline = all.find(isUsable) ?? all[0];
  if (baseline === undefined) {
    const obstacle = { code: "no-baseline", runnerClass: config.runner.class } as const;
    return { values: [], drift: null, obstacle };
  }
  const values = (baseline.metrics[key] ?? []).slice(0, MOST_LAUNCHES);
  const seen = driftFor(hypothesis, baseline, { history, now, config, host });
  const obstacle = (): Obstacle | null => {
    const difference = workload.incomparable(baseline, samples, hypothesis);
    if (difference !== null) return { code: "incomparable", difference };
    if (values.length === 0) return { code: "no-stored-value", key };
    if (seen.known) return null;
    const { needed, nights, ready } = seen;
    return { code: "no-drift", rounds, needed, nights, ready };
  };
  const { fingerprint } = baseline;
  const machine = workload.isSameMachine(fingerprint, host.fingerprint)
    ? undefined
    : workload.machineName(fingerprint);
  return { values, drift: seen.known ? seen.margin : null, obstacle: obstacle(), machine };
}

/** The machine's drift in this metric since the baseline was recorded. */
export function driftFor(
  hypothesis: workload.KeyedMetric,
  baseline: Baseline,
  { history, now, config, host }: Pick<Evidence, "history" | "now"> & Place,
): Drift {
  const machine = workload.machineName(baseline.fingerprint);
  return driftOf({
    history,
    runnerClass: config.runner.class,
    series: seriesId(hypothesis),
    ...workload.workloadOf(hypothesis, config),
    earlier: baseline.recordedAt,
    now,
    machine:
      host === undefined || workload.machineName(host.fingerprint) === machine ? machine : null,
  });
}

function whyUnanswered(obstacle: Obstacle | null, { zeros }: Series): Unanswerable | null {
  if (obstacle !== null) return obstacle.code === "no-drift" ? "no-drift" : "no-baseline";
  return zeros > 0 ? "zero" : null;
}

/** Without a known drift a change cannot be told from the machine's own. */
function stateOf(why: Unanswerable | null, { state }: Answer): ComparisonState {
  return why === "no-baseline" ? why : why === "no-drift" ? "inconclusive" : state;
}

/** Where nothing could be measured, and nothing compared with, there is no fault either. */
function countedFault(
  fault: Fault | null,
  { rounds, obstacle }: { rounds: number; obstacle: Obstacle | null },
): Fault | null {
  const isUnasked =
    (fault?.kind === "missing" || fault?.kind === "otherwise") &&
    fault.rule === null &&
    rounds === 0;
  return isUnasked && obstacle !== null ? null : fault;
}
