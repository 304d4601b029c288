// What is found of what was planted: in gates that really ran, and in recorded rounds multiplied by a ratio; with what it costs beside
// what it must cost at least.
import { robustSd } from "../../src/stats/dispersion.ts";
import { trimmedEstimate } from "../../src/stats/hodges-lehmann.ts";
import { trimmedInterval } from "../../src/stats/trimmed-shifts.ts";
import type { Hypothesis } from "../../src/verdict/hypotheses.ts";
import { gatedComparisons } from "./again.ts";
import { fixedRounds, waldRounds } from "./bounds.ts";
import { logRatios, type Stretch, type Terms, turnsOf } from "./pool.ts";
import { FOUND } from "./promises.ts";
import { type Answer, answerOf, type Replayed, replay, type Trial } from "./replay.ts";
import type { Plant, StoredRun } from "./runs.ts";
import { change, fixed, mean, percent, share, table } from "./words.ts";

export function renderReal(runs: readonly StoredRun[]): string {
  const groups = new Map<string, { run: StoredRun; plant: Plant }[]>();
  for (const run of runs) {
    if (run.verdict === null) continue;
    for (const plant of run.plants) {
      const key = `${run.kind}\t${plant.service}\t${plant.finds.join(" or ")}\t${kindOfFault(plant)}`;
      groups.set(key, [...(groups.get(key) ?? []), { run, plant }]);
    }
  }
  if (groups.size === 0) return "No gate with a plant has run yet.";
  const sorted = [...groups].sort(([a], [b]) => a.localeCompare(b, "en", { numeric: true }));
  const rows = sorted.map(([key, members]) => {
    const [kind = "", service = "", finds = "", fault = ""] = key.split("\t");
    const valid = members.filter(({ run }) => run.verdict?.state !== "invalid");
    const found = valid.filter(({ run, plant }) =>
      plant.finds.some((id) => run.verdict?.regressed.includes(id)),
    );
    const others = valid.filter(({ run }) => falsely(run).length > 0);
    const d = members.flatMap(({ run, plant }) =>
      logRatios(turnsOf(run.samples, firstLook(run)), plant.finds[0] ?? ""),
    );
    const { low, high } = trimmedInterval(d, 0.95);
    const spent = found.map(({ run, plant }) => costOf(run, plant.finds));
    return [
      kind,
      `${service}: ${fault}`,
      finds === "" ? "(not gated)" : finds,
      d.length === 0 ? "" : `${change(trimmedEstimate(d))} [${change(low)}, ${change(high)}]`,
      finds === "" ? "" : share(found.length, valid.length),
      spent.length === 0 ? "" : fixed(mean(spent.map(({ rounds }) => rounds)), 1),
      spent.length === 0 ? "" : fixed(mean(spent.map(({ minutes }) => minutes)), 1),
      String(others.length),
    ];
  });
  return `${table(["kind", "planted in", "to be found in", "planted change as measured", "found", "rounds until found, mean", "minutes of the gate until then", "gates with another alarm"], rows)}

*As measured*: trimmed Hodges-Lehmann over the first look's rounds of all gates of the row, so that no stopping rule is in it. *Another alarm*: a
red hypothesis of a service in which nothing was planted that could move it.`;
}

/** A delay as it was, since delays differ in what they come to; other amounts are a fraction of the level, which hardly changes. */
const kindOfFault = ({ faults }: Plant): string =>
  faults.replaceAll(/(slow_us|keep_bytes|keep_bytes_per_request)=\d+/g, "$1=…");

const firstLook = ({ samples }: StoredRun): number => samples.config.policy.looks[0] ?? 0;

/** Red where nothing was planted: another hypothesis of a planted service may rightly be red. */
function falsely({ verdict, plants }: StoredRun): string[] {
  const touched = plants.flatMap(({ service, faults, finds }) =>
    faults.startsWith("route=") ? [`${service}/echo`] : finds,
  );
  return (verdict?.regressed ?? []).filter((id) => !touched.some((part) => id.startsWith(part)));
}

/** Rounds of the first of the hypotheses that was found red, and the minutes of the gate up to that round's end. */
function costOf(
  { samples }: StoredRun,
  finds: readonly string[],
): { rounds: number; minutes: number } {
  const red = gatedComparisons(samples).filter(
    ({ id, state }) => state === "regressed" && finds.includes(id),
  );
  const [first] = red.sort((a, b) => a.rounds - b.rounds);
  if (first === undefined) return { rounds: Number.NaN, minutes: Number.NaN };
  const own = samples.rounds.filter(({ service }) => service === first.service);
  return { rounds: first.rounds, minutes: (own[first.rounds - 1]?.endedAtMs ?? 0) / 60_000 };
}

