// The candidate against a stored baseline: an unpaired, other-day comparison, so the machine's drift is inside it. Says what
// is not comparable and why, and passes nothing without a drift margin learned from history.
import { baselineKey, incomparable } from "../baseline/key.ts";
import type { Baseline } from "../model/baseline.ts";
import type { Config, Waiver } from "../model/config.ts";
import type { Samples } from "../model/samples.ts";
import type { Comparison, ComparisonState, Warning } from "../model/verdict.ts";
import { median } from "../stats/dispersion.ts";
import { type Answer, answer, describe } from "./compare.ts";
import { type Decision, decideUnpaired } from "./decide.ts";
import { driftOf, MIN_DRIFT_CHANGES } from "./drift.ts";
import { gatingCount, type Hypothesis, metricLabel, subjectOf } from "./hypotheses.ts";
import { type RoundValue, seriesOf } from "./series.ts";
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
  comparisons: Comparison[];
  warnings: Warning[];
}

const DAY_MS = 24 * 3600 * 1000;

export function compareStored(request: StoredRequest): StoredResult {
  const { samples, config, hypotheses } = request;
  const alone = samples.run.compare === "stored";
  // A round's typical estimate needs a reference beside it; only values that stand alone can be stored.
  const storable = hypotheses.filter(
    ({ policy }) => policy.estimator !== "typical" && policy.level !== "info",
  );
  if (!alone && request.baselines.length === 0) {
    return { comparisons: [], warnings: [] };
  }
  const gating = gatingCount(storable);
  const comparisons = storable.map((hypothesis) => compareOne(hypothesis, request, gating));
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
  return { comparisons, warnings };
}

function baselineOf(request: StoredRequest, service: string): Baseline | null {
  return (
    request.baselines.find(
      (baseline) =>
        baseline.service === service && baseline.runnerClass === request.config.runner.class,
    ) ?? null
  );
}

function compareOne(hypothesis: Hypothesis, request: StoredRequest, gating: number): Comparison {
  const { samples, config } = request;
  const { policy } = hypothesis;
  const series = seriesOf(hypothesis, samples.rounds);
  const baseline = baselineOf(request, hypothesis.service);
  const key = baselineKey(hypothesis);
  const values = baseline?.metrics[key] ?? [];
  const obstacle =
    baseline === null
      ? `there is no baseline of ${hypothesis.service} for runner class ${config.runner.class}`
      : (incomparable(baseline, samples, hypothesis) ??
        (values.length === 0 ? `the baseline does not have ${key}` : null));
  const drift = baseline === null ? null : driftOf(baseline, key);
  const candidate = series.map((value) => value.candidate);
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
  const state = stateOf({ answered, fault, obstacle, drift });
  const waived = waiver === null || held === null ? null : explainWaived(state, held, waiver);
  const referenceLevel = obstacle === null ? median(values) : Number.NaN;
  const shown: RoundValue[] = series.map((value) => ({
    ...value,
    reference: referenceLevel,
    d: Math.log(value.candidate / referenceLevel),
  }));
  return {
    ...describe(hypothesis, shown, decision),
    floor,
    id: hypothesis.id + STORED_SUFFIX,
    state,
    waiver: held,
    reason:
      fault?.text ??
      reasonFor({ hypothesis, decision, state, obstacle, drift, waived, rounds: series.length }),
  };
}

interface Outcome {
  answered: Answer;
  fault: MeasurementFault | null;
  obstacle: string | null;
  drift: number | null;
}

function stateOf({ answered, fault, obstacle, drift }: Outcome): ComparisonState {
  if (fault !== null) return "invalid";
  if (obstacle !== null) return "no-baseline";
  // Without a known drift neither a pass nor a regression can be told from the machine's own wandering.
  if (drift === null) return "inconclusive";
  return answered.state;
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
}): string {
  const { hypothesis, decision, state, obstacle, drift } = input;
  const what = `${subjectOf(hypothesis)} ${metricLabel(hypothesis)}`;
  if (obstacle !== null) return `${what}: ${obstacle}`;
  if (input.rounds === 0) return `${what}: no round was measured`;
  const change = `${percentOf(decision.estimate)} [${percentOf(decision.interval.low)}, ${percentOf(decision.interval.high)}] against the stored baseline`;
  if (drift === null) {
    return `${what} is ${change}; the baseline's history has too few records to know this machine's drift (${MIN_DRIFT_CHANGES + 1} are needed), so this is context only`;
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
      return `${what} is ${change}: neither a change nor its absence is shown, ${margin}`;
  }
}
