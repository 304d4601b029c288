// One line for each turn of the rotation: where the run stands and how long it may still take.

import { formatCount } from "../../core/text/format.ts";
import { describeCulprits } from "../../core/text/machine.ts";
import { gatingCount, sharingOf } from "../../core/verdict/hypotheses.ts";
import type { Goal, TurnState } from "./rotation.ts";

export function describeTurn(
  { samples, open, rounds, counted }: TurnState,
  elapsedMs: number,
  goal: Goal,
): string {
  const { policy } = samples.config;
  if (goal.kind === "rounds") {
    const wanted = goal.rounds;
    const left =
      rounds === 0
        ? ""
        : `, about ${minutes((Math.max(0, wanted - counted) * elapsedMs) / rounds)} left`;
    const round =
      counted === rounds
        ? `round ${rounds} of ${wanted}`
        : `round ${rounds}, ${counted} of ${wanted} count`;
    return `${round}: ${minutes(elapsedMs)} measured${left}`;
  }
  const gating = gatingCount(sharingOf(samples));
  if (rounds === 0)
    return `at most ${gating} questions to answer, in ${minutes(policy.timeBudgetMs)} at most`;
  const leftMs = policy.timeBudgetMs - elapsedMs;
  // A round that begins in the last moment is measured to its end.
  const roundMs = Math.max(...samples.rounds.map((one) => one.endedAtMs - one.startedAtMs));
  const time = leftMs > 0 ? `at most ${minutes(leftMs + roundMs)} left` : "no time left";
  const left = open.hypotheses.size === 0 ? "" : `, ${time}`;
  const state = (samples.run.shard?.parts ?? 1) > 1 ? "have their share of rounds" : "answered";
  const line = `round ${rounds}: ${open.answered} of ${gating} questions ${state}, ${minutes(elapsedMs)} measured${left}`;
  if (open.futility === null) return line;
  const { questions, slices, disturbed, culprits } = open.futility;
  const little = `${line}; too little time to answer ${questions} more`;
  if (2 * disturbed < slices)
    return `${little} if rounds go on differing so much: a longer policy.timeBudget or a wider margin may do`;
  const who = culprits.length === 0 ? "" : `, and ${describeCulprits(culprits)}`;
  return `${little} if it stays so noisy: ${formatCount(disturbed)} of ${formatCount(slices)} measurements were disturbed${who}`;
}

function minutes(ms: number): string {
  return ms < 90_000 ? `${Math.round(ms / 1000)} s` : `${(ms / 60_000).toFixed(1)} min`;
}
