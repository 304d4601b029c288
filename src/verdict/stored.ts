// The candidate against a stored baseline: an unpaired, other-day comparison, so the machine's drift is inside it. Says what
// is not comparable and why, and passes nothing without a drift margin learned from history.
import { baselineKey, incomparable } from "../baseline/key.ts";
import type { Baseline } from "../model/baseline.ts";
import type { Config, Waiver } from "../model/config.ts";
import type { Samples } from "../model/samples.ts";
import type { Comparison, ComparisonState, Warning } from "../model/verdict.ts";
import { wholeRounds } from "../model/whole-rounds.ts";
import { median } from "../stats/dispersion.ts";
import { type Answer, answer, describe, reasonOfZeros } from "./compare.ts";
import { type Decision, decideUnpaired, firstCallingLook } from "./decide.ts";
import { driftOf, MIN_DRIFT_CHANGES } from "./drift.ts";
import {
  gatingCount,
  type Hypothesis,
  metricLabel,
  subjectOf,
  type Unanswerable,
} from "./hypotheses.ts";
import { type RoundValue, readSeries } from "./series.ts";
import type { MeasurementFault } from "./validity.ts";
import { explainWaived, waiverOf } from "./waiver.ts";
import { STORED_SUFFIX } from "./waiver-outcome.ts";
import { percentOf } from "./wording.ts";

export interface StoredRequest {
  config: Config;
  samples: Samples;
  hypotheses: readonly Hypothesis[];
  baselines: readonly Baseline[];
  faults: readonly MeasurementFault[];
  /** Those that count. */
  waivers: readonly Waiver[];
  /** ISO 8601. */
  now: string;
}

export interface StoredResult {
  /** Of every question that is not of level info, in their order. */
  comparisons: Comparison[];
  /** By id of the comparison; see openQuestions. */
  unanswerable: ReadonlyMap<string, Unanswerable>;
  warnings: Warning[];
}

const DAY_MS = 24 * 3600 * 1000;

export function compareStored(request: StoredRequest): StoredResult {
  const { samples, config, hypotheses } = request;
  const alone = samples.run.compare === "stored";
  if (!alone && request.baselines.length === 0) {
    return { comparisons: [], unanswerable: new Map(), warnings: [] };
  }
  const gating = gatingCount(hypotheses);
  const results = hypotheses
    .filter(({ policy }) => policy.level !== "info")
    .map((hypothesis) => compareOne(hypothesis, request, gating));
  const comparisons = results.map(({ comparison }) => comparison);
  const unanswerable = new Map<string, Unanswerable>();
  for (const { comparison, never } of results) {
    if (never !== null) unanswerable.set(comparison.id, never);
  }
  const warnings: Warning[] = [];
  for (const service of config.services) {
    const baseline = baselineOf(request, service.name);
    if (baseline === null) continue;
    const ageDays = (Date.parse(request.now) - Date.parse(baseline.recordedAt)) / DAY_MS;
    if (ageDays > config.baselines.maxAgeDays) {
      warnings.push({
        kind: "stale",
        text: `The baseline of ${service.name} is ${Math.floor(ageDays)} days old (limit ${config.baselines.maxAgeDays}): record a new one.`,
      });
    }
  }
  for (const comparison of comparisons) {
    if (!alone && comparison.state === "regressed") {
      warnings.push({ kind: "creep", text: comparison.reason });
    }
  }
  return { comparisons, unanswerable, warnings };
}

function baselineOf(request: StoredRequest, service: string): Baseline | null {
  return (
    request.baselines.find(
      (baseline) =>
        baseline.service === service && baseline.runnerClass === request.config.runner.class,
    ) ?? null
  );
}

interface OneResult {
  comparison: Comparison;
  never: Unanswerable | null;
}

