// A comparison of two services on a terminal: what most came for, a table for each scenario, one of the services' own metrics.
import type { ComparisonRow, ServiceComparison } from "../model/comparison.ts";
import { type Cell, type Column, clip, displayWidth, layoutTable, wrap } from "./columns.ts";
import {
  comparisonFacts,
  findingWord,
  formatRatio,
  formatRatioInterval,
  hasValues,
  intervalNote,
  NOTHING_COUNTS,
  scenarioTitle,
  shortLabel,
  summaryLines,
  titleOf,
} from "./comparison-text.ts";
import { buildRows } from "./facts.ts";
import { plainLine, plainLines } from "./foreign.ts";
import { formatFraction, formatValue } from "./format.ts";
import type { TerminalOptions } from "./terminal.ts";
import { type Paint, STYLE_CODES } from "./terminal-table.ts";

/** Names that are longer than a column is wide stand in the title alone. */
const MAX_NAME = 10;
interface Page {
  comparison: ServiceComparison;
  width: number;
  paint: Paint;
}

export function renderComparisonTerminal(
  comparison: ServiceComparison,
  options: TerminalOptions,
): string {
  const paint: Paint =
    options.color === "always"
      ? (style, text) => `\u001b[${STYLE_CODES[style]}m${text}\u001b[0m`
      : (_, text) => text;
  const page: Page = { comparison, width: Math.max(60, options.width), paint };
  const { scenarios, rows } = comparison;
  const sections = [
    head(page),
    ...scenarios.map((scenario) => tableSection(page, scenarioTitle(scenario), scenario.rows)),
    tableSection(page, "Services, a value for each launch", rows),
    section(page, "Builds", buildLines(comparison)),
    section(page, "How to read it", [
      `ratio: ${comparison.services.candidate} / ${comparison.services.reference}. ${intervalNote(comparison)}`,
    ]),
    section(
      page,
      "How it was measured",
      comparisonFacts(comparison).map(({ label, text }) => `${label}: ${text}`),
    ),
  ];
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n")}\n`;
}

function head({ comparison, width, paint }: Page): string[] {
  const { faults, notes, state } = comparison;
  const says = (text: string): string[] =>
    wrap(plainLine(text), { width, first: "  ", rest: "    " });
  return [
    paint("bold", clip(plainLine(titleOf(comparison)), width)),
    ...(state === "invalid"
      ? [paint("invalid", "! INVALID: the measurement cannot be trusted")]
      : []),
    ...faults.flatMap((fault) => plainLines(fault).flatMap(says)),
    ...notes.flatMap(says),
    ...summaryLines(comparison).flatMap(says),
  ];
}

function section({ width, paint }: Page, title: string, texts: readonly string[]): string[] {
  if (texts.length === 0) return [];
  const lines = texts.flatMap((text) =>
    wrap(plainLine(text, 1000), { width, first: "  ", rest: "    " }),
  );
  return [paint("bold", title), ...lines];
}

function tableSection(
  { comparison, width, paint }: Page,
  title: string,
  rows: readonly ComparisonRow[],
): string[] {
  if (rows.length === 0) return [];
  const heading = paint("bold", clip(plainLine(title), width));
  if (!hasValues(rows)) return [heading, `  ${NOTHING_COUNTS}`];
  const { services, intervals } = comparison;
  const names = [services.candidate, services.reference].map((name) => plainLine(name));
  const fit = names.every((name) => displayWidth(name) <= MAX_NAME);
  const [first = "", second = ""] = fit ? names : ["first", "second"];
  const side = (id: string, name: string): Column => ({
    id,
    title: name,
    align: "right",
    dropRank: 0,
  });
  const { lines, dropped } = layoutTable(
    [
      { id: "metric", title: "metric", align: "left", dropRank: 0 },
      side("candidate", first),
      side("reference", second),
      { id: "ratio", title: "ratio", align: "right", dropRank: 0 },
      {
        id: "interval",
        title: `${formatFraction(intervals.level)} interval`,
        align: "right",
        dropRank: 1,
      },
      { id: "rounds", title: "n", align: "right", dropRank: 2 },
      { id: "finding", title: "", align: "left", dropRank: 0 },
    ],
    rows.map((row) => ({ kind: "cells", cells: cells(row, paint) })),
    { width, paintHeading: (text) => paint("dim", text) },
  );
  const hint = "  (a wider terminal, the Markdown and the page show the intervals too)";
  return [heading, ...lines, ...(dropped.includes("interval") ? [paint("dim", hint)] : [])];
}

function cells(row: ComparisonRow, paint: Paint): Cell[] {
  const shown = row.finding === "lower" || row.finding === "higher";
  return [
    { text: shortLabel(row) },
    { text: formatValue(row.unit, row.candidate) },
    { text: formatValue(row.unit, row.reference) },
    { text: formatRatio(row.estimate), paint: (text) => (shown ? paint("bold", text) : text) },
    { text: formatRatioInterval(row) },
    { text: String(row.rounds) },
    { text: findingWord(row), paint: (text) => paint(shown ? "bold" : "dim", text) },
  ];
}

function buildLines({ artifacts }: ServiceComparison): string[] {
  return buildRows(artifacts).map(
    ({ service, size, stripped, took }) =>
      `${service}: ${size} (${stripped} stripped), built in ${took}`,
  );
}
