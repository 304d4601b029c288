// One answer of each arm before any load: a wrong one ends the run, and what both arms answered is
// compared.
import type { RoundFailure } from "../../core/model/samples.ts";
import type { RoundPlan } from "../../core/plan/round.ts";
import type { LoadedArm } from "./arm.ts";
import { RoundStopped } from "./round-context.ts";
import type { Tallies, Tally } from "./tally.ts";

/**
 * Rounds that ask for one answer of each arm before any load: in the first a wrong one ends the
 * run, and answers of two launches show what varies by itself.
 */
const ASKED_ROUNDS = 2;

export interface FirstAnswers {
  /** To ask for; empty in later rounds. */
  tallies: readonly Tally[];
  wrong: RoundFailure[];
  /** A wrong answer ends the run. */
  isFirst: boolean;
}

export function firstAnswers(plan: RoundPlan, tallies: Tallies): FirstAnswers {
  return {
    // Of a pattern every request is another: there is nothing to compare.
    tallies: [...tallies.values()].filter(
      ({ scenario: { request } }) => plan.index < (request.pathIsPattern ? 1 : ASKED_ROUNDS),
    ),
    wrong: [],
    isFirst: plan.index === 0,
  };
}

export async function askFirst(loaded: LoadedArm, first: FirstAnswers): Promise<void> {
  for (const { scenario, answers } of first.tallies) {
    const { answer, wrong } = await loaded.ask(scenario);
    if (answer !== null) answers[loaded.arm] = answer;
    if (wrong === null || !first.isFirst) continue;
    first.wrong.push(wrong);
    // One is enough to end the run, and each takes its time.
    return;
  }
}

/** What the reference does not answer either is no fault of the candidate. */
export function endIfWrong({ wrong }: FirstAnswers): void {
  const worst = wrong.find(({ arm }) => arm === "reference") ?? wrong[0];
  if (worst !== undefined) throw new RoundStopped(worst);
}
