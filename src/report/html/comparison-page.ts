// A comparison of two services as one self-contained page: no script, no request, its own record inside.
import type { ComparisonRow, ServiceComparison } from "../../model/comparison.ts";
import {
  comparisonFacts,
  findingWord,
  formatRatio,
  formatRatioInterval,
  hasValues,
  intervalNote,
  NOTHING_COUNTS,
  scenarioTitle,
  summaryLines,
  titleOf,
} from "../comparison-text.ts";
import { buildRows } from "../facts.ts";
import { plainLines } from "../foreign.ts";
import { formatFraction, formatValue } from "../format.ts";
import { plotRatios } from "./comparison-plot.ts";
import { element, joined, type Markup, text } from "./element.ts";
import { block, renderPage } from "./page-frame.ts";
import { cell, factList, NUMBER, table } from "./page-tables.ts";
import { plotCurves } from "./plot-curves.ts";
import { plotMemory } from "./plot-memory.ts";

const CURVES_CAPTION =
  "Look for where the curves part: on the left every request differs, on the right only the tail. The bands hold the middle half of rounds.";

export function renderComparisonHtml(comparison: ServiceComparison): string {
  return renderPage(
    {
      title: titleOf(comparison),
      footer: `${comparison.tool}. This page carries its own record: the comparison as JSON in the element #comparison.`,
      id: "comparison",
      record: comparison,
    },
    banner(comparison),
    element("main", {}, ...sections(comparison)),
  );
}

function banner(comparison: ServiceComparison): Markup {
  const invalid = comparison.state === "invalid";
  const lines = [...comparison.faults, ...comparison.notes, ...summaryLines(comparison)];
  const says = lines.map((note) => {
    const [first = "", ...tail] = plainLines(note);
    return element("li", {}, text(first), tail.length === 0 ? joined([]) : block(tail));
  });
  return element(
    "header",
    { class: `banner ${invalid ? "invalid" : "no-baseline"}` },
    element("h1", {}, text(titleOf(comparison))),
    invalid
      ? element("p", { class: "headline" }, text("INVALID: the measurement cannot be trusted"))
      : joined([]),
    says.length === 0 ? joined([]) : element("ul", {}, ...says),
    element("p", { class: "note" }, text(intervalNote(comparison))),
  );
}

function sections(comparison: ServiceComparison): Markup[] {
  const { services, scenarios, rows, artifacts, launches } = comparison;
  const sides = `${services.candidate} / ${services.reference}`;
  const part = (title: string, ...content: Markup[]): Markup =>
    element("section", {}, element("h2", {}, text(title)), ...content);
  const figures = (...drawn: Markup[]): Markup => element("div", { class: "figures" }, ...drawn);
  const rss = rows.find(({ id }) => id === "rss");
  const memory =
    rss === undefined || launches.candidate.length + launches.reference.length === 0
      ? []
      : [
          plotMemory({ metric: "rss", ...launches }, rss, {
            names: services,
            key: "median of the launches",
          }),
        ];
  return [
    ...scenarios.map((scenario) =>
      part(
        scenarioTitle(scenario),
        rowTable(comparison, scenario.rows),
        figures(
          ...(scenario.curves.candidate.length > 0
            ? [plotCurves(scenario.curves, { names: services, caption: CURVES_CAPTION })]
            : []),
          ...ratios(scenario.rows, sides),
        ),
      ),
    ),
    ...(rows.length === 0
      ? []
      : [part("Services", rowTable(comparison, rows), figures(...memory, ...ratios(rows, sides)))]),
    ...(artifacts.length === 0 ? [] : [part("Builds", buildTable(comparison))]),
    part("How it was measured", factList(comparisonFacts(comparison))),
  ];
}

function ratios(rows: readonly ComparisonRow[], sides: string): Markup[] {
  return rows.some(({ estimate }) => estimate !== null) ? [plotRatios(rows, sides)] : [];
}

/** A difference is shown: only then is the ratio worth a bold number. */
function isShown({ finding }: ComparisonRow): boolean {
  return finding === "lower" || finding === "higher";
}

function rowTable(
  { services, intervals }: ServiceComparison,
  rows: readonly ComparisonRow[],
): Markup {
  if (!hasValues(rows)) return element("p", { class: "note" }, text(NOTHING_COUNTS));
  return table(
    [
      "metric",
      `>${services.candidate}`,
      `>${services.reference}`,
      ">ratio",
      `>${formatFraction(intervals.level)} interval`,
      "",
      ">rounds",
    ],
    element(
      "tbody",
      {},
      ...rows.map((row) =>
        element(
          "tr",
          {},
          cell(row.label),
          cell(formatValue(row.unit, row.candidate), NUMBER),
          cell(formatValue(row.unit, row.reference), NUMBER),
          cell(formatRatio(row.estimate), isShown(row) ? { class: "number change" } : NUMBER),
          cell(formatRatioInterval(row), NUMBER),
          cell(findingWord(row)),
          cell(String(row.rounds), NUMBER),
        ),
      ),
    ),
  );
}

function buildTable({ artifacts }: ServiceComparison): Markup {
  const rows = buildRows(artifacts).map((row) =>
    element(
      "tr",
      {},
      cell(row.service),
      cell(row.took, NUMBER),
      cell(row.size, NUMBER),
      cell(row.stripped, NUMBER),
      cell(row.toolchain),
    ),
  );
  return table(
    ["service", ">build time", ">size", ">stripped", "toolchain"],
    element("tbody", {}, ...rows),
  );
}
