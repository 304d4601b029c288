// The verdict: a pure function of samples, policy, baselines and history.
import type { Baseline } from "../model/baseline.ts";
import type { Caution, Fault } from "../model/fault.ts";
import type { HistoryRecord } from "../model/history.ts";
import { METRIC_FACTS } from "../model/metric.ts";
import { wholeId } from "../model/mix.ts";
import type { Samples } from "../model/samples.ts";
import type {
  Cause,
  ComparisonState,
  JudgedComparison,
  Judgement,
  VerdictState,
} from "../model/verdict.ts";
import { joined } from "../model/workload.ts";
import { adviseNext } from "./advice.ts";
import { compareAnswers } from "./answers.ts";
import { compareAlongside, faultOf } from "./compare.ts";
import { hasShare, ruleOf } from "./decide.ts";
import { type Futility, findFutility, mostRoundsOf } from "./futility.ts";
import { withGrowth } from "./growth.ts";
import {
  gatedOf,
  gatingCount,
  isOfAnswers,
  isOfLaunches,
  listHypotheses,
  measuredOf,
  newScenarios,
  type Unanswerable,
} from "./hypotheses.ts";
import { differingCautions, withEqualWork } from "./same-answers.ts";
import { readSeries } from "./series.ts";
import { methodOf } from "./slow.ts";
import { withSlowAnswers } from "./slow-answers.ts";
import { type Answers, besideStored, compareStored, type Evidence } from "./stored.ts";
import {
  cannotRecover,
  findFaults,
  lastingFaults,
  lostScenarios,
  roundsOfEqualWork,
} from "./validity.ts";
import { isExpired, waiverOf } from "./waiver.ts";
import { type AdmittedWaivers, summarizeWaivers, waiverCautions } from "./waiver-outcome.ts";
import { findCautions, unsteadyCpus } from "./warnings.ts";

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

/** With what it leaves out, and the waivers that have not expired. */
function completed({
  samples,
  baselines,
  history = [],
  now = samples.run.startedAt,
  waivers: admitted = samples.config.waivers.map((waiver) => ({ waiver, origin: null })),
}: JudgeInput) {
  const waivers = admitted.map(({ waiver }) => waiver).filter((waiver) => !isExpired(waiver, now));
  return { samples, baselines, history, now, admitted, waivers };
}

/** A fault known from elsewhere replaces `missing`. */
function joinFaults(known: readonly Fault[], found: readonly Fault[]): Fault[] {
  const explained = new Set(known.map(({ scenario }) => scenario));
  return [
    ...known,
    ...found.filter(({ kind, scenario }) => kind !== "missing" || !explained.has(scenario)),
  ];
}

export function judge(input: JudgeInput): Judgement {
  const { admitted, ...terms } = completed(input);
  const { samples, now } = terms;
  const { oneArm = joined([]) } = samples;
  const found = findFaults(samples);
  const differing = differingCautions(samples);
  const measured = measuredOf(samples);
  const hypotheses = measured.filter(({ isNew }) => isNew !== true);
  const faults = joinFaults(input.faults ?? [], found);
  const asked = { ...terms, hypotheses, faults };

  const isStored = samples.run.compare === "stored";
  const stored = compareStored(asked);
  const { unanswerable, ...answered } = compareAll(
    { ...asked, hypotheses: measured },
    { found, differing, stored: isStored ? stored : null },
  );
  const comparisons = answered.comparisons.map(settled);

  const added = new Set(measured.flatMap(({ id, isNew }) => (isNew === true ? id : [])));
  const deciding = comparisons.filter(({ id, level }) => level === "gate" && !added.has(id));
  const same = new Set(samples.unchanged?.map(({ service }) => service));
  const state = overallState(deciding, {
    runIsBroken: faults.some((fault) => fault.scenario === null),
    hasFailed: faults.some(({ kind }) => kind === "failure"),
    passes:
      gatedOf(listHypotheses(samples.config)).some(({ service }) => same.has(service)) ||
      comparisons.some(({ id, rounds }) => added.has(id) && rounds > 0),
  });
  const wrong = deciding.filter((one) => one.state === "regressed" && one.answers !== undefined);
  const isTold = (fault: Fault): boolean =>
    fault.kind === "errors" &&
    fault.arm === "candidate" &&
    wrong.some(({ scenario }) => scenario === fault.scenario);
  const untold = faults.filter((fault) => !isTold(fault));
  const waivers = summarizeWaivers({
    admitted,
    comparisons: isStored ? comparisons : [...comparisons, ...stored.comparisons],
    day: now,
  });
  return {
    state,
    causes: causesOf(state, deciding, untold),
    advice: adviseNext(state, { deciding, faults: untold, samples, unanswerable, waivers }),
    comparisons,
    unchanged: samples.unchanged ?? [],
    oneArm: isStored
      ? besideStored(asked)
      : { ...oneArm, new: [...newScenarios(samples), ...oneArm.new] },
    stored: isStored ? [] : stored.comparisons,
    cautions: [
      ...findCautions(samples, comparisons, differing),
      ...stored.cautions,
      ...waiverCautions(waivers, now),
    ],
    waivers,
    faults,
  };
}

