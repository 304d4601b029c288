// The verdict: a pure function of samples, policy and stored baselines. Judging a samples file again gives the same verdict
// to the byte, because nothing else goes in.
import type { Baseline } from "../model/baseline.ts";
import type { Waiver } from "../model/config.ts";
import type { Samples } from "../model/samples.ts";
import type { Comparison, ComparisonState, Verdict, VerdictState } from "../model/verdict.ts";
import { compareAlongside } from "./compare.ts";
import { gatingCount, type Hypothesis, listHypotheses, type Unanswerable } from "./hypotheses.ts";
import { readSeries } from "./series.ts";
import { compareStored } from "./stored.ts";
import { findFaults, type MeasurementFault } from "./validity.ts";
import { isExpired, waiverOf } from "./waiver.ts";
import { type AdmittedWaivers, summarizeWaivers, waiverWarnings } from "./waiver-outcome.ts";
import { findWarnings } from "./warnings.ts";
import { adviseNext, describeHeadline } from "./wording.ts";

export interface JudgeInput {
  samples: Samples;
  /** Of any service; those of other services are ignored. */
  baselines: readonly Baseline[];
  /**
   * ISO 8601; the age of a baseline is counted to here, and waivers whose last day is before it do not count. Default: the
   * run's start, so that a replay says the same.
   */
  now?: string;
  /** Default: all of the samples' configuration, of unknown origin. */
  waivers?: AdmittedWaivers;
  /** Faults that the samples cannot show, such as a scenario that should be in them; they come before those found. */
  faults?: readonly MeasurementFault[];
}

function admittedOf({ samples, waivers }: JudgeInput): AdmittedWaivers {
  return (
    waivers ?? {
      counted: samples.config.waivers.map((waiver) => ({ waiver, origin: null })),
      proposed: [],
    }
  );
}

function inForce({ counted }: AdmittedWaivers, day: string): Waiver[] {
  return counted.map(({ waiver }) => waiver).filter((waiver) => !isExpired(waiver, day));
}

/** What is known to be missing is said once, in the better words. */
function allFaults({ samples, faults = [] }: JudgeInput): MeasurementFault[] {
  const explained = new Set(faults.map(({ scenario }) => scenario));
  const found = findFaults(samples).filter(
    ({ kind, scenario }) => kind !== "missing" || !explained.has(scenario),
  );
  return [...faults, ...found];
}

export function judge(input: JudgeInput): Verdict {
  const { samples, baselines, now = input.samples.run.startedAt } = input;
  const { config } = samples;
  const admitted = admittedOf(input);
  const waivers = inForce(admitted, now);
  const hypotheses = listHypotheses(config);
  const faults = allFaults(input);
  const against = { config, samples, baselines, waivers, now };

  const stored = compareStored({ ...against, hypotheses, faults });
  const { comparisons: alongside, unanswerable } =
    samples.run.compare === "stored"
      ? stored
      : compareAll({ samples, hypotheses, faults, waivers });

  const runFault = faults.find((fault) => fault.scenario === null);
  const state = overallState(alongside, runFault !== undefined);
  const deciding = alongside.filter(({ level }) => level === "gate");
  const outcomes = summarizeWaivers({
    admitted,
    comparisons:
      samples.run.compare === "stored" ? alongside : [...alongside, ...stored.comparisons],
    day: now,
  });
  const warnings = [
    ...findWarnings(samples, alongside),
    ...stored.warnings,
    ...waiverWarnings(outcomes, now),
  ];
  return {
    state,
    headline: describeHeadline(state, deciding, faults),
    reasons: reasonsOf(state, deciding, faults),
    next: adviseNext(state, { deciding, faults, samples, unanswerable, waivers: outcomes }),
    comparisons: alongside,
    stored: samples.run.compare === "stored" ? [] : stored.comparisons,
    warnings,
    waivers: outcomes,
  };
}

interface Answers {
  comparisons: Comparison[];
  /** By id: what is open of these stays so. */
  unanswerable: ReadonlyMap<string, Unanswerable>;
}

function compareAll({
  samples,
  hypotheses,
  faults,
  waivers,
}: {
  samples: Samples;
  hypotheses: readonly Hypothesis[];
  faults: readonly MeasurementFault[];
  waivers: readonly Waiver[];
}): Answers {
  const gating = gatingCount(hypotheses);
  const unanswerable = new Map<string, Unanswerable>();
  for (const hypothesis of hypotheses) {
    if (readSeries(hypothesis, samples.rounds).zeros > 0) unanswerable.set(hypothesis.id, "zero");
  }
  const comparisons = hypotheses.map((hypothesis) =>
    compareAlongside({
      hypothesis,
      gating,
      policy: samples.config.policy,
      rounds: samples.rounds,
      waiver: waiverOf(waivers, hypothesis),
      fault: faultOf(hypothesis, faults),
    }),
  );
  return { comparisons, unanswerable };
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
  // What is waived blocks nobody, and nothing beside it is called an improvement.
  if (states.delete("waived")) {
    states.delete("improved");
    states.add("pass");
  }
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
  const decisive = state === "pass" ? "waived" : state;
  const ofComparisons = deciding
    .filter((comparison) => comparison.state === decisive && state !== "invalid")
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
  /** Ids of the gating hypotheses that no round can answer. */
  unanswerable: ReadonlySet<string>;
}

const UNDECIDED: ReadonlySet<ComparisonState> = new Set(["inconclusive", "no-baseline"]);

/**
 * Only gating hypotheses keep a run going; advisory ones are answered with the rounds that those need. `looks`: how many are
 * taken at most; absent: all of the policy's.
 */
export function openQuestions(input: JudgeInput & { looks?: number }): OpenQuestions {
  const { samples, baselines, now = input.samples.run.startedAt } = input;
  const { config, run } = samples;
  const waivers = inForce(admittedOf(input), now);
  const all = listHypotheses(config);
  const gating = all.filter(({ policy }) => policy.level === "gate");
  const { comparisons, unanswerable } =
    run.compare === "stored"
      ? compareStored({
          config,
          samples,
          hypotheses: gating,
          baselines,
          faults: [],
          waivers,
          now,
        })
      : compareAll({ samples, hypotheses: gating, faults: [], waivers });
  const most = Math.min(input.looks ?? Number.POSITIVE_INFINITY, config.policy.looks.length);
  const open = comparisons.filter((one) => !unanswerable.has(one.id) && isOpen(one, most));
  return {
    hypotheses: new Set(open.map(({ id }) => id)),
    scenarios: new Set(open.flatMap(({ scenario }) => scenario ?? [])),
    services: new Set(
      open.filter(({ scenario }) => scenario === null).map(({ service }) => service),
    ),
    unanswerable: new Set(
      comparisons
        .filter(({ id, state }) => unanswerable.has(id) && UNDECIDED.has(state))
        .map(({ id }) => id),
    ),
  };
}

/** What is waived without a regression proven may yet pass by itself: it goes on as it would without the waiver. */
function isOpen({ state, looks, waiver }: Comparison, mostLooks: number): boolean {
  const unsettled = state === "waived" && waiver?.regressionProven === false;
  const taken = Math.max(looks.length, waiver?.looks.length ?? 0);
  return (state === "inconclusive" || unsettled) && taken < mostLooks;
}
