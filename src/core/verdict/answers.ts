// Wrong and missing answers, counted over all tries of an arm: repeating a slice keeps only the
// clean ones.

import { finiteOrNull } from "../base/finite.ts";
import type { Caution, Fault, WrongAnswers } from "../model/fault.ts";
import { entriesOf, mostFirst, slicesOf, total } from "../model/parts.ts";
import { ARMS, type Arm, type Samples, type Slice } from "../model/samples.ts";
import type { AnswerCount, JudgedComparison } from "../model/verdict.ts";
import { SLICE_RULE_FACTS } from "../slice/rules.ts";
import { meanBettorOn } from "../stats/bounded-bets.ts";
import { describe, faultOf } from "./compare.ts";
import { decide, type Rule, ruleOf, type Step } from "./decide.ts";
import { mostRoundsOf } from "./futility.ts";
import { AT_LIMIT, gatedOf, type Hypothesis, isOfAnswers, sharingOf } from "./hypotheses.ts";

/** One slice may be an accident; and of many slices so large a share. */
const MAX_SLICES = 1;
const MAX_SHARE = 0.02;
/** So large a share stays too large whatever slices follow. */
const HOPELESS_SHARE = 0.1;

export function isAnswerVoid(slice: Slice): boolean {
  return slice.void !== null && SLICE_RULE_FACTS[slice.void.rule].spoils === "arm";
}

/** Requests of an arm, of all tries, and how many were answered wrongly or not at all. */
export type RoundAnswers = Readonly<Record<Arm, Pick<AnswerCount, "wrong" | "of">>>;

/** Of the arm, or of both. */
function countAnswers(slices: readonly Slice[], expected: string, only?: Arm): AnswerCount {
  const own = slices.filter(({ arm }) => only === undefined || arm === only);
  const counts = wrongIn(own, expected);
  const wrong = total(counts);
  const of = own.reduce((sum, { statuses }) => sum + (statuses[expected] ?? 0), wrong);
  return { wrong, of, kinds: Object.fromEntries(mostFirst(counts).slice(0, MOST_KINDS)) };
}

/** So many kinds of wrong answers are told. */
const MOST_KINDS = 3;

/** By status, by the generator's word for a failure, or `unanswered`: the arm swallowed them. */
function wrongIn(slices: readonly Slice[], expected: string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { statuses, errors, scheduled, unsent = 0, void: reason } of slices) {
    const { [expected]: _, ...wrong } = statuses;
    const unanswered =
      reason?.rule === "unanswered" ? scheduled - unsent - total(statuses) - total(errors) : 0;
    for (const [what, times] of Object.entries({ ...wrong, ...errors, unanswered })) {
      if (times > 0) counts[what] = (counts[what] ?? 0) + times;
    }
  }
  return counts;
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
  const sum = { wrong: 0, of: 0 };
  const trail: Step[] = [];
  for (const round of rounds) {
    const [candidate = 0, reference = 0] = ARMS.map((arm) => round[arm].wrong / round[arm].of);
    sum.wrong += round.candidate.wrong;
    sum.of += round.candidate.of;
    const both = candidate + reference;
    // Not a number where an arm was not loaded.
    if (both > 0) bettor.take((candidate - reference) / both);
    const regress = (bettor.wealth * alpha) / hypotheses;
    trail.push({ rounds: trail.length + 1, regress, pass: 0 });
    const isBeyond = sum.wrong > errorBudget * sum.of;
    if (regress >= 1 && isBeyond) return { isWorse: true, trail };
  }
  return { isWorse: false, trail };
}

/**
 * `worse` than the reference's is proven; `open`: so many are wrong that nothing else counts, and
 * rounds like those seen would prove it; `settled`: neither.
 */
