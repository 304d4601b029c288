// A whole gate on recorded turns: the decision rule for every hypothesis, services that leave the rotation when all of theirs are
// answered, the time budget. What the rotation itself would do (test/evidence holds it against that), without judging everything
// again after each round. Pure.
import { planServiceOrder } from "../../src/plan/round.ts";
import { effectiveFloor } from "../../src/verdict/compare.ts";
import { type Decision, decide } from "../../src/verdict/decide.ts";
import type { Hypothesis } from "../../src/verdict/hypotheses.ts";
import type { Pair, Terms, Turn } from "./pool.ts";

/** One hypothesis, had it all the rounds it wants. */
export interface Answer {
  state: Decision["state"];
  /** Turns until it is answered; those of all that there are when it is not. */
  turns: number;
}

export interface Replayed {
  state: "regressed" | "pass" | "inconclusive";
  /** By hypothesis; `open` also where time ran out first. */
  answers: ReadonlyMap<string, Answer>;
  /** Of the service that had most. */
  turns: number;
  minutes: number;
}

/** Changes planted by multiplying the candidate's values, by hypothesis, as fractions. */
export type Planted = Readonly<Record<string, number>>;

export interface Trial {
  turns: readonly Turn[];
  /** Which arm is called candidate. */
  swapped: boolean;
  /** Of the run: the order of services follows from it. */
  seed: number;
}

function pairOf(turn: Turn, id: string, swapped: boolean): Pair | undefined {
  const pair = turn.values[id];
  if (pair === undefined || !swapped) return pair;
  return { candidate: pair.reference, reference: pair.candidate };
}

export function answerOf(
  { turns, swapped }: Trial,
  hypothesis: Hypothesis,
  effect: number,
  terms: Terms,
): Answer {
  const series = turns.flatMap((turn, round) => {
    const pair = pairOf(turn, hypothesis.id, swapped);
    if (pair === undefined) return [];
    const candidate = pair.candidate * (1 + effect);
    const d = Math.log(candidate / pair.reference);
    return [{ round, candidate, reference: pair.reference, d, beyond: null }];
  });
  const { tolerance, promise } = hypothesis.policy;
  const { state, look } = decide(
    series.map(({ d }) => d),
    {
      tolerance,
      promise,
      floor: effectiveFloor(hypothesis, series, terms.looks[0] ?? 1),
      alpha: terms.alpha,
      hypotheses: Math.max(1, terms.gating),
      beta: terms.beta,
      looks: terms.looks,
    },
  );
  // Open for good after the last look, open for want of rounds before it.
  const last = state === "open" ? (terms.looks.at(-1) ?? 0) : look;
  return { state, turns: (series[last - 1]?.round ?? turns.length - 1) + 1 };
}

export const answersOf = (trial: Trial, planted: Planted, terms: Terms): Map<string, Answer> =>
  new Map(
    terms.hypotheses.map((hypothesis) => [
      hypothesis.id,
      answerOf(trial, hypothesis, planted[hypothesis.id] ?? 0, terms),
    ]),
  );

/** Walks the turns in the rotation's order and stops where it would. */
export function replay(
  { turns, seed }: Trial,
  answers: ReadonlyMap<string, Answer>,
  terms: Terms,
): Replayed {
  const services = [...new Set(terms.hypotheses.map(({ service }) => service))];
  const needed = new Map(
    services.map((service) => [
      service,
      Math.max(
        ...terms.hypotheses
          .filter((hypothesis) => hypothesis.service === service)
          .map(({ id }) => answers.get(id)?.turns ?? 0),
      ),
    ]),
  );
  const measured = new Map(services.map((service) => [service, 0]));
  let elapsedMs = 0;
  let most = 0;
  walk: for (const [t, { ms }] of turns.entries()) {
    const active = services.filter((service) => t < (needed.get(service) ?? 0));
    for (const service of planServiceOrder(active, t, seed)) {
      if (elapsedMs >= terms.timeBudgetMs) break walk;
      elapsedMs += ms[service] ?? 0;
      measured.set(service, t + 1);
      most = t + 1;
    }
  }
  const given = new Map(
    terms.hypotheses.map(({ id, service }): [string, Answer] => {
      const answer = answers.get(id) ?? { state: "open", turns: turns.length };
      const had = measured.get(service) ?? 0;
      return [id, answer.turns <= had ? answer : { state: "open", turns: had }];
    }),
  );
  const states = new Set([...given.values()].map(({ state }) => state));
  return {
    state: states.has("regressed") ? "regressed" : states.has("open") ? "inconclusive" : "pass",
    answers: given,
    turns: most,
    minutes: elapsedMs / 60_000,
  };
}
