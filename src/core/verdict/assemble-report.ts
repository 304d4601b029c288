// What readers see beside a verdict; renderers only show it.

import { withParts } from "../model/mix.ts";
import { allSlices, entriesOf, voidsByRule } from "../model/parts.ts";
import type { CurveBand, Report } from "../model/report.ts";
import type { Arm, Round, Samples, ScenarioRound } from "../model/samples.ts";
import { quantile, sortSample } from "../stats/quantile.ts";
import { hostNoise } from "./disturbances.ts";

interface RunFacts extends Omit<Report, "run" | "verdict"> {
  run: Omit<Report["run"], "ended">;
}

export function assembleReport(samples: Samples): RunFacts {
  const { rounds, tool, sources, host, cpuSets, config, artifacts, dependencies, runner } = samples;
  const { id, startedAt, seed, compare, measuredMs, continuedAfter, ended: end } = samples.run;
  const slices = allSlices(rounds);
  return {
    schema: "tailgate.report.v1",
    tool,
    run: {
      id,
      startedAt,
      seed,
      compare,
      measuredMs,
      continuedAfter,
      end,
      slices: slices.length,
      voidSlices: slices.filter((slice) => slice.void !== null).length,
      voidByRule: voidsByRule(slices),
      disturbedByRule: hostNoise(rounds).byRule,
      loadShare: loadShare(rounds),
    },
    sources,
    host,
    cpuSets,
    config,
    artifacts,
    dependencies: dependencies?.length === 0 ? undefined : dependencies,
    runner,
    explanation: samples.explanation,
    scenarios: withParts(config.scenarios).map(({ id }) => scenarioView(id, rounds)),
  };
}

function loadShare(rounds: readonly Round[]): number | null {
  const whole = rounds.filter(({ failure }) => failure === null);
  const wallMs = whole.reduce((sum, round) => sum + round.endedAtMs - round.startedAtMs, 0);
  return wallMs === 0 ? null : whole.reduce((sum, round) => sum + round.loadMs, 0) / wallMs;
}

export function scenarioView(id: string, rounds: readonly Round[]): Report["scenarios"][number] {
  const entries = entriesOf(rounds, id);
  const requests = entries.flatMap(({ arms }) => arms.candidate.pooled?.requests ?? []);
  const requestsPerArmRound = requests.length === 0 ? 0 : quantile(sortSample(requests), 0.5);
  const reference = entries.some(({ arms }) => arms.reference !== null)
    ? curveBand(entries, "reference")
    : null;
  const curves = { candidate: curveBand(entries, "candidate"), reference };
  return { id, rounds: requests.length, requestsPerArmRound, curves };
}

/** At each probability the quartiles of the rounds' quantiles. */
function curveBand(entries: readonly ScenarioRound[], arm: Arm): CurveBand {
  const points = entries.flatMap(({ arms }) => arms[arm]?.curve ?? []);
  return [...Map.groupBy(points, ([probability]) => probability)]
    .sort(([a], [b]) => a - b)
    .map(([probability, own]) => {
      const sorted = sortSample(own.map(([, latencyUs]) => latencyUs));
      const low = quantile(sorted, 0.25);
      return { probability, low, median: quantile(sorted, 0.5), high: quantile(sorted, 0.75) };
    });
}
