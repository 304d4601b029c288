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
  ["aa-calm", "nothing", "nothing, on a calm machine"],
  ["aa-calm", "nothing; on cores", "nothing, on cores that others slow unseen"],
  ["aa-disturbed", "nothing; beside it a compiler", "nothing, beside a compiler"],
  ["aa-disturbed", "nothing; beside it people at work", "nothing, beside people at work"],
  ["aa-disturbed", "nothing; beside it another gate", "nothing, beside another gate"],
  ["p99+20", "+20 % p99", "p99"],
  ["rss+5", "+5 % RSS", "RSS"],
];

type Row = Readonly<Record<string, string>>;

export function readmeTables(evidence: string): Tables {
  const rows = rowsOf(evidence);
  return { alarms: () => alarmsTable(rows), minutes: () => minutesTable(rows) };
}

/** Of all tables, by the titles of their columns. */
function rowsOf(markdown: string): readonly Row[] {
  let titles: readonly string[] = [];
  return markdown.split("\n").flatMap((line, i, lines) => {
    if (!line.startsWith("| ")) return [];
    const cells = line.slice(2, -2).split(" | ");
    const isHead = lines[i - 1]?.startsWith("|") !== true;
    if (isHead) titles = cells;
    return isHead ? [] : [Object.fromEntries(titles.map((title, at) => [title, cells[at] ?? ""]))];
  });
}

function alarmsTable(rows: readonly Row[]): string {
  const told = RULES.map(([rule, shown]) => {
    const row = rowOf(rows, rule, (one) => one.rule === rule);
    const alarms = cellOf(row, "unchanged pull requests with an alarm").replace(/ \[.*/, "");
    return [shown, alarms, cellOf(row, "+20 %: a metric found")];
  });
  return table(["rule", "unchanged, and red", "+20 % in a metric, and red"], told);
}

function minutesTable(rows: readonly Row[]): string {
  const told = GATES.map(([kind, planted, shown]) => {
    const row = rowOf(rows, kind, ({ kind: own, planted: what = "" }) => {
      return own === kind && what.startsWith(planted) && !what.includes("by other limits");
    });
    const change = cellOf(row, "measured change, median");
    const correct = cellOf(row, "correct, 95 % interval").replace(/,.*/, "");
    const [median = "", most = ""] = cellOf(row, "minutes: median, 9 in 10").split(", ");
    const isRed = change !== "–";
    const name = isRed ? `${shown}, ${change}` : shown;
    return [name, median, most, `${correct} ${isRed ? "red" : "green"}`];
  });
  return table(["what the change does", "minutes, median", "nine in ten within", "gates"], told);
}

function rowOf(rows: readonly Row[], name: string, isIt: (row: Row) => boolean): Row {
  const row = rows.find(isIt);
  if (row === undefined) throw new Error(`lab/evidence/README.md has no row ${name}`);
  return row;
}

function cellOf(row: Row, title: string): string {
  const cell = row[title];
  if (cell === undefined) throw new Error(`lab/evidence/README.md has no column ${title}`);
  return cell;
}
