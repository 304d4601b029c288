// One line for each turn of the rotation: where the run stands and how long it may still take.
import { wholeRoundsOf } from "../model/whole-rounds.ts";
import { listHypotheses } from "../verdict/hypotheses.ts";
import type { TurnState } from "./rotation.ts";

/** `wanted`: rounds that are measured whatever they show. */
export function describeTurn(
  { samples, open, rounds }: TurnState,
  elapsedMs: number,
  wanted?: number,
): string {
  const { policy } = samples.config;
  if (wanted !== undefined) {
    const counted = Math.min(
      ...samples.config.services.map(({ name }) => wholeRoundsOf(samples, name).length),
    );
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
  const gating = listHypotheses(samples.config).filter(
    ({ policy: p }) => p.level === "gate",
  ).length;
  const answered = gating - open.hypotheses.size;
  if (rounds === 0)
    return `${gating} questions to answer; first look after ${policy.looks[0]} rounds`;
  const perRoundMs = elapsedMs / rounds;
  const nextLook = policy.looks.find((look) => look > rounds);
  const left =
    open.hypotheses.size === 0
      ? ""
      : nextLook === undefined
        ? "; last look reached"
        : `; next look in ${minutes((nextLook - rounds) * perRoundMs)}, at most ${minutes(latestLeft())} left`;
  return `round ${rounds}: ${answered} of ${gating} questions answered, ${minutes(elapsedMs)} measured${left}`;

  function latestLeft(): number {
    const byRounds = ((policy.looks.at(-1) ?? rounds) - rounds) * perRoundMs;
    return Math.max(0, Math.min(byRounds, policy.timeBudgetMs - elapsedMs));
  }
}

function minutes(ms: number): string {
  return ms < 90_000 ? `${Math.round(ms / 1000)} s` : `${(ms / 60_000).toFixed(1)} min`;
}
