// False alarms of whole verdicts: of gates that really ran, of pull requests that share no round, and of resampled ones.
import type { Stretch, Terms } from "./pool.ts";
import type { Replayed } from "./replay.ts";
import { BLOCK_TURNS } from "./resample.ts";
import type { StoredRun } from "./runs.ts";
import { mean, percent, table, upperBound } from "./words.ts";

interface Real {
  state: string;
  minutes: number;
  turns: number;
}

export interface Alarms {
  /** Of both services with all scenarios, and of one with one. */
  whole: readonly Real[];
  twoBuilds: readonly Real[];
  small: readonly Real[];
  disjoint: readonly Replayed[];
  resampled: readonly Replayed[];
}

export function realVerdicts(runs: readonly StoredRun[], kind: string): Real[] {
  return runs
    .filter((run) => run.kind === kind)
    .map(({ verdict, samples }) => ({
      state: verdict?.state ?? "invalid",
      minutes: samples.run.measuredMs / 60_000,
      turns: Math.max(
        ...samples.config.services.map(
          ({ name }) => samples.rounds.filter(({ service }) => service === name).length,
        ),
      ),
    }));
}

/** `pools`: what the resampled ones were drawn from, by machine. */
export function renderAlarms(alarms: Alarms, pools: readonly Stretch[][], terms: Terms): string {
  const { whole, twoBuilds, small, disjoint, resampled } = alarms;
  const rows = [
    ["real A/A gates of everything, one build in both arms", whole],
    ["real A/A gates of everything, each arm a build of its own", twoBuilds],
    ["real A/A gates of one service and scenario", small],
    ["pull requests cut out of the rounds without a verdict, no round in two of them", disjoint],
    ["pull requests resampled from the pool", resampled],
  ] as const;
  const cells = rows.map(([title, verdicts]) => {
    const count = (state: string): number =>
      verdicts.filter((verdict) => verdict.state === state).length;
    const valid = verdicts.filter(({ state }) => state !== "invalid");
    return [
      title,
      String(verdicts.length),
      `${count("regressed")}`,
      valid.length === 0 ? "" : percent(upperBound(count("regressed"), valid.length), 2),
      String(count("pass") + count("improved")),
      String(count("inconclusive")),
      String(count("invalid")),
      valid.length === 0 ? "" : mean(valid.map(({ turns }) => turns)).toFixed(1),
      valid.length === 0 ? "" : mean(valid.map(({ minutes }) => minutes)).toFixed(1),
    ];
  });
  const bound = upperBound(
    disjoint.filter(({ state }) => state === "regressed").length,
    disjoint.length,
  );
  return `${table(["verdicts of", "n", "regressed", "upper 95 % bound", "pass", "inconclusive", "invalid", "rounds, mean", "minutes, mean"], cells)}

A pull request of everything asks ${terms.gating} gated hypotheses, one of one scenario 3, at α = ${percent(terms.alpha, 0)} together. Upper bounds are Clopper and Pearson's, one-sided.

Those cut out begin where the one before ended; what the rounds of \`pool\` are too few for is left out.${
    resampled.length === 0 ? "" : `\n\n${ofResampled()}`
  }`;

  function ofResampled(): string {
    return `**The resampled verdicts are not independent.** They are drawn, in blocks of up to ${BLOCK_TURNS} rounds and no round twice in one, from ${pools.flat().length} runs${pools.length > 1 ? ` on ${pools.length} machines, each of one machine's rounds` : ""};
the rounds of \`pool\` among them hold ${disjoint.length} pull requests which share no round. Their bound says how well the rate *of this pool* is known (Monte Carlo error), not how well these
rounds stand for others. ${
      disjoint.length === 0
        ? "They are too few for a single verdict."
        : `For that, count the disjoint ones: with ${disjoint.length} the bound is ${percent(bound, bound < 0.1 ? 1 : 0)}${bound <= 0.01 ? "" : `, and ${wantedDisjoint()} without an alarm are what it takes to bring it to 1 % from recorded rounds alone`}.`
    } Beyond that the bound rests on the argument of [the method](method.md): exact tests, given that log ratios of identical arms are symmetric
and independent. The two sections above this one are about these two conditions; a seeded simulation of noise that breaks them is in
\`src/verdict/simulation-noise.test.ts\`.`;
  }
}

/** The n at which 0 of n has an upper bound of 1 %. */
const wantedDisjoint = (): number => Math.ceil(Math.log(0.05) / Math.log(0.99));
