// False alarms of whole verdicts: of gates that really ran, of pull requests that share no round, and of resampled ones.
import type { Stretch, Terms } from "./pool.ts";
import type { Replayed } from "./replay.ts";
import { BLOCK_TURNS } from "./resample.ts";
import type { StoredRun } from "./runs.ts";
import { mean, percent, table, upperBound } from "./words.ts";

export interface Alarms {
  real: readonly { state: string; minutes: number; turns: number }[];
  disjoint: readonly Replayed[];
  resampled: readonly Replayed[];
}

export function realVerdicts(runs: readonly StoredRun[], kind: string): Alarms["real"] {
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

export function renderAlarms(alarms: Alarms, stretches: readonly Stretch[], terms: Terms): string {
  const { real, disjoint, resampled } = alarms;
  const rows = [
    ["real A/A gates", real],
    ["pull requests cut out of the pool, no round in two of them", disjoint],
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

A pull request asks ${terms.gating} gated hypotheses at α = ${percent(terms.alpha, 0)} together. Upper bounds are Clopper and Pearson's, one-sided.

Those cut out of the pool begin where the one before ended; what the pool is too short for is left out.

**The resampled verdicts are not independent.** They are drawn, in blocks of up to ${BLOCK_TURNS} rounds and no round twice in one, from ${stretches.length} runs that
hold ${disjoint.length} pull requests which share no round. Their bound says how well the rate *of this pool* is known (Monte Carlo error), not how well these
rounds stand for others. ${
    disjoint.length === 0
      ? "The pool is too short for a single verdict."
      : `For that, count the disjoint ones: with ${disjoint.length} the bound is ${percent(bound, bound < 0.1 ? 1 : 0)}${bound <= 0.01 ? "" : `, and ${wantedDisjoint()} without an alarm are what it takes to bring it to 1 % from recorded rounds alone`}.`
  } Beyond that the bound rests on the argument of [the method](method.md): exact tests, given that log ratios of identical arms are symmetric
and independent. The table above this one is about these two conditions; a seeded simulation of noise that breaks them is in
\`src/verdict/simulation-noise.test.ts\`.`;
}

/** The n at which 0 of n has an upper bound of 1 %. */
const wantedDisjoint = (): number => Math.ceil(Math.log(0.05) / Math.log(0.99));
