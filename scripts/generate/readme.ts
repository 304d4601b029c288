// README's tables of figures, from the rows of lab/evidence/README.md, which lab/evidence/render.ts
// makes of what was recorded.
import { type Tables, table } from "./tables.ts";

/**
 * As the evidence names it: each tool once, by its default or a usual threshold; first those that
 * compare within a run.
 */
const RULES: readonly [rule: string, shown: string][] = [
  ["tailgate", "**Tailgate**"],
  ["tachometer, from 50 samples", "tachometer: interval of the mean difference"],
  ["perfgate paired, 5 pairs", "perfgate, paired: 5 pairs"],
  ["github-action-benchmark, threshold 200 %", "github-action-benchmark: twice the last value"],
  ["Bencher, t-test 0.99", "Bencher: t-test against stored values"],
  ["k6 threshold, baseline +20 %", "k6 threshold: 20 % above stored values"],
];

/** By kind and by what the evidence says of it first. */
const GATES: readonly [kind: string, planted: string, shown: string][] = [
  ["aa-calm", "nothing", "nothing; the machine is calm"],
  ["aa-disturbed", "nothing; beside it a compiler", "nothing; a compiler runs beside it"],
  ["p99+20", "+20 % p99", "p99"],
  ["rss+5", "+5 % RSS", "RSS"],
];

export function readmeTables(evidence: string): Tables {
  const rows = evidence
    .split("\n")
    .filter((line) => line.startsWith("| "))
    .map((line) => line.slice(2, -2).split(" | "));
  return { alarms: () => alarmsTable(rows), minutes: () => minutesTable(rows) };
}

function alarmsTable(rows: readonly string[][]): string {
  const told = RULES.map(([rule, shown]) => {
    const [, , alarms = "", , , found = ""] = rowOf(rows, rule, ([name]) => name === rule);
    return [shown, alarms.replace(/ \[.*/, ""), found];
  });
  return table(["rule", "unchanged, and red", "+20 % in a metric, and red"], told);
}

function minutesTable(rows: readonly string[][]): string {
  const told = GATES.map(([kind, planted, shown]) => {
    // The last one is of today's limits.
    const row = rowOf(rows.toReversed(), kind, ([name, what = ""]) => {
      return name === kind && what.startsWith(planted) && !what.includes("by other limits");
    });
    const [, , , , , , , correct = "", minutes = "", , change = ""] = row;
    const ended = `${correct.replace(/,.*/, "")} ${change === "–" ? "green" : "red"}`;
    const [median = "", most = ""] = minutes.split(", ");
    return [change === "–" ? shown : `${shown}, ${change}`, median, most, ended];
  });
  return table(["what the change does", "minutes, median", "nine in ten within", "gates"], told);
}

function rowOf(
  rows: readonly string[][],
  name: string,
  isIt: (row: readonly string[]) => boolean,
): readonly string[] {
  const row = rows.find(isIt);
  if (row === undefined) throw new Error(`lab/evidence/README.md has no row ${name}`);
  return row;
}