function compareOne(hypothesis: Hypothesis, request: StoredRequest, gating: number): OneResult {
  const { samples, config } = request;
  const { policy } = hypothesis;
  // What a launch uses depends on all that it was asked, so only launches that were asked all of it compare with stored ones.
  const comparable = hypothesis.scenario === null ? wholeRounds(samples) : samples.rounds;
  const { values: series, zeros, beforeZero } = readSeries(hypothesis, comparable);
  const baseline = baselineOf(request, hypothesis.service);
  const key = baselineKey(hypothesis);
  const values = baseline?.metrics[key] ?? [];
  const obstacle =
    baseline === null
      ? `there is no baseline of ${hypothesis.service} for runner class ${config.runner.class}`
      : (incomparable(baseline, samples, hypothesis) ??
        (values.length === 0 ? `the baseline does not have ${key}` : null));
  const drift = baseline === null ? null : driftOf(baseline, key);
  const candidate = series.slice(0, beforeZero).map((value) => value.candidate);
  const floor = Math.max(
    policy.floor,
    values.length === 0 ? 0 : policy.absoluteFloor / median(values),
  );
  const waiver = waiverOf(request.waivers, hypothesis);
  const answered = answer(waiver, (adapt) =>
    decideUnpaired(
      candidate,
      obstacle === null ? values : [],
      adapt({
        tolerance: policy.tolerance,
        promise: policy.promise,
        floor,
        alpha: config.policy.alpha,
        hypotheses: Math.max(1, gating),
        beta: config.policy.beta,
        looks: config.policy.looks,
        driftMargin: drift ?? 0,
      }),
    ),
  );
  const { decision, held } = answered;
  const fault =
    request.faults.find(({ scenario }) => scenario === null || scenario === hypothesis.scenario) ??
    null;
  const never =
    obstacle !== null ? "no-baseline" : drift === null ? "no-drift" : zeros > 0 ? "zero" : null;
  const rounds = series.length;
  const state = stateOf({ answered, fault, obstacle, drift, rounds });
  const waived = waiver === null || held === null ? null : explainWaived(state, held, waiver);
  const referenceLevel = obstacle === null ? median(values) : Number.NaN;
  const shown: RoundValue[] = series.map((value) => ({
    ...value,
    reference: referenceLevel,
    d: Math.log(value.candidate / referenceLevel),
  }));
  const reason = reasonFor({ hypothesis, decision, state, obstacle, drift, waived, rounds, zeros });
  return {
    never,
    comparison: {
      ...describe(hypothesis, shown, decision, {
        floor,
        firstCall: firstCallingLook(config.policy),
        drift: drift ?? 0,
      }),
      id: hypothesis.id + STORED_SUFFIX,
      state,
      waiver: held,
      reason: state === "invalid" ? (fault?.text ?? reason) : reason,
    },
  };
}

interface Outcome {
  answered: Answer;
  fault: MeasurementFault | null;
  obstacle: string | null;
  drift: number | null;
  rounds: number;
}

function stateOf({ answered, fault, obstacle, drift, rounds }: Outcome): ComparisonState {
  // Where nothing could be told nothing is measured: that is no fault.
  const unasked = fault?.kind === "missing" && fault.rule === null && rounds === 0;
  if (fault !== null && !unasked) return "invalid";
  if (obstacle !== null) return "no-baseline";
  // Without a known drift neither a pass nor a regression can be told from the machine's own wandering.
  if (drift === null) return "inconclusive";
  return fault === null ? answered.state : "invalid";
}

function reasonFor(input: {
  hypothesis: Hypothesis;
  decision: Decision;
  state: ComparisonState;
  obstacle: string | null;
  drift: number | null;
  /** What a waiver made of it. */
  waived: string | null;
  rounds: number;
  zeros: number;
}): string {
  const { hypothesis, decision, state, obstacle, drift } = input;
  const what = `${subjectOf(hypothesis)} ${metricLabel(hypothesis)}`;
  if (obstacle !== null) return `${what}: ${obstacle}`;
  const young = `the baseline's history has too few records to know this machine's drift (${MIN_DRIFT_CHANGES + 1} are needed)`;
  if (input.rounds === 0) {
    return `${what}: ${drift === null ? young : "no round was measured"}`;
  }
  const change = `${percentOf(decision.estimate)} [${percentOf(decision.interval.low)}, ${percentOf(decision.interval.high)}] against the stored baseline`;
  if (drift === null) {
    return `${what} is ${change}; ${young}, so this is context only`;
  }
  const margin = `a drift of ${percentOf(drift)} allowed for`;
  if (input.waived !== null) return `${what} is ${change}: ${input.waived}, ${margin}`;
  switch (state) {
    case "regressed":
      return `${what} is ${change}: worse, ${margin}`;
    case "pass":
    case "improved":
      return `${what} is ${change}: within the promise, ${margin}`;
    default:
      if (input.zeros > 0) return reasonOfZeros(hypothesis, input.zeros, input.rounds);
      return `${what} is ${change}: neither a change nor its absence is shown, ${margin}`;
  }
}
