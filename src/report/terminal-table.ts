// The table of comparisons on a terminal: a heading for each scenario or service, a row for each question about it.
import { METRIC_FACTS } from "../model/metric.ts";
import type { Report } from "../model/report.ts";
import type { Comparison, ComparisonState } from "../model/verdict.ts";
import { clip, layoutTable, type Row, wrap } from "./columns.ts";
import { plainLine } from "./foreign.ts";
import {
  formatDetectable,
  formatEstimate,
  formatInterval,
  formatLimits,
  formatPair,
} from "./format.ts";
import { groupBySubject, metricName, subjectName } from "./rows.ts";
import { STATE_FACTS } from "./states.ts";

/** So many rows are read; what passes beyond them is only counted. */
const MAX_ROWS = 40;

export interface Page {
  report: Report;
  width: number;
  paint: Paint;
}

export type Style = ComparisonState | "bold" | "dim";
export type Paint = (style: Style, text: string) => string;

/** Select Graphic Rendition parameters. */
export const STYLE_CODES: Readonly<Record<Style, string>> = {
  pass: "32",
  improved: "1;36",
  regressed: "1;31",
  inconclusive: "1;33",
  invalid: "1;35",
  "no-baseline": "1;34",
  waived: "33",
  bold: "1",
  dim: "2",
};

/** Only what decides is said in capitals. */
type Role = "deciding" | "context";

export function tableSection(
  page: Page,
  title: string,
  comparisons: readonly Comparison[],
): string[] {
  if (comparisons.length === 0) return [];
  const { width, paint } = page;
  const { rows, hidden } = tableRows(page, title === "" ? "deciding" : "context", comparisons);
  // Exact intervals have the level that ranks allow; the heading promises the least of them.
  const level = Math.min(1, ...comparisons.flatMap(({ interval }) => interval?.level ?? []));
  const { lines, dropped } = layoutTable(
    [
      { id: "state", title: "", align: "left", dropRank: 0 },
      { id: "metric", title: "metric", align: "left", dropRank: 0 },
      { id: "values", title: "ref → cand", align: "right", dropRank: 0 },
      { id: "change", title: "change", align: "right", dropRank: 0 },
      {
        id: "interval",
        title: level < 1 ? `${Math.floor(level * 100)} % interval` : "interval",
        align: "right",
        dropRank: 1,
      },
      { id: "limits", title: "limits", align: "right", dropRank: 4 },
      { id: "sees", title: "sees", align: "right", dropRank: 2 },
      { id: "rounds", title: "n", align: "right", dropRank: 3 },
    ],
    rows,
    { width, paintHeading: (text) => paint("dim", text) },
  );
  const legend = [
    dropped.includes("limits") ? `limits: ${limitsByMetric(comparisons)}.` : "",
    "limits a/b: fails when proven worse and at least a; passes when shown to be less than b worse.",
    "sees: the smallest true change that this run would have called 95 times in 100. n: rounds.",
  ].filter((line) => line !== "");
  return [
    ...(title === "" ? [] : [paint("bold", title)]),
    ...lines,
    ...hidden,
    ...(title === "" ? legend : []).flatMap((line) =>
      wrap(line, { width, first: "  ", rest: "  " }).map((text) => paint("dim", text)),
    ),
  ];
}

function tableRows(
  { paint, width }: Page,
  role: Role,
  comparisons: readonly Comparison[],
): { rows: Row[]; hidden: string[] } {
  const rows: Row[] = [];
  const hidden: Comparison[] = [];
  for (const subject of groupBySubject(comparisons)) {
    const quiet = subject.comparisons.every(({ state }) => state === "pass");
    if (quiet && rows.length + subject.comparisons.length >= MAX_ROWS) {
      hidden.push(...subject.comparisons);
      continue;
    }
    rows.push({
      kind: "heading",
      text: paint("bold", clip(`  ${plainLine(subject.name)}`, width)),
    });
    rows.push(...subject.comparisons.map((comparison) => comparisonRow(comparison, role, paint)));
  }
  const subjects = new Set(hidden.map(subjectName)).size;
  return {
    rows,
    hidden:
      hidden.length === 0
        ? []
        : [
            `  … and ${hidden.length} more that pass, of ${subjects} scenarios or services: see the HTML report`,
          ],
  };
}

function comparisonRow(comparison: Comparison, role: Role, paint: Paint): Row {
  const { state } = comparison;
  const { symbol, word } = STATE_FACTS[state];
  const shown = role === "deciding" ? word : word.toLowerCase();
  return {
    kind: "cells",
    cells: [
      { text: `${symbol} ${shown}`, paint: (text) => paint(state, text) },
      { text: metricName(comparison) },
      {
        text: formatPair(
          METRIC_FACTS[comparison.metric].unit,
          comparison.reference,
          comparison.candidate,
        ),
      },
      {
        text: formatEstimate(comparison),
        paint: (text) => (state === "pass" ? text : paint("bold", text)),
      },
      { text: formatInterval(comparison, { style: "compact" }) },
      { text: formatLimits(comparison) },
      { text: formatDetectable(comparison.detectable) },
      { text: String(comparison.rounds) },
    ],
  };
}

function limitsByMetric(comparisons: readonly Comparison[]): string {
  const byLimits = new Map<string, Set<string>>();
  for (const comparison of comparisons) {
    const limits = formatLimits(comparison);
    byLimits.set(limits, (byLimits.get(limits) ?? new Set()).add(metricName(comparison)));
  }
  return [...byLimits].map(([limits, names]) => `${[...names].join(", ")} ${limits}`).join("; ");
}
