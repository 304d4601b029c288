// One line for each turn of the rotation: where the run stands and how long it may still take.
import { askedOf } from "../../core/verdict/hypotheses.ts";
import type { TurnState } from "./rotation.ts";

/** `wanted`: rounds that are measured whatever they show. */
export function describeTurn(
  { samples, open, rounds, counted }: TurnState,
  elapsedMs: number,
  wanted?: number,
): string {
  const { policy } = samples.config;
  if (wanted !== undefined) {
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
  const gating = askedOf(samples).filter(({ policy: p }) => p.level === "gate").length;
  const answered = gating - open.hypotheses.size;
  if (rounds === 0)
    return `${gating} questions to answer, in ${minutes(policy.timeBudgetMs)} at most`;
  const left =
    open.hypotheses.size === 0
      ? ""
      : `, at most ${minutes(Math.max(0, policy.timeBudgetMs - elapsedMs))} left`;
  return `round ${rounds}: ${answered} of ${gating} questions answered, ${minutes(elapsedMs)} measured${left}`;
}

function minutes(ms: number): string {
  return ms < 90_000 ? `${Math.round(ms / 1000)} s` : `${(ms / 60_000).toFixed(1)} min`;
}
