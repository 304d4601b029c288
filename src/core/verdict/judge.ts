// The verdict: a pure function of samples, policy, baselines and history.
import type { Baseline } from "../model/baseline.ts";
import type { Waiver } from "../model/config.ts";
import type { Fault } from "../model/fault.ts";
import type { HistoryRecord } from "../model/history.ts";
import { wholeId } from "../model/mix.ts";
import type { Samples } from "../model/samples.ts";
import type {
  Cause,
  ComparisonState,
  JudgedComparison,
  Judgement,
  VerdictState,
} from "../model/verdict.ts";
import { adviseNext } from "./advice.ts";
import { compareAlongside, faultOf } from "./compare.ts";
import { withGrowth } from "./growth.ts";
import { askedOf, gatingCount, listHypotheses, type Unanswerable } from "./hypotheses.ts";
import { mostRoundsOf } from "./most-rounds.ts";
import { differingCautions, withEqualWork } from "./same-answers.ts";
import { readSeries } from "./series.ts";
import { compareStored, type StoredRequest, type StoredResult } from "./stored.ts";
import { findFaults, lostScenarios, roundsOfEqualWork } from "./validity.ts";
import { isExpired, waiverOf } from "./waiver.ts";
import { type AdmittedWaivers, summarizeWaivers, waiverCautions } from "./waiver-outcome.ts";
import { findCautions } from "./warnings.ts";

