// Whether the measurement itself can be trusted. Finds what makes a run, or one scenario of it,
// `invalid`: what no further round can mend. The host is not among it: noise costs rounds, never the
// verdict. No rule here looks at how the arms differ, except that only the reference's saturation
// counts.
import { entriesOf } from "../model/parts.ts";
import type { Samples, ScenarioRound, Slice, SliceRule } from "../model/samples.ts";
import type { Fault } from "../model/verdict.ts";
import { answerFaults, answersAreHopeless } from "./answers.ts";
import { differingFaults } from "./same-answers.ts";

/**
 * A reference that cannot keep up in more than this share of rounds has no steady state to compare
 * with.
 */
const MAX_SATURATED_SHARE = 0.2;
/**
 * One may have met a moment in which the host stood still: what cannot be served queues in every
 * round.
 */
const LEAST_SATURATED_ROUNDS = 2;

/** Rounds after which what a scenario has too much of is taken to go on. */
const ROUNDS_FOR_HOPE = 4;

export function findFaults(samples: Samples): Fault[] {
  const same = new Set(samples.unchanged?.map(({ service }) => service));
  return [
    ...failures(samples),
    ...samples.config.scenarios
      .filter(({ service }) => !same.has(service))
      .flatMap(({ id }) => ofScenario(samples, id)),
  ];
}

/**
 * A service that crashed or never answered measured nothing, in any round: no number of good rounds
 * makes up for it.
 */
function failures(samples: Samples): Fault[] {
  return samples.rounds
    .flatMap(({ failure }) => failure ?? [])
    .map(({ text, detail }) => ({ kind: "failure", scenario: null, rule: null, text, detail }));
}

function ofScenario(samples: Samples, scenario: string): Fault[] {
  const rounds = entriesOf(samples.rounds, scenario);
  const faults: Fault[] = [
    ...answerFaults(samples, scenario),
    ...differingFaults(samples, scenario),
  ];
  const saturated = rounds.filter(
    ({ arms }) => (arms.reference ?? arms.candidate).saturated,
  ).length;
  if (saturated >= LEAST_SATURATED_ROUNDS && saturated / rounds.length > MAX_SATURATED_SHARE) {
    faults.push({
      kind: "saturated",
      scenario,
      rule: null,
      arm: samples.run.compare === "stored" ? "candidate" : "reference",
      saturated,
      rounds: rounds.length,
    });
  }

  const hasEnded = samples.run.state !== "running" || rounds.length >= ROUNDS_FOR_HOPE;
  if (hasEnded && !rounds.some(isCounted) && faults.length === 0) {
    const { ended } = samples.run;
    const slices = rounds.flatMap((round) => round.slices);
    faults.push({ kind: "missing", scenario, ended, ...countVoids(slices) });
  }
  return faults;
}

function isCounted({ arms }: ScenarioRound): boolean {
  return arms.candidate.pooled !== null && arms.reference?.pooled !== null;
}

/** How many are void, by which rule most of them, and its last example. */
function countVoids(slices: readonly Slice[]): {
  rule: SliceRule | null;
  voided: number;
  slices: number;
  example: string;
} {
  const voided = slices.filter((slice) => slice.void !== null);
  const rule = mostFrequent(voided.flatMap((slice) => slice.void?.rule ?? []));
  const example = voided.findLast((slice) => slice.void?.rule === rule)?.void?.detail ?? "";
  return { rule, voided: voided.length, slices: slices.length, example };
}

function mostFrequent<T>(items: readonly T[]): T | null {
  const [most] = [...Map.groupBy(items, (item) => item)].sort(
    ([, a], [, b]) => b.length - a.length,
  );
  return most?.[0] ?? null;
}

/** Whether measuring on could still end in anything but `invalid`. */
export function cannotRecover(
  samples: Samples,
  faults: readonly Fault[] = findFaults(samples),
): boolean {
  return faults.some(({ scenario, kind }) => {
    if (scenario === null || kind === "answers-differ" || kind === "answers-unsteady") return true;
    if (entriesOf(samples.rounds, scenario).length < ROUNDS_FOR_HOPE) return false;
    // A few wrong answers may yet become few enough among more slices.
    return kind !== "errors" || answersAreHopeless(samples, scenario);
  });
}
