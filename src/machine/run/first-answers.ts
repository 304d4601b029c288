// One answer of each arm before any load: a wrong one of the reference ends the run unless its own
// configuration has the scenario otherwise, one of the candidate alone leaves its scenario out, and
// what both arms answered is compared. A page for all that a service does not know is no answer.
import { wholeId } from "../../core/model/mix.ts";
import { looksAlike } from "../../core/model/one-answer.ts";
import type { RoundFailure } from "../../core/model/samples.ts";
import type { RoundPlan } from "../../core/plan/round.ts";
import type { FirstAnswer, LoadedArm } from "./arm.ts";
import { isOver, type RoundContext, RoundStopped } from "./round-context.ts";
import { leaveOut, type Tallies, type Tally } from "./tally.ts";

/**
 * Rounds that ask for one answer of each arm before any load: in the first a wrong one is a
 * failure, and answers of two launches show what varies by itself.
 */
const ASKED_ROUNDS = 2;

interface FirstAnswers {
  /** To ask for, of a mix its parts; empty in later rounds. */
  tallies: readonly Tally[];
  wrong: RoundFailure[];
  /** A wrong answer is a failure. */
  isFirst: boolean;
}

export function firstAnswers(plan: RoundPlan, tallies: Tallies): FirstAnswers {
  return {
    // Of a pattern every request is another: there is nothing to compare.
    tallies: [...tallies.values()]
      .flatMap((tally) => (tally.parts.length === 0 ? [tally] : tally.parts))
      .filter(
        ({ scenario: { request } }) => plan.index < (request.pathIsPattern ? 1 : ASKED_ROUNDS),
      ),
    wrong: [],
    isFirst: plan.index === 0,
  };
}

export async function askFirst(
  loaded: LoadedArm,
  first: FirstAnswers,
  context: RoundContext,
): Promise<void> {
  const { arm, unshared } = loaded;
  const hasBoth = first.isFirst && context.targets.reference !== undefined;
  for (const tally of first.tallies) {
    const { scenario, answers, json } = tally;
    const [failure] = first.wrong;
    if (failure !== undefined && isOver(context)) throw new RoundStopped(failure);
    if (unshared?.isNew(scenario.id)) continue;
    let found = await loaded.ask(scenario);
    const mayLack = hasBoth && context.unshared?.has(scenario.id);
    const isPage = mayLack && (await isPageForAll(found, tally, loaded));
    let isLacking = found.wrong !== null || isPage;
    while (isLacking && mayLack && unshared !== null) {
      unshared.turnFrom(scenario.id);
      if (unshared.isNew(scenario.id)) break;
      found = await loaded.ask(scenario);
      isLacking = found.wrong !== null;
    }
    if (unshared?.isNew(scenario.id)) continue;
    if (isPage && arm === "candidate") {
      // The reference was loaded with its page before the candidate was there to be asked.
      context.unshared?.turnFrom(scenario.id);
      tally.spoiled = true;
      delete answers.reference;
      delete json.reference;
    }
    const { answer, wrong, json: said } = found;
    if (answer !== null) answers[arm] = answer;
    json[arm] = said;
    // What is wrong with a part is wrong with the load of all.
    if (wrong !== null && first.isFirst) {
      first.wrong.push({ ...wrong, scenario: wholeId(scenario.id) });
    }
  }
}

/**
 * Whether the reference says to this request what it says to any path, and the candidate has an
 * answer of its own. Known once both were asked; false where both builds have a page for all.
 */
async function isPageForAll({ answer, wrong }: FirstAnswer, tally: Tally, loaded: LoadedArm) {
  const { scenario, answers, unknown } = tally;
  if (answer === null || wrong !== null || scenario.request.paths !== undefined) return false;
  unknown[loaded.arm] = await loaded.askUnknown(scenario);
  // The answer of the one that is asked is not among them yet.
  const { candidate = answer, reference = answer } = answers;
  if (unknown.candidate === undefined || unknown.reference === undefined) return false;
  const isOwn = !looksAlike(candidate, unknown.candidate) && !looksAlike(candidate, reference);
  return isOwn && looksAlike(reference, unknown.reference);
}

/**
 * What the reference does not answer either is no fault of the candidate: it ends the round, and so
 * do wrong answers to all. `isAlone`: there is no reference to be right.
 */
export function settleWrong(
  { wrong }: FirstAnswers,
  tallies: Tallies,
  { isAlone = false }: { isAlone?: boolean } = {},
): void {
  const isNew = (id: string | null): boolean => tallies.get(id ?? "")?.isNew === true;
  const ofNobody = wrong.find(({ arm, scenario }) => arm === "reference" || isNew(scenario));
  if (ofNobody !== undefined) throw new RoundStopped(ofNobody);
  // Nothing is left to compare: from the next round on the candidate is measured alone.
  if (!isAlone && tallies.size > 0 && [...tallies.keys()].every(isNew)) {
    throw new RoundStopped(null);
  }
  const [first] = wrong;
  if (first === undefined) return;
  if (isAlone || areAllWrong(wrong, tallies)) throw new RoundStopped(first);
  for (const failure of wrong) {
    const tally = tallies.get(failure.scenario ?? "");
    if (tally !== undefined) leaveOut(tally, failure);
  }
}

/** Once every arm was asked. */
export function tellAnswers(
  { tallies, isFirst }: FirstAnswers,
  { onAnswers }: Pick<RoundContext, "onAnswers">,
): void {
  if (!isFirst) return;
  for (const { scenario, answers } of tallies) onAnswers?.(scenario.id, answers);
}

export function areAllWrong(wrong: readonly RoundFailure[], tallies: Tallies): boolean {
  return [...tallies.keys()].every((id) => wrong.some(({ scenario }) => scenario === id));
}
