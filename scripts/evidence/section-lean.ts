// Whether whole runs lean to one side, for runs whose arms are one build and for runs whose arms are two.
import type { Prng } from "../../src/base/prng.ts";
import { ALL, type Lean, leanOf } from "./lean.ts";
import { poolOf, type Terms, TWO_BUILDS } from "./pool.ts";
import type { StoredRun } from "./runs.ts";
import { fixed, table } from "./words.ts";

const TOSSES = 999;

export function renderLean(runs: readonly StoredRun[], terms: Terms, prng: Prng): string {
  const isTwo = ({ kind }: StoredRun): boolean => kind === TWO_BUILDS;
  const twoBuilds = runs.filter(isTwo);
  const sorts = { "one build": runs.filter((run) => !isTwo(run)), "two builds": twoBuilds };
  const hypotheses = terms.hypotheses.map(({ id }) => id);
  const [firstLook = 0] = terms.looks;
  const leans = Object.values(sorts).map((own) => {
    const first = poolOf(own).map((one) => ({ ...one, turns: one.turns.slice(0, firstLook) }));
    return leanOf(first, hypotheses, { tosses: TOSSES, prng });
  });
  const rows = [...hypotheses, ALL].map((id) => [
    id,
    ...leans.flatMap((lean) => cellsOf(lean.get(id))),
  ]);
  const titles = Object.keys(sorts).flatMap((sort) => [`${sort}: runs`, "ratio", "p"]);
  return `${table(["hypothesis", ...titles], rows)}

*Ratio*: how far the mean log ratio of a run is from zero, squared, over what it would be on average if the sign of each of its rounds were a fair coin's; 1 where runs do not lean.
*p*: how often it is as large when the coins are tossed again, ${TOSSES} times; of twenty without a lean one is below .05, on average. The last row is of all series
together. Of each run the first ${firstLook} rounds, which are there whatever they say: a gate that goes on until it has an answer ends with another mean.
Where both arms are one build they start one file and share its pages; two builds do not, as in most pull requests.${wordsOfBytes(twoBuilds)}`;
}

const cellsOf = (lean: Lean | undefined): string[] =>
  lean === undefined || lean.runs === 0
    ? ["0", "", ""]
    : [String(lean.runs), fixed(lean.ratio, 2), fixed(lean.p, 3)];

/** A compiler may write the same bytes twice, which makes two files and no difference in layout. */
function wordsOfBytes(runs: readonly StoredRun[]): string {
  const same = new Set<string>();
  const different = new Set<string>();
  for (const { artifacts } of runs.map(({ samples }) => samples)) {
    for (const [service, own] of Map.groupBy(artifacts, (one) => one.service)) {
      (new Set(own.map(({ sha256 }) => sha256)).size === 1 ? same : different).add(service);
    }
  }
  const words = [
    ...[...same].map((service) => `the two files of ${service} hold the same bytes`),
    ...[...different].map((service) => `those of ${service} differ`),
  ];
  return words.length === 0 ? "" : ` Here ${words.join(", ")}.`;
}
