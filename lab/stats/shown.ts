// Which values stand beside a change: how they spread from gate to gate and how often they contradict
// the change, by each way to choose them, over the recorded gates. See docs/adr/0025.
//
//   node lab/stats/shown.ts
import type { JudgedComparison } from "../../src/core/model/verdict.ts";
import { median, robustSd } from "../../src/core/stats/dispersion.ts";
import { hodgesLehmann, trim } from "../../src/core/stats/hodges-lehmann.ts";
import { askedOf } from "../../src/core/verdict/hypotheses.ts";
import { judge } from "../../src/core/verdict/judge.ts";
import { type RoundValue, seriesOf } from "../../src/core/verdict/series.ts";
import { readRuns, type StoredRun } from "../evidence/runs.ts";
import { RUNS } from "../evidence/working-copy.ts";

/** Natural logarithms. */
interface Shown {
  reference: number;
  candidate: number;
  change: number;
}
type Way = (rounds: readonly RoundValue[], estimate: number) => Shown;

const mean = (x: readonly number[]): number => x.reduce((sum, value) => sum + value, 0) / x.length;
const referencesOf = (rounds: readonly RoundValue[]) =>
  rounds.map(({ reference }) => Math.log(reference));
const by = (reference: number, change: number): Shown => ({
  reference,
  candidate: reference + change,
  change,
});

const medians: Way = (rounds, change) => ({
  reference: median(referencesOf(rounds)),
  candidate: median(rounds.map(({ candidate }) => Math.log(candidate))),
  change,
});
const WAYS: Readonly<Record<string, Way>> = {
  "medians of each arm": medians,
  "geometric means of kept rounds, and their ratio": (rounds) => {
    const centre = median(rounds.map(({ d }) => d));
    const kept = new Set(trim(rounds.map(({ d }) => d - centre)));
    const used = rounds.filter(({ d }) => kept.has(d - centre));
    return by(mean(referencesOf(used)), mean(used.map(({ d }) => d)));
  },
  "median reference, times the change": (rounds, change) =>
    by(median(referencesOf(rounds)), change),
  "Hodges-Lehmann of the reference, times the change": (rounds, change) =>
    by(hodgesLehmann(referencesOf(rounds)), change),
  "median of both, ± half the change": (rounds, change) =>
    by(median(rounds.map(({ reference, d }) => Math.log(reference) + d / 2)) - change / 2, change),
};

interface Row {
  /** Of one machine's model, commit and question. */
  group: string;
  isPlain: boolean;
  comparison: JudgedComparison;
  rounds: readonly RoundValue[];
}

function rowsOf({ samples, commit, plant }: StoredRun): Row[] {
  const byId = new Map(askedOf(samples).map((one) => [one.id, one]));
  return judge({ samples, baselines: [] }).comparisons.flatMap((comparison) => {
    const hypothesis = byId.get(comparison.id);
    if (hypothesis === undefined || comparison.estimate === null) return [];
    const used = seriesOf(hypothesis, samples.rounds).slice(0, comparison.rounds);
    const isOfCalm = ["pass", "improved", "worse-within"].includes(comparison.state);
    const rounds = isOfCalm ? used.filter(({ calm }) => calm) : used;
    const group = `${samples.host.fingerprint.cpuModel} ${commit} ${comparison.id}`;
    return [{ group, isPlain: plant === null, comparison, rounds }];
  });
}

const FEWEST_GATES = 8;
/** The median over groups. */
function spread(rows: readonly Row[], shownOf: (row: Row) => number): number {
  const groups = [...Map.groupBy(rows, ({ group }) => group).values()];
  const large = groups.filter((own) => own.length >= FEWEST_GATES);
  return median(large.map((own) => robustSd(own.map(shownOf))));
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
const changeOf = (logRatio: number): number => Math.expm1(logRatio);

const all = readRuns(RUNS)
  .flatMap(rowsOf)
  .filter(({ comparison }) => comparison.level !== "info");
const kinds = Map.groupBy(all, ({ comparison: { metric, estimator } }) => `${metric} ${estimator}`);
for (const [kind, rows] of kinds) {
  console.log(`\n${kind}, ${rows.length} rows`);
  console.log("| shown | contradict | reference | candidate | change | outside | apart |");
  for (const [name, way] of Object.entries(WAYS)) {
    const found = new Map(
      rows.map((row) => [row, way(row.rounds, row.comparison.estimate ?? Number.NaN)] as const),
    );
    const of = (row: Row): Shown => found.get(row) as Shown;
    const contradicting = rows.filter((row) => {
      const { reference, candidate, change } = of(row);
      const [seen, said] = [changeOf(candidate - reference), changeOf(change)];
      return seen * said < 0 && Math.min(Math.abs(seen), Math.abs(said)) > 0.01;
    });
    const outside = rows.filter((row) => {
      const { low, high } = row.comparison.interval ?? { low: null, high: null };
      const { change } = of(row);
      return (low ?? -Infinity) > change + 1e-9 || (high ?? Infinity) < change - 1e-9;
    });
    const apart = rows.map((row) => {
      const usual = medians(row.rounds, 0);
      const { reference, candidate } = of(row);
      return Math.max(Math.abs(reference - usual.reference), Math.abs(candidate - usual.candidate));
    });
    const plain = rows.filter(({ isPlain }) => isPlain);
    const cells = [
      name,
      contradicting.length,
      percent(spread(rows, (row) => of(row).reference)),
      percent(spread(plain, (row) => of(row).candidate)),
      percent(spread(plain, (row) => of(row).change)),
      outside.length,
      `${percent(median(apart))}, at most ${percent(Math.max(...apart))}`,
    ];
    console.log(`| ${cells.join(" | ")} |`);
  }
}
