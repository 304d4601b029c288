// A comparison of two services as GitHub Markdown: a table for each scenario and one for the services' own metrics.
import type { ComparisonRow, ServiceComparison } from "../model/comparison.ts";
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
} from "./comparison-text.ts";
import { buildRows } from "./facts.ts";
import { markdownBlock, markdownCellCode, markdownText, plainLines } from "./foreign.ts";
import { formatFraction, formatValue } from "./format.ts";
import { tight } from "./markdown-table.ts";

export function renderComparisonMarkdown(comparison: ServiceComparison): string {
  const { scenarios, rows, faults, notes, artifacts } = comparison;
  const builds = buildRows(artifacts);
  return `${[
    `## ${markdownText(titleOf(comparison))}`,
    "",
    ...(comparison.state === "invalid"
      ? ["**INVALID: the measurement cannot be trusted.**", "", ...faultLines(faults)]
      : []),
    ...[...notes, ...summaryLines(comparison)].map((line) => `- ${markdownText(line)}`),
    "",
    ...scenarios.flatMap((scenario) => [
      `### ${markdownText(scenarioTitle(scenario))}`,
      "",
      ...table(comparison, scenario.rows),
    ]),
    ...(rows.length === 0 ? [] : ["### Services", "", ...table(comparison, rows)]),
    ...(builds.length === 0
      ? []
      : [
          "### Builds",
          "",
          "| service | build time | size | stripped | toolchain |",
          "|:--|--:|--:|--:|:--|",
          ...builds.map(
            ({ service, took, size, stripped, toolchain }) =>
              `| ${markdownCellCode(service)} | ${tight(took)} | ${tight(size)} | ${tight(stripped)} | ${markdownText(toolchain)} |`,
          ),
          "",
        ]),
    `<sub>${intervalNote(comparison)}</sub>`,
    "",
    ...comparisonFacts(comparison).map(({ label, text }) => `- ${label}: ${markdownText(text)}`),
  ].join("\n")}\n`;
}

function faultLines(faults: readonly string[]): string[] {
  return faults.flatMap((fault) => {
    const [first = "", ...tail] = plainLines(fault);
    return [
      `- ${markdownText(first)}`,
      ...(tail.length === 0 ? [] : ["", ...markdownBlock(tail)]),
      "",
    ];
  });
}

function table(
  { services, intervals }: ServiceComparison,
  rows: readonly ComparisonRow[],
): string[] {
  if (!hasValues(rows)) return [NOTHING_COUNTS, ""];
  return [
    `| metric | ${markdownCellCode(services.candidate)} | ${markdownCellCode(services.reference)} | ratio | ${formatFraction(intervals.level)} interval | | rounds |`,
    "|:--|--:|--:|--:|--:|:--|--:|",
    ...rows.map((row) => {
      const shown = row.finding === "lower" || row.finding === "higher";
      const word = tight(findingWord(row));
      const cells = [
        tight(row.label),
        tight(formatValue(row.unit, row.candidate)),
        tight(formatValue(row.unit, row.reference)),
        formatRatio(row.estimate),
        tight(formatRatioInterval(row)),
        shown ? `**${word}**` : word,
        String(row.rounds),
      ];
      return `| ${cells.join(" | ")} |`;
    }),
    "",
  ];
}