/** What another machine's baseline leaves open is as if there were none: none is of this one yet. */
function settled(one: JudgedComparison): JudgedComparison {
  const isOpen = one.state === "inconclusive" && one.machine !== undefined;
  return isOpen ? { ...one, state: "no-baseline" } : one;
}

interface Seen {
  /** Faults that the samples show. */
  found: readonly Fault[];
  differing: readonly Caution[];
  /** What a candidate measured alone is compared with, while its limits are its own; null: it was not. */
  stored: Answers | null;
}

function compareAll(
  { samples, hypotheses, faults, waivers }: Evidence,
  { found, differing, stored }: Seen,
): Answers & { shared: ReadonlySet<string> } {
  const { policy } = samples.config;
  const gating = gatingCount(hypotheses.filter(({ isNew }) => isNew !== true));
  const unanswerable = new Map<string, Unanswerable>();
  const shared = new Set<string>();
  const { shard, continuedAfter = [] } = samples.run;
  // Of how many a shard must bring its share; one fewer each time that it is resumed. 1: it is none.
  const shards = Math.max(1, (shard?.parts ?? 1) - continuedAfter.length);
  const ofEqualWork = roundsOfEqualWork(samples, found);
  const own = hypotheses.filter(({ against }) => stored === null || against === "limit");
  const comparisons = own.map((hypothesis) => {
    if (isOfAnswers(hypothesis)) return compareAnswers(hypothesis, { samples, faults, gating });
    const rounds = isOfLaunches(hypothesis) ? ofEqualWork : samples.rounds;
    const series = readSeries(hypothesis, rounds);
    if (series.zeros > 0) unanswerable.set(hypothesis.id, "zero");
    const [waiver, fault] = [waiverOf(waivers, hypothesis), faultOf(hypothesis, faults)];
    const comparison = compareAlongside({ hypothesis, series, gating, policy, waiver, fault });
    if (shards > 1 && comparison.state === "inconclusive" && comparison.waiver === null) {
      const values = series.values.slice(0, series.beforeZero);
      const rule = ruleOf(comparison, policy, gating);
      const method = methodOf(hypothesis, rule);
      if (hasShare(values, rule, { method, shards })) shared.add(hypothesis.id);
    }
    if (hypothesis.against === "limit") return comparison;
    const known = withGrowth(withEqualWork(comparison, differing), rounds);
    return withSlowAnswers(known, rounds, samples.config.scenarios);
  });
  if (stored === null) return { comparisons, unanswerable, shared };
  return { ...stored, comparisons: [...stored.comparisons, ...comparisons], shared };
}

/**
 * A broken run blames nobody. Otherwise a proven regression stands, and what could not be told is
 * never a pass, nor is a failed service. `passes`: services are the same, or what is new answered.
 * What has nothing stored to be compared with decides only where nothing has.
 */
