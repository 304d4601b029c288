// The parts of samples that many look at.
import type { Scenario } from "./config.ts";
import { isPart } from "./mix.ts";
import type { Round, Samples, ScenarioRound, Slice, SliceRule } from "./samples.ts";

/** A scenario's share of each round that has one, in their order. */
export function entriesOf(rounds: readonly Round[], scenario: string): ScenarioRound[] {
  return rounds.flatMap((round) => round.scenarios.filter((entry) => entry.scenario === scenario));
}

export function slicesOf(rounds: readonly Round[], scenario: string): Slice[] {
  return entriesOf(rounds, scenario).flatMap(({ slices }) => slices);
}

/** Those of a mix once: its parts' are the same stretches of time. */
export function allSlices(rounds: readonly Round[]): Slice[] {
  return rounds.flatMap(({ scenarios }) =>
    scenarios.flatMap(({ scenario, slices }) => (isPart(scenario) ? [] : slices)),
  );
}

export function total(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

/** Kinds and how many there are of each, most first. */
export function mostFirst(counts: Readonly<Record<string, number>>): [string, number][] {
  return Object.entries(counts).sort(([, a], [, b]) => b - a);
}

/** How often each is there, in the order of the first. */
export function countEach(all: readonly string[]): Record<string, number> {
  return Object.fromEntries([...Map.groupBy(all, String)].map(([one, own]) => [one, own.length]));
}

/** How many slices each rule made void. */
export function voidsByRule(slices: readonly Slice[]): Partial<Record<SliceRule, number>> {
  return countEach(slices.flatMap((slice) => slice.void?.rule ?? []));
}

/**
 * Rounds in which every configured scenario counts with its configured pairs, in order: later ones
 * leave out decided scenarios, so their values do not compare across rounds.
 */
export function wholeRounds({ config, rounds }: Pick<Samples, "config" | "rounds">): Round[] {
  return rounds.filter(
    (round) =>
      round.failure === null &&
      config.scenarios
        .filter(({ service }) => service === round.service)
        .every((own) => entriesOf([round], own.id).some((entry) => isWhole(entry, own))),
  );
}

export function wholeRoundsOf(
  samples: Pick<Samples, "config" | "rounds">,
  service: string,
): Round[] {
  return wholeRounds(samples).filter((round) => round.service === service);
}

function isWhole({ arms, slices }: ScenarioRound, { slice }: Scenario): boolean {
  if (arms.candidate.pooled === null || arms.reference?.pooled === null) return false;
  return new Set(slices.map(({ pair }) => pair)).size === slice.pairs;
}
