// Wrong and missing answers, counted over all tries of an arm: repeating a slice keeps only the
// clean ones.

import type { Caution } from "../model/caution.ts";
import type { WrongAnswers } from "../model/fault.ts";
import { entriesOf, slicesOf, total } from "../model/parts.ts";
import type { Arm, Samples, Slice } from "../model/samples.ts";
import { ARMS } from "../model/samples.ts";
import { SLICE_RULE_FACTS } from "../slice/rules.ts";
import { meanBettorOn } from "../stats/bounded-bets.ts";
import type { Rule, Step } from "./decide.ts";

/** One slice may be an accident; and of many slices so large a share. */
const MAX_SLICES = 1;
const MAX_SHARE = 0.02;
/** So large a share stays too large whatever slices follow. */
const HOPELESS_SHARE = 0.1;

export function isAnswerVoid(slice: Slice): boolean {
  return slice.void !== null && SLICE_RULE_FACTS[slice.void.rule].spoils === "arm";
}

/** Requests of an arm, of all tries, and how many were answered wrongly or not at all. */
export interface AnswerCount {
  wrong: number;
  of: number;
}
export type RoundAnswers = Readonly<Record<Arm, AnswerCount>>;

/** Of the rounds that loaded both arms with the scenario. */
export function roundAnswers(samples: Samples, scenario: string): RoundAnswers[] {
  const expected = expectedStatus(samples, scenario);
  return entriesOf(samples.rounds, scenario)
    .map(({ slices }) => {
      const countOf = (arm: Arm): AnswerCount =>
        countAnswers(
          slices.filter((slice) => slice.arm === arm),
          expected,
        );
      return { candidate: countOf("candidate"), reference: countOf("reference") };
    })
    .filter(({ candidate, reference }) => candidate.of > 0 && reference.of > 0);
}

function countAnswers(slices: readonly Slice[], expected: string): AnswerCount {
  const of = slices.reduce((sum, one) => sum + total(one.statuses) + total(one.errors), 0);
  return { wrong: of - slices.reduce((sum, one) => sum + (one.statuses[expected] ?? 0), 0), of };
}

/**
 * Bets round by round that the candidate answers a larger share wrongly than the reference: wrong
 * answers of a launch come in bunches, so that one is not independent of the next. If the arms'
 * counts of a round may as well be exchanged, given the rounds before, the difference of their
 * shares over their sum has a mean of 0, and the wealth ever reaches `hypotheses` / alpha with a
 * chance of at most alpha / `hypotheses`. Rounds without a wrong answer leave it as it is. What is
 * proven is a regression from the round on in which more than the error budget was wrong in all.
 */
export function decideAnswers(
  rounds: readonly RoundAnswers[],
  { alpha, hypotheses, errorBudget }: Pick<Rule, "alpha" | "hypotheses"> & { errorBudget: number },
) {
  const bettor = meanBettorOn({ bound: 0, direction: "+" });
  const sum = { candidate: { wrong: 0, of: 0 }, reference: { wrong: 0, of: 0 } };
  const trail: Step[] = [];
  for (const round of rounds) {
    const [candidate = 0, reference = 0] = ARMS.map((arm) => {
      sum[arm].wrong += round[arm].wrong;
      sum[arm].of += round[arm].of;
      return round[arm].wrong / round[arm].of;
    });
    const both = candidate + reference;
    if (both > 0) bettor.take((candidate - reference) / both);
    const regress = (bettor.wealth * alpha) / hypotheses;
    trail.push({ rounds: trail.length + 1, regress, pass: 0 });
    const isBeyond = sum.candidate.wrong > errorBudget * sum.candidate.of;
    if (regress >= 1 && isBeyond) return { isWorse: true, sum, trail };
  }
  return { isWorse: false, sum, trail };
}

/** The slices of one arm of a scenario, all tries, and those that its answers made void. */
interface Count {
  arm: Arm;
  slices: Slice[];
  failed: Slice[];
}

function countsOf(samples: Samples, scenario: string): Count[] {
  const all = slicesOf(samples.rounds, scenario);
  return ARMS.map((arm) => {
    const slices = all.filter((slice) => slice.arm === arm);
    return { arm, slices, failed: slices.filter(isAnswerVoid) };
  });
}

function isFault({ failed, slices }: Count): boolean {
  return failed.length > MAX_SLICES && failed.length > MAX_SHARE * slices.length;
}

export function answerFaults(samples: Samples, scenario: string): WrongAnswers[] {
  return countsOf(samples, scenario)
    .filter(isFault)
    .map((count) => wrongAnswers(samples, scenario, count));
}

export function answersAreHopeless(samples: Samples, scenario: string): boolean {
  return countsOf(samples, scenario).some(
    (count) => isFault(count) && count.failed.length > HOPELESS_SHARE * count.slices.length,
  );
}

/** What is too little for a fault, and what an error budget let through. */
export function answerCautions(samples: Samples): Caution[] {
  return samples.config.scenarios.flatMap(({ id }) => {
    const counts = countsOf(samples, id);
    const few = counts
      .filter((count) => count.failed.length > 0 && !isFault(count))
      .map((count) => wrongAnswers(samples, id, count))
      .map((answers): Caution => ({ code: "wrong-answers", answers }));
    return [...few, ...withinBudget(samples, id, counts)];
  });
}

function wrongAnswers(samples: Samples, scenario: string, count: Count): WrongAnswers {
  const { arm, slices, failed } = count;
  const last = failed.at(-1)?.void ?? null;
  return {
    kind: "errors",
    scenario,
    rule: last?.rule ?? null,
    arm,
    failed: failed.length,
    slices: slices.length,
    mostly: worstOf(samples, scenario, failed),
    example: last?.detail ?? "",
  };
}

/** The status or the generator's word for a failure that was met most often. */
function worstOf(
  samples: Samples,
  scenario: string,
  slices: readonly Slice[],
): WrongAnswers["mostly"] {
  const expected = expectedStatus(samples, scenario);
  const counts = new Map<string, number>();
  for (const { statuses, errors } of slices) {
    for (const [name, n] of [...Object.entries(statuses), ...Object.entries(errors)]) {
      if (name !== expected) counts.set(name, (counts.get(name) ?? 0) + n);
    }
  }
  const [what = "", times = 0] = [...counts].reduce(
    (worst, next) => (next[1] > (worst[1] ?? 0) ? next : worst),
    [] as Partial<[string, number]>,
  );
  return times === 0 ? null : { what, times };
}

/** Slices that count with failures that the configuration allows. */
function withinBudget(samples: Samples, scenario: string, counts: readonly Count[]): Caution[] {
  const expected = expectedStatus(samples, scenario);
  const arms = counts.map(({ arm, slices }) => {
    const valid = slices.filter((slice) => slice.void === null);
    const scheduled = valid.reduce((sum, slice) => sum + slice.scheduled, 0);
    return { arm, scheduled, failed: countAnswers(valid, expected).wrong };
  });
  if (arms.every(({ failed }) => failed === 0)) return [];
  return [
    {
      code: "within-budget",
      scenario,
      expected,
      budget: samples.config.policy.errorBudget,
      arms: arms.filter(({ scheduled }) => scheduled > 0),
    },
  ];
}

function expectedStatus(samples: Samples, scenario: string): string {
  return String(samples.config.scenarios.find(({ id }) => id === scenario)?.expectStatus ?? "");
}
