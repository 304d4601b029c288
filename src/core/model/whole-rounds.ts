// Rounds of the whole workload: later rounds leave out decided scenarios, so their values do not
// compare across rounds.
import type { Scenario } from "./config.ts";
import type { Round, Samples, ScenarioRound } from "./samples.ts";

/** Rounds in which every configured scenario counts with its configured pairs, in order. */
export function wholeRounds({ config, rounds }: Pick<Samples, "config" | "rounds">): Round[] {
  return rounds.filter(
    (round) =>
      round.failure === null &&
      config.scenarios
        .filter(({ service }) => service === round.service)
        .every((scenario) =>
          round.scenarios.some(
            (entry) => entry.scenario === scenario.id && isWhole(entry, scenario),
          ),
        ),
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
