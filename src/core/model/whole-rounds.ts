// Rounds that are alike: in later ones decided scenarios are left out. Ratios within a round do not
// mind. Values that are compared from round to round, or from run to run, do.
import type { Scenario } from "./config.ts";
import type { Round, Samples, ScenarioRound } from "./samples.ts";

/**
 * The rounds in which every configured scenario of the service counts, with the configured number
 * of slice pairs, in their order: one workload for every launch. A round that failed, or with a
 * pair that stayed void, is not among them.
 */
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

/** The same of one service. */
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
