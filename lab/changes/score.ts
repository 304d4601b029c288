// node lab/changes/score.ts otava.jsonl: precision, recall and F1 of our change points and of Apache
// Otava's, on the series of its test data (see reference.py).
import { readFileSync } from "node:fs";
import { z } from "zod";
import { changePoints } from "../../src/core/stats/change-points.ts";

/** Points by which a found change may miss. */
const TOLERANCE = 5;

const CaseSchema = z.strictObject({
  name: z.string(),
  values: z.array(z.number()),
  changes: z.array(z.strictObject({ index: z.int(), kind: z.string() })),
  /** By Otava. */
  found: z.array(z.int()),
});
type Case = z.infer<typeof CaseSchema>;

const FINDERS: Readonly<Record<string, (of: Case) => readonly number[]>> = {
  tailgate: ({ values }) =>
    changePoints(
      values.map((value) => ({ value, standardError: null, afterBreak: false })),
      { seed: 1 },
    ).map(({ first }) => first),
  otava: ({ found }) => found,
};

const SUBSETS: Readonly<Record<string, (of: Case) => boolean>> = {
  "all labels": () => true,
  "steps and nothing else": ({ changes }) => changes.every(({ kind }) => kind === "step"),
};

/** Each label is hit by at most one found point, the nearest first. */
function hits(labels: readonly number[], found: readonly number[]): number {
  const pairs = labels
    .flatMap((label) => found.map((at) => ({ label, at, distance: Math.abs(label - at) })))
    .filter(({ distance }) => distance <= TOLERANCE)
    .sort((a, b) => a.distance - b.distance);
  const taken = new Set<string>();
  for (const { label, at } of pairs) {
    if (taken.has(`label ${label}`) || taken.has(`at ${at}`)) continue;
    taken.add(`label ${label}`).add(`at ${at}`);
  }
  return taken.size / 2;
}

const cases = readFileSync(process.argv[2] ?? "/dev/stdin", "utf8")
  .split("\n")
  .filter((line) => line !== "")
  .map((line) => CaseSchema.parse(JSON.parse(line)));
const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

const answers = Object.entries(FINDERS).map(([finder, find]) => ({
  finder,
  found: cases.map(find),
}));

function row(
  finder: string,
  all: readonly (readonly number[])[],
  counts: (of: Case) => boolean,
): void {
  let [hit, found, labels] = [0, 0, 0];
  for (const [k, of] of cases.entries()) {
    if (!counts(of)) continue;
    const own = all[k] ?? [];
    hit += hits(
      of.changes.map(({ index }) => index),
      own,
    );
    found += own.length;
    labels += of.changes.length;
  }
  const [precision, recall] = [hit / Math.max(1, found), hit / Math.max(1, labels)];
  const f1 = (2 * hit) / Math.max(1, found + labels);
  console.log(
    `| ${finder} | ${labels} | ${found} | ${percent(precision)} | ${percent(recall)} | ${percent(f1)} |`,
  );
}

for (const [subset, counts] of Object.entries(SUBSETS)) {
  console.log(`\n${subset}: ${cases.filter(counts).length} series`);
  console.log("| | labels | found | precision | recall | F1 |\n|---|---|---|---|---|---|");
  for (const { finder, found } of answers) row(finder, found, counts);
}
if (process.argv[3] === "--by-name") {
  for (const name of [...new Set(cases.map((of) => of.name))].sort()) {
    console.log(`\n${name}`);
    for (const { finder, found } of answers) row(finder, found, (of) => of.name === name);
  }
}
