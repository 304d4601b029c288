// The candidate against a stored baseline of another day: passes nothing without a known drift.

import type { Baseline } from "../model/baseline.ts";
import type { Caution } from "../model/caution.ts";
import type { Config, Waiver } from "../model/config.ts";
import type { Fault } from "../model/fault.ts";
import { type HistoryRecord, seriesId } from "../model/history.ts";
import type { Samples } from "../model/samples.ts";
import type { ComparisonState, Finding, JudgedComparison } from "../model/verdict.ts";
import { wholeRounds } from "../model/whole-rounds.ts";
import { baselineKey, incomparable, workloadOf } from "../model/workload.ts";
import { median } from "../stats/dispersion.ts";
import { type Answer, answer, describe, faultOf, findingOf, floorAt } from "./compare.ts";
import { ruleOf } from "./decide.ts";
import { decideStored, FEWEST_LAUNCHES } from "./decide-stored.ts";
import { type Drift, driftOf } from "./drift.ts";
import { gatingCount, type Hypothesis, type Unanswerable } from "./hypotheses.ts";
import { calmPart, type RoundValue, readSeries } from "./series.ts";
import { waiverOf } from "./waiver.ts";

/** Unlike that of the comparison alongside. */
function storedId({ id }: Pick<Hypothesis, "id">): string {
  return `${id} against the stored baseline`;
}

export interface StoredRequest {
  config: Config;
  samples: Samples;
  hypotheses: readonly Hypothesis[];
  baselines: readonly Baseline[];
  /** Of the default branch, in any order. */
  history: readonly HistoryRecord[];
  faults: readonly Fault[];
  waivers: readonly Waiver[];
  now: string;
}

export interface StoredResult {
  /** Of every question that is not of level info, in their order. */
  comparisons: JudgedComparison[];
  unanswerable: ReadonlyMap<string, Unanswerable>;
  cautions: Caution[];
}

const DAY_MS = 24 * 3600 * 1000;

export function compareStored(request: StoredRequest): StoredResult {
  const { samples, config, hypotheses } = request;
  const alone = samples.run.compare === "stored";
  if (!alone && request.baselines.length === 0) {
    return { comparisons: [], unanswerable: new Map(), cautions: [] };
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
  const cautions: Caution[] = [];
  for (const service of config.services) {
    const baseline = baselineOf(request, service.name);
    if (baseline === null) continue;
    const ageDays = (Date.parse(request.now) - Date.parse(baseline.recordedAt)) / DAY_MS;
    const { maxAgeDays } = config.baselines;
    if (ageDays > maxAgeDays) {
      cautions.push({ code: "stale", service: service.name, ageDays, maxAgeDays });
    }
  }
  for (const { id, state } of comparisons) {
    if (!alone && state === "regressed") cautions.push({ code: "creep", comparison: id });
  }
  return { comparisons, unanswerable, cautions };
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
  comparison: JudgedComparison;
  never: Unanswerable | null;
}

function compareOne(hypothesis: Hypothesis, request: StoredRequest, gating: number): OneResult {
  const { samples, config } = request;
  // Memory depends on all of a launch's load, so only whole rounds compare with stored ones.
  const series = calmPart(
    hypothesis.scenario === null
      ? readSeries(hypothesis, wholeRounds(samples))
      : readSeries(hypothesis, samples.rounds),
  );
  const baseline = baselineOf(request, hypothesis.service);
  const key = baselineKey(hypothesis);
  const values = baseline?.metrics[key] ?? [];
  const obstacle =
    baseline === null
      ? ({ code: "no-baseline", runnerClass: config.runner.class } as const)
      : obstacleOf(incomparable(baseline, samples, hypothesis), key, values);
  const seen = baseline === null ? null : driftFor(hypothesis, baseline, request);
  const drift = seen?.known === true ? seen.margin : null;
  const candidate = series.values.slice(0, series.beforeZero).map((value) => value.candidate);
  const floor = floorAt(values, hypothesis);
  const waiver = waiverOf(request.waivers, hypothesis);
  const known = obstacle === null ? values : [];
  const rule = ruleOf({ ...hypothesis.policy, floor }, config.policy, gating);
  const answered = answer(waiver, rule, (one) =>
    decideStored(candidate, known, { ...one, driftMargin: drift ?? 0 }),
  );
  const { decision, held } = answered;
  const fault = faultOf(hypothesis, request.faults);
  const never =
    obstacle !== null
      ? "no-baseline"
      : drift === null
        ? "no-drift"
        : series.zeros > 0
          ? "zero"
          : null;
  const rounds = series.values.length;
  const state = stateOf({ answered, fault, obstacle, drift, rounds });
  const finding =
    obstacle ??
    (seen !== null && !seen.known
      ? ({
          code: "no-drift",
          rounds,
          needed: seen.needed,
          nights: seen.nights,
          ready: seen.ready,
        } as const)
      : findingOf({ ...answered, state }, series, {
          waiver,
          margin: rule.margin,
          fewest: FEWEST_LAUNCHES,
        }));
  const referenceLevel = obstacle === null ? median(values) : Number.NaN;
  const shown: RoundValue[] = series.values.map((value) => ({
    ...value,
    reference: referenceLevel,
    d: Math.log(value.candidate / referenceLevel),
  }));
  return {
    never,
    comparison: {
      ...describe(hypothesis, shown, decision, { rule, drift: drift ?? 0 }),
      id: storedId(hypothesis),
      against: "stored",
      drift,
      state,
      waiver: held,
      finding: state === "invalid" && fault !== null ? { code: "fault", fault } : finding,
    },
  };
}

/** The machine's drift in this metric since the baseline was recorded. */
export function driftFor(
  hypothesis: Hypothesis,
  baseline: Baseline,
  { history, now, config }: Pick<StoredRequest, "history" | "now" | "config">,
): Drift {
  return driftOf({
    history,
    runnerClass: config.runner.class,
    series: seriesId(hypothesis),
    ...workloadOf(hypothesis, config),
    earlier: baseline.recordedAt,
    now,
  });
}

/** What keeps stored values from being compared with; null: nothing. */
type Obstacle = Extract<Finding, { code: "no-baseline" | "incomparable" | "no-stored-value" }>;

function obstacleOf(
  difference: string | null,
  key: string,
  values: readonly number[],
): Obstacle | null {
  if (difference !== null) return { code: "incomparable", difference };
  return values.length === 0 ? { code: "no-stored-value", key } : null;
}

interface Outcome {
  answered: Answer;
  fault: Fault | null;
  obstacle: Obstacle | null;
  drift: number | null;
  rounds: number;
}

function stateOf({ answered, fault, obstacle, drift, rounds }: Outcome): ComparisonState {
  // Where nothing could be measured there is no fault either.
  const unasked =
    (fault?.kind === "missing" || fault?.kind === "otherwise") &&
    fault.rule === null &&
    rounds === 0;
  if (fault !== null && !unasked) return "invalid";
  if (obstacle !== null) return "no-baseline";
  // Without a known drift a change cannot be told from the machine's own.
  if (drift === null) return "inconclusive";
  return fault === null ? answered.state : "invalid";
}