function overallState(
  deciding: readonly JudgedComparison[],
  { runIsBroken, hasFailed, passes }: { runIsBroken: boolean; hasFailed: boolean; passes: boolean },
): VerdictState {
  if (runIsBroken) return "invalid";
  const states = new Set(deciding.map(({ state }) => state));
  if (hasFailed) states.add("invalid");
  // The same build is no worse than itself.
  if (passes) states.add("pass");
  const isCompared = ({ against, state }: JudgedComparison): boolean =>
    against !== "limit" && state !== "no-baseline";
  if (deciding.some(isCompared)) states.delete("no-baseline");
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
  const decisive = state === "pass" ? [...ACCEPTED, "no-baseline"] : [state];
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
  /** Services with an undecided metric: all their scenarios go on, since it depends on all. */
  services: ReadonlySet<string>;
  /** Of those, services undecided on memory, which takes time to read. */
  memory: ReadonlySet<string>;
  /** Services undecided on rare slow answers. */
  rare: ReadonlySet<string>;
  /** How many gating hypotheses have their answer; of a shard, or their share of rounds. */
  answered: number;
  /** Ids of the gating hypotheses that no round can answer. */
  unanswerable: ReadonlySet<string>;
  /** A regression is proven that no waiver covers. */
  regressed: boolean;
  lost: ReadonlySet<string>;
  /** No further round can make it anything but `invalid`, whatever scenario it is of. */
  isHopeless: boolean;
  /** Null: the time left may answer everything; also against stored values. */
  futility: Futility | null;
}

/** More hardly change the median that is shown. */
export const ROUNDS_OF_NEW = 5;

const UNDECIDED: ReadonlySet<ComparisonState> = new Set(["inconclusive", "no-baseline"]);
const UNANSWERED = UNDECIDED.union(new Set<ComparisonState>(["invalid", "new"]));

type OpenInput = JudgeInput & { mostRounds?: number; leftMs?: number };

/**
 * Only gating hypotheses keep a run going. `mostRounds`: after which one is left open. `leftMs`: of
 * the time budget; absent: time enough.
 */
export function openQuestions({ leftMs = Infinity, ...input }: OpenInput): OpenQuestions {
  const terms = completed(input);
  const { samples } = terms;
  const { config, run } = samples;
  const found = findFaults(samples);
  const lost = lostScenarios(samples, found);
  const faults = lastingFaults(samples, found);
  const hypotheses = gatedOf(measuredOf(samples));
  const compared = hypotheses.filter(({ isNew }) => isNew !== true);
  const asked = { ...terms, hypotheses, faults };
  const { comparisons, unanswerable, shared } = compareAll(asked, {
    found,
    differing: differingCautions(samples),
    stored: run.compare === "stored" ? compareStored(asked) : null,
  });
  const most = input.mostRounds ?? mostRoundsOf(run);
  const parts = run.shard?.parts ?? 1;
  // A service with no scenario left is not started for its memory alone.
  const loaded = new Set(
    config.scenarios.filter(({ id }) => !lost.has(id)).map(({ service }) => service),
  );
  const open = comparisons.filter(
    (one) =>
      !unanswerable.has(one.id) &&
      !shared.has(one.id) &&
      loaded.has(one.service) &&
      isOpen(one, { most, parts }),
  );
  const isSteady = unsteadyCpus(samples, comparisons).length === 0;
  const servicesWith = (isOf: (one: JudgedComparison) => boolean): ReadonlySet<string> =>
    new Set(open.filter(isOf).map(({ service }) => service));
  const ids = new Set(open.map(({ id }) => id));
  return {
    hypotheses: ids,
    answered: comparisons.filter(
      ({ id, state }) => shared.has(id) || !(ids.has(id) || UNANSWERED.has(state)),
    ).length,
    scenarios: new Set(
      open.flatMap(({ scenario, among = [] }) => (scenario === null ? among : wholeId(scenario))),
    ),
    services: servicesWith(isOfLaunches),
    memory: servicesWith(({ metric }) => METRIC_FACTS[metric].unit === "bytes"),
    rare: servicesWith(({ metric }) => metric === "slow"),
    unanswerable: new Set(
      comparisons
        .filter(({ id, state }) => unanswerable.has(id) && UNDECIDED.has(state))
        .map(({ id }) => id),
    ),
    regressed: comparisons.some(({ state }) => state === "regressed"),
    lost,
    isHopeless: cannotRecover(samples, found),
    // A shard does not know what the others see.
    futility:
      run.compare === "stored" || parts > 1
        ? null
        : findFutility(samples, compared, open, { leftMs, isSteady }),
  };
}

/** What is waived without a proven regression may yet pass by itself. */
function isOpen(
  { state, series, rounds, waiver }: JudgedComparison,
  { most, parts }: { most: number; parts: number },
): boolean {
  const unsettled = state === "waived" && waiver?.regressionProven === false;
  if (state === "new") return parts * rounds < ROUNDS_OF_NEW;
  return (state === "inconclusive" || unsettled) && series.length < most;
}