/** Effects planted in recorded rounds, as fractions of a metric's promise. */
const EFFECTS = [0.5, 1, 2] as const;

export interface Planting {
  stretches: readonly Stretch[];
  terms: Terms;
  trials: readonly Trial[];
  /** Of the same trials with nothing planted. */
  unchanged: readonly ReadonlyMap<string, Answer>[];
}

export function renderPlanted({ stretches, terms, trials, unchanged }: Planting): string {
  const turns = stretches.flatMap((stretch) => stretch.turns);
  const missed: string[] = [];
  const rows = terms.hypotheses.flatMap((hypothesis) =>
    EFFECTS.map((factor) => {
      const effect = hypothesis.policy.promise * factor;
      const ended = trials.map((trial, i) => {
        const answers = new Map(unchanged[i]);
        answers.set(hypothesis.id, answerOf(trial, hypothesis, effect, terms));
        return replay(trial, answers, terms);
      });
      const own = ended.map(({ answers }) => answers.get(hypothesis.id)?.state);
      const found = ended.filter((_, i) => own[i] === "regressed");
      const count = (state: Answer["state"]): number => own.filter((one) => one === state).length;
      if (factor === 1 && count("regressed") < FOUND * trials.length) {
        missed.push(
          `${hypothesis.id} +${percent(effect, 0)} (${count("open")} of ${trials.length} open, ${count("pass")} passed)`,
        );
      }
      const d = logRatios(turns, hypothesis.id);
      return [
        hypothesis.id,
        `+${percent(effect, effect < 0.1 ? 1 : 0)}`,
        share(count("regressed"), trials.length),
        percent(count("pass") / trials.length),
        percent(count("open") / trials.length),
        ...costCells(hypothesis, effect, found, robustSd(d), terms),
      ];
    }),
  );
  return `${table(["hypothesis", "planted", "found", "passed", "open at the end", "rounds until found, mean", "Wald's bound", "one look", "minutes of the gate, median"], rows)}

${wordsOf(missed)}`;
}

/** Where a promise is not kept it is said: what stays open is no pass, and what passes is a miss. */
function wordsOf(missed: readonly string[]): string {
  return missed.length === 0
    ? "Each promise is found at least 95 times in 100."
    : `**Promised, and found less than 95 times in 100 here:** ${missed.join("; ")}. What is open when the time budget ends is \`inconclusive\`; a longer budget or
a quieter machine answers it, and \`tailgate calibrate\` says beforehand which promises a machine cannot keep.`;
}

/** α of one hypothesis is its share; what the looks cost is part of what the bound is held against. */
function costCells(
  hypothesis: Hypothesis,
  effect: number,
  found: readonly Replayed[],
  sd: number,
  terms: Terms,
): string[] {
  const distance = Math.log1p(effect) - Math.log1p(hypothesis.policy.tolerance);
  const errors = { alpha: terms.alpha / terms.gating, beta: 0.05 };
  const rounds = found.map(({ answers }) => answers.get(hypothesis.id)?.turns ?? Number.NaN);
  const minutes = found.map((one) => one.minutes).sort((a, b) => a - b);
  return [
    found.length === 0 ? "" : fixed(mean(rounds), 1),
    fixed(waldRounds(sd, distance, errors), 1),
    fixed(fixedRounds(sd, distance, errors), 1),
    found.length === 0 ? "" : fixed(minutes[minutes.length >> 1] ?? Number.NaN, 1),
  ];
}

/** Rounds to a pass where nothing changed: the time that most pull requests take. */
export function renderPasses({ stretches, terms, trials, unchanged }: Planting): string {
  const turns = stretches.flatMap((stretch) => stretch.turns);
  const rows = terms.hypotheses.map(({ id, policy }) => {
    const answers = unchanged.map((one) => one.get(id));
    const passed = answers.filter((answer) => answer?.state === "pass");
    const sd = robustSd(logRatios(turns, id));
    const errors = { alpha: terms.beta, beta: 0.05 };
    const distance = Math.log1p(policy.promise);
    return [
      id,
      percent(policy.promise, 0),
      percent(passed.length / Math.max(1, trials.length)),
      passed.length === 0 ? "" : fixed(mean(passed.map((answer) => answer?.turns ?? 0)), 1),
      fixed(waldRounds(sd, distance, errors), 1),
      fixed(fixedRounds(sd, distance, errors), 1),
    ];
  });
  return table(
    ["hypothesis", "promise", "passed", "rounds to a pass, mean", "Wald's bound", "one look"],
    rows,
  );
}
