// Whether both arms did the same work, by single answers to the same request and by the size of
// those to the load; several launches tell a change from what varies by itself.

import type { Scenario } from "../model/config.ts";
import type { Caution, Fault } from "../model/fault.ts";
import { splitIntoParts, wholeId } from "../model/mix.ts";
import { entriesOf } from "../model/parts.ts";
import {
  type Answer,
  ARMS,
  type Arm,
  type JsonDifference,
  type Samples,
  type Slice,
} from "../model/samples.ts";
import type { JudgedComparison } from "../model/verdict.ts";
import { median } from "../stats/dispersion.ts";
import { newScenarios } from "./hypotheses.ts";

type Differing = Omit<Extract<Caution, { code: "answers-differ" }>, "code" | "scenario">;

/** Chance of telling equal builds apart by the sizes of answers, shared among all of a run's. */
const SIZES_ALPHA = 0.01;
/** Sizes that vary are told apart from this ratio on: where answers state durations, those differ. */
const NOTABLE_RATIO = 1.05;

/** Of a scenario, or a part of one, with a request of its own. */
export function differingFaults(
  samples: Samples,
  { id: scenario, answers: asked = "status" }: Scenario,
): Fault[] {
  // Stored values keep no answers, and what is new has no others.
  const isAlone =
    samples.sources.reference === null || newScenarios(samples).has(wholeId(scenario));
  if (asked === "status" || isAlone) return [];
  const of = { scenario, rule: null };
  const answers = answersOf(samples, scenario);
  const found = asked === "same" ? compareAnswers(answers) : compareJson(answers);
  const at = differenceOf(samples, scenario);
  switch (found) {
    case "same": {
      const sizes = asked === "same" ? compareSizes(samples, scenario) : null;
      return sizes === null ? [] : [{ kind: "answers-differ", ...of, ...sizes }];
    }
    case "unsteady":
      return [{ kind: "answers-unsteady", ...of, ...at }];
    case "unknown":
      return samples.run.state === "complete" ? [{ kind: "answers-unsteady", ...of, ...at }] : [];
    case "json":
      return [{ kind: "answers-differ", ...of, what: found, ...at, ...shownFirst(answers) }];
    case "candidate":
    case "reference":
      return [{ kind: "answers-not-json", ...of, arm: found }];
    default:
      return [{ kind: "answers-differ", ...of, ...found }];
  }
}

export function differingCautions(samples: Samples): Caution[] {
  return splitIntoParts(samples.config.scenarios).flatMap(
    ({ id, answers = "status" }): Caution[] => {
      if (answers !== "status") return [];
      const found = compareAnswers(answersOf(samples, id));
      const differing = typeof found === "string" ? compareSizes(samples, id) : found;
      return differing === null ? [] : [{ code: "answers-differ", scenario: id, ...differing }];
    },
  );
}

/** What is better at other work has not improved; memory is of all the work of its service. */
export function withEqualWork(
  comparison: JudgedComparison,
  differing: readonly Caution[],
): JudgedComparison {
  const { state, service, scenario, rounds } = comparison;
  const isOf = (caution: Caution): boolean => {
    if (caution.code !== "answers-differ") return false;
    const whole = wholeId(caution.scenario);
    return scenario === null ? whole.startsWith(`${service}/`) : whole === wholeId(scenario);
  };
  if (state !== "improved" || !differing.some(isOf)) return comparison;
  return { ...comparison, state: "pass", finding: { code: "better-at-other-work", rounds } };
}

function answersOf(samples: Samples, scenario: string): Answer[][] {
  const entries = entriesOf(samples.rounds, scenario);
  return ARMS.map((arm) => entries.flatMap(({ answers }) => answers?.[arm] ?? []));
}

function differenceOf(samples: Samples, scenario: string): { difference?: JsonDifference } {
  const [difference] = entriesOf(samples.rounds, scenario).flatMap(
    (entry) => entry.difference ?? [],
  );
  return difference === undefined ? {} : { difference };
}

