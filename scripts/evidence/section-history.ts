// What stored baselines would have said on the recorded runs, each run the record that the next one is held against.
import type { Policy } from "../../src/model/config.ts";
import { quantile, sortSample } from "../../src/stats/quantile.ts";
import { MIN_DRIFT_CHANGES } from "../../src/verdict/drift.ts";
import { type Asked, type HistoryRow, historyOf } from "./history.ts";
import { renderByMachine } from "./machines.ts";
import type { StoredRun } from "./runs.ts";
import { fixed, NONE, percent, share, table } from "./words.ts";

export function renderHistory(runs: readonly StoredRun[], policy: Policy): string {
  const rows = historyOf(runs, policy);
  if (rows.length === 0) return "No two runs of the same workload have been recorded yet.";
  return `Every run, in the order of time, was first a pull request held against the record before it, and then a record itself, of its reference's first ${policy.looks[0]} launches,
in which nothing is planted. Of each row's runs those from the ${MIN_DRIFT_CHANGES + 2}th on are asked: before, no drift has been learned.

${renderByMachine(rows, ({ machine }) => machine, tableOf)}`;
}

const tableOf = (rows: readonly HistoryRow[]): string =>
  table(
    [
      "metric",
      "workload",
      "records, hours",
      "change between records, median, p95",
      "unchanged, measured alongside after all",
      "unchanged, red with `--compare stored`",
      "planted by its promise or more, passed by the screen",
    ],
    rows.map(cellsOf),
  );

function cellsOf({
  id,
  scenarios,
  records,
  hours,
  changes,
  unchanged,
  planted,
}: HistoryRow): string[] {
  const change = (q: number): string => percent(Math.expm1(quantile(sortSample(changes), q)));
  return [
    id,
    scenarios.join(", "),
    `${records}, ${fixed(hours, 1)}`,
    changes.length === 0 ? NONE : `${change(0.5)}, ${change(0.95)}`,
    of(unchanged, ({ times, passed }) => times - passed),
    of(unchanged, ({ red }) => red),
    of(planted, ({ passed }) => passed),
  ];
}

const of = (asked: Asked, count: (asked: Asked) => number): string =>
  asked.times === 0 ? NONE : share(count(asked), asked.times);
