// Whether whole runs lean to one side, for runs whose arms are one build and for runs whose arms are two.
import type { Prng } from "../../src/base/prng.ts";
import { ALL, type Lean, leanOf } from "./lean.ts";
import type { Stretch, Terms } from "./pool.ts";
import { fixed, table } from "./words.ts";

const TOSSES = 999;

export function renderLean(
  sorts: Readonly<Record<string, readonly Stretch[]>>,
  terms: Terms,
  prng: Prng,
): string {
  const hypotheses = terms.hypotheses.map(({ id }) => id);
  const leans = Object.values(sorts).map((own) =>
    leanOf(own, hypotheses, { tosses: TOSSES, prng }),
  );
  const rows = [...hypotheses, ALL].map((id) => [
    id,
    ...leans.flatMap((lean) => cellsOf(lean.get(id))),
  ]);
  const titles = Object.keys(sorts).flatMap((sort) => [`${sort}: runs`, "ratio", "p"]);
  return `${table(["hypothesis", ...titles], rows)}

*Ratio*: how far the mean log ratio of a run is from zero, squared, over what it would be on average if the sign of each of its rounds were a fair coin's; 1 where runs do not lean.
*p*: how often it is as large when the coins are tossed again, ${TOSSES} times; of twenty without a lean one is below .05, on average. The last row is of all series
together. Where both arms are one build they start one file and share its pages; two builds do not, as in most pull requests.`;
}

const cellsOf = (lean: Lean | undefined): string[] =>
  lean === undefined || lean.runs === 0
    ? ["0", "", ""]
    : [String(lean.runs), fixed(lean.ratio, 2), fixed(lean.p, 3)];