interface JudgeInput {
  samples: Samples;
  /** Of any service; those of other services are ignored. */
  baselines: readonly Baseline[];
  /** Of the default branch: the machine's drift is learned from it. Default: none. */
  history?: readonly HistoryRecord[];
  /**
   * ISO 8601: baselines' ages and waivers' last days are counted to here. Default: the run's start.
   */
  now?: string;
  /** Default: all of the samples' configuration, of unknown origin. */
  waivers?: AdmittedWaivers;
  /** Faults that the samples cannot show, such as a missing scenario; they come first. */
  faults?: readonly Fault[];
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

/** A fault known from elsewhere replaces `missing`. */
function allFaults({ samples, faults = [] }: JudgeInput): Fault[] {
  const explained = new Set(faults.map(({ scenario }) => scenario));
  const found = findFaults(samples).filter(
    ({ kind, scenario }) => kind !== "missing" || !explained.has(scenario),
  );
  return [...faults, ...found];
}

export function judge(input: JudgeInput): Judgement {
  const { samples, baselines, history = [], now = input.samples.run.startedAt } = input;
  const { config } = samples;
  const admitted = admittedOf(input);
  const waivers = inForce(admitted, now);
  const hypotheses = askedOf(samples);
  const faults = allFaults(input);
  const asked = { config, samples, hypotheses, faults, waivers };

  const stored = compareStored({ ...asked, baselines, history, now });
  const { comparisons: alongside, unanswerable } =
    samples.run.compare === "stored" ? stored : compareAll(asked);

  const deciding = alongside.filter(({ level }) => level === "gate");
  const state = overallState(deciding, {
    runIsBroken: faults.some((fault) => fault.scenario === null),
    hasFailed: faults.some(({ kind }) => kind === "failure"),
    unchanged: gatingCount(listHypotheses(config)) - gatingCount(hypotheses),
  });
  const outcomes = summarizeWaivers({
    admitted,
    comparisons:
      samples.run.compare === "stored" ? alongside : [...alongside, ...stored.comparisons],
    day: now,
  });
  return {
    state,
    causes: causesOf(state, deciding, faults),
    advice: adviseNext(state, { deciding, faults, samples, unanswerable, waivers: outcomes }),
    comparisons: alongside,
    unchanged: samples.unchanged ?? [],
    stored: samples.run.compare === "stored" ? [] : stored.comparisons,
    cautions: [
      ...findCautions(samples, alongside),
      ...stored.cautions,
      ...waiverCautions(outcomes, now),
    ],
    waivers: outcomes,
    faults,
  };
}

type Answers = Omit<StoredResult, "cautions">;

type Asked = Omit<StoredRequest, "baselines" | "history" | "now">;

function compareAll({ config, samples, hypotheses, faults, waivers }: Asked): Answers {
  const gating = gatingCount(hypotheses);
  const unanswerable = new Map<string, Unanswerable>();
  const ofEqualWork = roundsOfEqualWork(samples);
  const differing = differingCautions(samples);
  const comparisons = hypotheses.map((hypothesis) => {
    const rounds = hypothesis.scenario === null ? ofEqualWork : samples.rounds;
    const series = readSeries(hypothesis, rounds);
    if (series.zeros > 0) unanswerable.set(hypothesis.id, "zero");
    const comparison = compareAlongside({
      hypothesis,
      series,
      gating,
      policy: config.policy,
      waiver: waiverOf(waivers, hypothesis),
      fault: faultOf(hypothesis, faults),
    });
    return withGrowth(withEqualWork(comparison, differing), rounds);
  });
  return { comparisons, unanswerable };
}

/**
 * A broken run blames nobody. Otherwise a proven regression stands, and what could not be told is
 * never a pass, nor is a failed service. `unchanged`: gated hypotheses of services that are the
 * same.
 */
function overallState(
  deciding: readonly JudgedComparison[],
  {
    runIsBroken,
    hasFailed,
    unchanged,
  }: { runIsBroken: boolean; hasFailed: boolean; unchanged: number },
): VerdictState {
  if (runIsBroken) return "invalid";
  const states = new Set(deciding.map(({ state }) => state));
  if (hasFailed) states.add("invalid");
  // The same build is no worse than itself.
  if (unchanged > 0) states.add("pass");
  // Nothing gated is nothing shown.
  if (states.size === 0) return "inconclusive";
  // Worse and accepted counts as a pass, and hides improvements.
  for (const accepted of ACCEPTED) {
    if (!states.delete(accepted)) continue;
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

/** States of comparisons that are worse and let the pull request through, most important first. */
const ACCEPTED: readonly ComparisonState[] = ["waived", "worse-within"];

function causesOf(
  state: VerdictState,
  deciding: readonly JudgedComparison[],
  faults: readonly Fault[],
): Cause[] {
  const unlike = new Map(faults.map((fault) => [JSON.stringify(fault), fault]));
  const ofFaults = [...unlike.values()].map(
    (fault): Cause => ({ comparison: null, finding: { code: "fault", fault } }),
  );
  if (state === "invalid") return ofFaults;
  const decisive: readonly ComparisonState[] = state === "pass" ? ACCEPTED : [state];
  const otherWork = deciding.filter(({ finding }) => finding.code === "better-at-other-work");
  const ofState = [
    ...decisive.flatMap((wanted) => deciding.filter((comparison) => comparison.state === wanted)),
    ...(state === "pass" ? otherWork : []),
  ].map(({ id, finding }) => ({ comparison: id, finding }));
  // Faults beside a regression are named although they did not cause it.
  return state === "regressed" ? [...ofState, ...ofFaults] : ofState;
}

/** What is still undecided, so that the run knows what to measure next. */
export interface OpenQuestions {
  /** Ids of the gating hypotheses without an answer that could still get one. */
  hypotheses: ReadonlySet<string>;
  scenarios: ReadonlySet<string>;
  /** Services with an undecided metric: all their scenarios go on, since memory depends on all. */
  services: ReadonlySet<string>;
  /** Services undecided on rare slow answers. */
  rare: ReadonlySet<string>;
  /** Ids of the gating hypotheses that no round can answer. */
  unanswerable: ReadonlySet<string>;
  /** A regression is proven that no waiver covers. */
  regressed: boolean;
  lost: ReadonlySet<string>;
}

const UNDECIDED: ReadonlySet<ComparisonState> = new Set(["inconclusive", "no-baseline"]);

/** Only gating hypotheses keep a run going. `mostRounds`: after which one is left open. */
export function openQuestions(input: JudgeInput & { mostRounds?: number }): OpenQuestions {
  const { samples, baselines, history = [], now = input.samples.run.startedAt } = input;
  const { config, run } = samples;
  const waivers = inForce(admittedOf(input), now);
  const all = askedOf(samples);
  const gating = all.filter(({ policy }) => policy.level === "gate");
  const found = findFaults(samples);
  const lost = lostScenarios(samples, found);
  const faults = found.filter(({ scenario }) => scenario !== null && lost.has(wholeId(scenario)));
  const asked = { config, samples, hypotheses: gating, faults, waivers };
  const { comparisons, unanswerable } =
    run.compare === "stored"
      ? compareStored({ ...asked, baselines, history, now })
      : compareAll(asked);
  const most = input.mostRounds ?? mostRoundsOf(run);
  // A service with no scenario left is not started for its memory alone.
  const loaded = new Set(
    config.scenarios.filter(({ id }) => !lost.has(id)).map(({ service }) => service),
  );
  const open = comparisons.filter(
    (one) => !unanswerable.has(one.id) && loaded.has(one.service) && isOpen(one, most),
  );
  return {
    hypotheses: new Set(open.map(({ id }) => id)),
    scenarios: new Set(
      open.flatMap(({ scenario }) => (scenario === null ? [] : wholeId(scenario))),
    ),
    services: new Set(
      open.filter(({ scenario }) => scenario === null).map(({ service }) => service),
    ),
    rare: new Set(open.filter(({ metric }) => metric === "slow").map(({ service }) => service)),
    unanswerable: new Set(
      comparisons
        .filter(({ id, state }) => unanswerable.has(id) && UNDECIDED.has(state))
        .map(({ id }) => id),
    ),
    regressed: comparisons.some(({ state }) => state === "regressed"),
    lost,
  };
}

/** What is waived without a proven regression may yet pass by itself. */
function isOpen({ state, series, waiver }: JudgedComparison, mostRounds: number): boolean {
  const unsettled = state === "waived" && waiver?.regressionProven === false;
  return (state === "inconclusive" || unsettled) && series.length < mostRounds;
}
