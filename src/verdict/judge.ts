// The verdict: a pure function of samples, policy and stored baselines. Judging a samples file again gives the same verdict
// to the byte, because nothing else goes in.
import type { Baseline } from "../model/baseline.ts";
import type { Samples } from "../model/samples.ts";
import type { Comparison, Verdict, VerdictState } from "../model/verdict.ts";
import { compareAlongside } from "./compare.ts";
import { gatingCount, type Hypothesis, listHypotheses } from "./hypotheses.ts";
import { compareStored } from "./stored.ts";
import { findFaults, type MeasurementFault } from "./validity.ts";
import { findWarnings } from "./warnings.ts";
import { adviseNext, describeHeadline } from "./wording.ts";

export interface JudgeInput {
  samples: Samples;
  /** Of any service; those of other services are ignored. */
  baselines: readonly Baseline[];
  /** ISO 8601; the age of a baseline is counted to here. Default: the run's start, so that a replay says the same. */
  now?: string;
}

export function judge({ samples, baselines, now }: JudgeInput): Verdict {
  const { config } = samples;
  const hypotheses = listHypotheses(config);
  const faults = findFaults(samples);
  const against = { config, samples, baselines, now: now ?? samples.run.startedAt };

  const stored = compareStored({ ...against, hypotheses, faults });
  const alongside =
    samples.run.compare === "stored" ? stored.comparisons : compareAll(samples, hypotheses, faults);

  const runFault = faults.find((fault) => fault.scenario === null);
  const state = overallState(alongside, runFault !== undefined);
  const deciding = alongside.filter(({ level }) => level === "gate");
  const warnings = [...findWarnings(samples, alongside), ...stored.warnings];
  return {
    state,
    headline: describeHeadline(state, deciding, faults),
    reasons: reasonsOf(state, deciding, faults),
    next: adviseNext(state, { deciding, faults, samples }),
    comparisons: alongside,
    stored: samples.run.compare === "stored" ? [] : stored.comparisons,
    warnings,
  };
}

function compareAll(
  samples: Samples,
  hypotheses: readonly Hypothesis[],
  faults: readonly MeasurementFault[],
): Comparison[] {
  const gating = gatingCount(hypotheses);
  return hypotheses.map((hypothesis) =>
    compareAlongside({
      hypothesis,
      gating,
      policy: samples.config.policy,
      rounds: samples.rounds,
      fault: faultOf(hypothesis, faults),
    }),
  );
}

/** A fault of the run spoils every hypothesis, one of a scenario its own. */
export function faultOf(
  hypothesis: Hypothesis,
  faults: readonly MeasurementFault[],
): MeasurementFault | null {
  return (
    faults.find((fault) => fault.scenario === null) ??
    faults.find(
      (fault) => hypothesis.scenario !== null && fault.scenario === hypothesis.scenario,
    ) ??
    null
  );
}

/**
 * A broken run blames nobody. Short of that a proven regression stands, whatever else could not be told; and what could not
 * be measured or told is never a pass.
 */
function overallState(comparisons: readonly Comparison[], runIsBroken: boolean): VerdictState {
  if (runIsBroken) return "invalid";
  const states = new Set(
    comparisons.filter(({ level }) => level === "gate").map(({ state }) => state),
  );
  // Nothing gated is nothing shown.
  if (states.size === 0) return "inconclusive";
  const byPrecedence: VerdictState[] = [
    "regressed",
    "invalid",
    "no-baseline",
    "inconclusive",
    "improved",
    "pass",
  ];
  return byPrecedence.find((state) => states.has(state)) ?? "inconclusive";
}

function reasonsOf(
  state: VerdictState,
  deciding: readonly Comparison[],
  faults: readonly MeasurementFault[],
): string[] {
  const ofFaults = state === "invalid" ? faults.map(withDetail) : [];
  const ofComparisons = deciding
    .filter((comparison) => comparison.state === state && state !== "pass" && state !== "invalid")
    .map(({ reason }) => reason);
  return [...new Set([...ofFaults, ...ofComparisons])];
}

/** The first line says what; what the service or the tool printed follows. */
function withDetail({ text, detail }: MeasurementFault): string {
  return detail === "" ? text : `${text}\n${detail}`;
}

/** What is still undecided, so that the run knows what to measure next. */
export interface OpenQuestions {
  /** Ids of the gating hypotheses without an answer that could still get one. */
  hypotheses: ReadonlySet<string>;
  /** Scenario ids that need more rounds. */
  scenarios: ReadonlySet<string>;
  /** Services with an undecided metric of their own: all their scenarios go on, because memory is read under all of them. */
  services: ReadonlySet<string>;
}

/** Only gating hypotheses keep a run going; advisory ones are answered with the rounds that those need. */
export function openQuestions({ samples, baselines }: JudgeInput): OpenQuestions {
  const { config, run } = samples;
  const all = listHypotheses(config);
  const gating = all.filter(({ policy }) => policy.level === "gate");
  const comparisons =
    run.compare === "stored"
      ? compareStored({
          config,
          samples,
          hypotheses: gating,
          baselines,
          faults: [],
          now: run.startedAt,
        }).comparisons
      : compareAll(samples, gating, []);
  const open = comparisons.filter(
    ({ state, looks }) => state === "inconclusive" && looks.length < config.policy.looks.length,
  );
  return {
    hypotheses: new Set(open.map(({ id }) => id)),
    scenarios: new Set(open.flatMap(({ scenario }) => scenario ?? [])),
    services: new Set(
      open.filter(({ scenario }) => scenario === null).map(({ service }) => service),
    ),
  };
}