function shownFirst([candidate = [], reference = []]: readonly Answer[][]) {
  const of = ([first]: readonly Answer[]) => {
    const { bytes = 0, contentType = null } = first ?? {};
    return { bytes, contentType };
  };
  return { candidate: of(candidate), reference: of(reference) };
}

const isAlike = (answers: readonly Answer[], key: keyof Answer): boolean =>
  answers.every((one) => one[key] === answers[0]?.[key]);

/** `unsteady`: an arm does not agree with itself. `unknown`: there are not two answers of each. */
function compareAnswers(arms: readonly Answer[][]): Differing | "same" | "unsteady" | "unknown" {
  if (arms.some((answers) => answers.length < 2)) return "unknown";
  const isSteady = (key: keyof Answer): boolean => arms.every((own) => isAlike(own, key));
  const firsts = arms.map(([first]) => first);
  const differs = (key: keyof Answer): boolean =>
    isSteady(key) && firsts[0]?.[key] !== firsts[1]?.[key];
  if (differs("bytes")) return { what: "size", ...shownFirst(arms) };
  if (differs("sha256") || differs("contentType")) return { what: "content", ...shownFirst(arms) };
  return isSteady("sha256") ? "same" : "unsteady";
}

/** An arm: not JSON. `json`: they differ. */
function compareJson(arms: readonly Answer[][]): Arm | "json" | "same" | "unsteady" | "unknown" {
  const without = ARMS.find((_, i) => arms[i]?.some(({ json }) => json === null));
  if (without !== undefined) return without;
  if (arms.some((answers) => answers.length < 2 || answers.some((one) => one.json === undefined))) {
    return "unknown";
  }
  if (isAlike(arms.flat(), "json")) return "same";
  return arms.every((own) => isAlike(own, "json")) ? "json" : "unsteady";
}

/**
 * Null: the answers to the load are not shown to differ in size. Sizes that never vary need two
 * rounds. Of others all of one arm must be larger than all of the other: for equal builds any order
 * is as likely, and one that is broken stays so in later rounds.
 */
function compareSizes(samples: Samples, scenario: string): Differing | null {
  const rounds = entriesOf(samples.rounds, scenario)
    .map(({ slices }) => ({
      candidate: sizeOf(slices, "candidate"),
      reference: sizeOf(slices, "reference"),
    }))
    .filter((sizes) => ARMS.every((arm) => !Number.isNaN(sizes[arm])));
  if (rounds.length < 2) return null;
  const [candidate = [], reference = []] = ARMS.map((arm) => rounds.map((sizes) => sizes[arm]));
  const seen = (all: readonly number[]) => ({ bytes: Math.round(median(all)), contentType: null });
  const found = { what: "load", candidate: seen(candidate), reference: seen(reference) } as const;
  if ([candidate, reference].every((sizes) => new Set(sizes).size === 1)) {
    return found.candidate.bytes === found.reference.bytes ? null : found;
  }
  const ratio = Math.max(gap(candidate, reference), gap(reference, candidate));
  const level = SIZES_ALPHA / splitIntoParts(samples.config.scenarios).length;
  return ratio >= NOTABLE_RATIO && chanceOfOrder(rounds.length) <= level ? found : null;
}

/** Of a round's answers; NaN: not told. */
function sizeOf(slices: readonly Slice[], arm: Arm): number {
  const counted = slices.filter((slice) => slice.arm === arm && slice.void === null);
  return median(counted.flatMap(({ answerBytes = [] }) => answerBytes));
}

function gap(larger: readonly number[], smaller: readonly number[]): number {
  return Math.min(...larger) / Math.max(...smaller);
}

/** 2 / C(2n, n): that of 2n exchangeable values n given ones are the largest or the smallest. */
function chanceOfOrder(n: number): number {
  let chance = 2;
  for (let i = 1; i <= n; i++) chance *= i / (n + i);
  return chance;
}
