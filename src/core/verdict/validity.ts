// Whether the measurement can be trusted: what no further round can mend makes a run or a scenario
// `invalid`. The host is no part of it, and the arms' difference only as saturation of the
// reference.
import type { Scenario } from "../model/config.ts";
import type { Fault } from "../model/fault.ts";
import { splitIntoParts, wholeId } from "../model/mix.ts";
import { entriesOf, mostFirst, voidsByRule } from "../model/parts.ts";
import type {
  Round,
  RoundFailure,
  Samples,
  ScenarioRound,
  Slice,
  SliceRule,
} from "../model/samples.ts";
import { isHostsLoss } from "../slice/disturbance.ts";
import { answerFaults, answersAreHopeless, gatedAnswers } from "./answers.ts";
import { isBeyondCapacity, seenCapacity } from "./capacity-seen.ts";
import { newScenarios } from "./hypotheses.ts";
import { differingFaults } from "./same-answers.ts";

/** Rounds after which too many faults are taken to persist. */
const ROUNDS_FOR_HOPE = 4;

export function findFaults(samples: Samples): Fault[] {
  const same = new Set(samples.unchanged?.map(({ service }) => service));
  return [
    ...failures(samples),
    ...samples.config.scenarios
      .filter(({ service }) => !same.has(service))
      .flatMap((scenario) => ofScenario(samples, scenario)),
  ];
}

/** What failed under one scenario says nothing of the others; any other failure spoils the run. */
function failures(samples: Samples): Fault[] {
  const unlike = new Map(
    samples.rounds.flatMap(failuresOf).map((failure) => [JSON.stringify(failure), failure]),
  );
  return [...unlike.values()].map(({ kind, scenario: under, ...rest }) => {
    const scenario = OF_ONE_SCENARIO.has(kind) ? under : null;
    return { kind: "failure", scenario, rule: null, ...rest };
  });
}

/** A generator or a dependency that fails would do so under every scenario. */
const OF_ONE_SCENARIO: ReadonlySet<RoundFailure["kind"]> = new Set(["answer", "slow", "crash"]);

function failuresOf({ failure, scenarios }: Round): RoundFailure[] {
  return [failure, ...scenarios.map((entry) => entry.failure)].flatMap((one) => one ?? []);
}

function hasFailed({ rounds }: Samples, scenario: string): boolean {
  return rounds
    .flatMap(failuresOf)
    .some((failure) => failure.scenario === scenario && OF_ONE_SCENARIO.has(failure.kind));
}

function ofScenario(samples: Samples, loaded: Scenario): Fault[] {
  const scenario = loaded.id;
  // Other faults would only follow from it.
  if (hasFailed(samples, scenario)) return [];
  const rounds = entriesOf(samples.rounds, scenario);
  const faults: Fault[] = [
    ...answerFaults(samples, scenario),
    ...splitIntoParts([loaded]).flatMap((asked) => differingFaults(samples, asked)),
  ];
  const isAlone = samples.run.compare === "stored" || newScenarios(samples).has(scenario);
  const arm = isAlone ? "candidate" : "reference";
  const seen = seenCapacity(samples, scenario, arm);
  if (isBeyondCapacity(seen))
    faults.push({ kind: "saturated", scenario, rule: null, arm, ...seen });

  const hasEnded = samples.run.state !== "running" || rounds.length >= ROUNDS_FOR_HOPE;
  if (hasEnded && !rounds.some(isCounted) && faults.length === 0) {
    const { ended } = samples.run;
    const slices = rounds.flatMap((round) => round.slices);
    const discarded = slices.filter((slice) => slice.void !== null);
    // A busy host leaves it undecided.
    if (discarded.length > 0 && 2 * discarded.filter(isHostsLoss).length >= discarded.length)
      return [];
    faults.push({ kind: "missing", scenario, ended, ...countVoids(slices) });
  }
  return faults;
}

const isCounted = ({ arms }: ScenarioRound): boolean =>
  arms.candidate.pooled !== null && arms.reference?.pooled !== null;

/** How many are void, by which rule most of them, and its last example. */
function countVoids(slices: readonly Slice[]) {
  const voided = slices.flatMap((slice) => slice.void ?? []);
  const rule = (mostFirst(voidsByRule(slices))[0]?.[0] ?? null) as SliceRule | null;
  const example = voided.findLast((one) => one.rule === rule)?.detail ?? "";
  return { rule, voided: voided.length, slices: slices.length, example };
}

/** Scenarios of which no further round can tell anything. */
export function lostScenarios(
  samples: Samples,
  faults: readonly Fault[] = findFaults(samples),
): ReadonlySet<string> {
  const isLost = ({ kind, scenario }: Fault): boolean =>
    kind !== "errors" || gatedAnswers(samples, scenario) !== "open";
  return scenariosOf(lastingFaults(samples, faults).filter(isLost));
}

function scenariosOf(faults: readonly Fault[]): ReadonlySet<string> {
  return new Set(faults.flatMap(({ scenario }) => (scenario === null ? [] : wholeId(scenario))));
}

/** Of scenarios: those that stay whatever further rounds say. */
export function lastingFaults(samples: Samples, faults: readonly Fault[]): Fault[] {
  return faults.filter((fault) => isLasting(samples, fault));
}

function isLasting(samples: Samples, { scenario, kind }: Fault): boolean {
  if (scenario === null) return false;
  if (AT_ONCE.has(kind)) return true;
  if (entriesOf(samples.rounds, scenario).length < ROUNDS_FOR_HOPE) return false;
  // More slices may make few wrong answers tolerable.
  return kind !== "errors" || answersAreHopeless(samples, scenario);
}

/** What happened once and cannot be undone. */
const AT_ONCE: ReadonlySet<Fault["kind"]> = new Set([
  "failure",
  "answers-differ",
  "answers-unsteady",
  "answers-not-json",
]);

/** Whether measuring on could still end in anything but `invalid`, for any scenario. */
export function cannotRecover(
  samples: Samples,
  faults: readonly Fault[] = findFaults(samples),
): boolean {
  if (faults.some(({ scenario }) => scenario === null)) return true;
  const lost = lostScenarios(samples, faults);
  const same = new Set(samples.unchanged?.map(({ service }) => service));
  return (
    lost.size > 0 &&
    samples.config.scenarios.every(
      ({ id, service }) =>
        same.has(service) || (lost.has(id) && gatedAnswers(samples, id) !== "worse"),
    )
  );
}

/** Rounds for a service's memory: without those in which an arm did different work. */
export function roundsOfEqualWork(
  samples: Samples,
  faults: readonly Fault[] = findFaults(samples),
): readonly Round[] {
  const wrong = scenariosOf(
    lastingFaults(samples, faults).filter(({ kind }) => DIFFERENT_WORK.has(kind)),
  );
  return samples.rounds.filter(
    ({ scenarios }) =>
      !scenarios.some(({ scenario, slices }) => slices.length > 0 && wrong.has(scenario)),
  );
}

const DIFFERENT_WORK: ReadonlySet<Fault["kind"]> = new Set(["errors", ...AT_ONCE]);