function decideOf(samples: Samples, scenario: string, gating: number) {
  const { policy } = samples.config;
  const rule = ruleOf(AT_LIMIT, policy, gating);
  const terms = { ...rule, errorBudget: policy.errorBudget };
  const expected = expectedStatus(samples, scenario);
  const countOf = (slices: readonly Slice[]) => ({
    candidate: countAnswers(slices, expected, "candidate"),
    reference: countAnswers(slices, expected, "reference"),
  });
  const entries = entriesOf(samples.rounds, scenario);
  const rounds = entries.map(({ slices }) => countOf(slices));
  const { isWorse, trail } = decideAnswers(rounds, terms);
  const fault = answerFaults(samples, scenario).find(({ arm }) => arm === "candidate");
  // Of a shard, what all shards together may look at.
  const most = Array.from({ length: mostRoundsOf({ compare: samples.run.compare }) });
  const alike = most.flatMap((_, k) => rounds[k % rounds.length] ?? []);
  const mayBeWorse = fault !== undefined && decideAnswers(alike, terms).isWorse;
  const state = isWorse ? "worse" : mayBeWorse ? "open" : "settled";
  const answers = countOf(entries.slice(0, trail.length).flatMap(({ slices }) => slices));
  return { state, fault, rule, trail, answers } as const;
}

/** Null: it is not gated, or there is no reference to ask of. */
export function gatedAnswers(samples: Samples, scenario: string | null) {
  const gated = gatedOf(sharingOf(samples));
  const isGated = gated.some((one) => isOfAnswers(one) && one.scenario === scenario);
  return isGated && scenario !== null ? decideOf(samples, scenario, gated.length).state : null;
}

/** Its limit is the error budget. It passes unless worse is proven: no margin says how much may be. */
export function compareAnswers(
  hypothesis: Hypothesis,
  { samples, faults, gating }: { samples: Samples; faults: readonly Fault[]; gating: number },
): JudgedComparison {
  const { scenario } = hypothesis;
  const { state, fault, rule, trail, answers } = decideOf(samples, scenario ?? "", gating);
  const { rounds, ...evidence } = trail.at(-1) ?? { rounds: 0, ...decide([], rule).evidence };
  const unlike = faults.filter(({ kind }) => kind !== "errors");
  const spoiled = faultOf(hypothesis, unlike) ?? (state === "settled" ? fault : null) ?? null;
  const outcome = (): Pick<JudgedComparison, "state" | "finding"> => {
    if (spoiled !== null) return { state: "invalid", finding: { code: "fault", fault: spoiled } };
    if (rounds === 0) return { state: "inconclusive", finding: { code: "unmeasured" } };
    if (state === "worse") return { state: "regressed", finding: { code: "worse", rounds } };
    return state === "open"
      ? { state: "inconclusive", finding: { code: "likely-worse", rounds } }
      : { state: "pass", finding: { code: "within", rounds } };
  };
  return {
    ...describe(hypothesis, [], { ...decide([], rule), trail, evidence }, { rule }),
    ...outcome(),
    against: "alongside",
    candidate: finiteOrNull(answers.candidate.wrong / answers.candidate.of),
    reference: finiteOrNull(answers.reference.wrong / answers.reference.of),
    answers,
    interval: null,
    margin: samples.config.policy.errorBudget,
    rounds,
    waiver: null,
  };
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
  const [most] = mostFirst(wrongIn(failed, expectedStatus(samples, scenario)));
  return {
    kind: "errors",
    scenario,
    rule: last?.rule ?? null,
    arm,
    failed: failed.length,
    slices: slices.length,
    mostly: most === undefined ? null : { what: most[0], times: most[1] },
    example: last?.detail ?? "",
  };
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
  const budget = samples.config.policy.errorBudget;
  const loaded = arms.filter(({ scheduled }) => scheduled > 0);
  return [{ code: "within-budget", scenario, expected, budget, arms: loaded }];
}

function expectedStatus(samples: Samples, scenario: string): string {
  return String(samples.config.scenarios.find(({ id }) => id === scenario)?.expectStatus ?? "");
}
