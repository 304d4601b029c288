// Comparisons as a GitHub table. Numbers keep their units beside them; names are code spans, where nothing is interpreted.
import { METRIC_FACTS } from "../model/metric.ts";
import type { Comparison } from "../model/verdict.ts";
import { markdownCellCode } from "./foreign.ts";
import {
  formatDetectable,
  formatEstimate,
  formatInterval,
  formatLimits,
  formatPair,
  formatValue,
  NOTHING,
} from "./format.ts";
import { groupBySubject, metricName, splitMeasured } from "./rows.ts";
import { STATE_FACTS } from "./states.ts";

const HEADER = [
  "| | scenario or service | metric | reference → candidate | change | limits | sees | rounds |",
  "|:--|:--|:--|--:|--:|--:|--:|--:|",
];

export const TABLE_LEGEND =
  "<sub>change: estimate with its interval, `~` where the interval holds 0. limits a/b: fails when proven worse and at least a, passes when shown to be less than b worse. sees: the smallest true change that this run would have called 95 times in 100.</sub>";

/** Judged comparisons, grouped by what they are about; at most `maxRows`, and how many are missing. */
export function comparisonTable(comparisons: readonly Comparison[], maxRows: number): string[] {
  const ordered = groupBySubject(comparisons).flatMap(({ name, comparisons: members }) =>
    members.map((member) => ({ name, member })),
  );
  const rows = ordered.slice(0, maxRows).map(({ name, member }) => comparisonRow(name, member));
  const missing = ordered.length - rows.length;
  return [
    ...(rows.length === 0 ? [] : [...HEADER, ...rows]),
    ...(missing > 0 ? ["", `… and ${missing} more such rows.`] : []),
  ];
}

function comparisonRow(name: string, comparison: Comparison): string {
  const { emoji, word } = STATE_FACTS[comparison.state];
  const watched = comparison.level === "gate" ? "" : " (watched)";
  const cells = [
    tight(`${emoji} ${word.toLowerCase()}${watched}`),
    markdownCellCode(name),
    tight(metricName(comparison)),
    tight(
      formatPair(METRIC_FACTS[comparison.metric].unit, comparison.reference, comparison.candidate),
    ),
    changeCell(comparison),
    tight(formatLimits(comparison)),
    tight(formatDetectable(comparison.detectable)),
    String(comparison.rounds),
  ];
  return `| ${cells.join(" | ")} |`;
}

/** In bold where it stands for something. */
function changeCell(comparison: Comparison): string {
  if (comparison.estimate === null) return NOTHING;
  const change = tight(formatEstimate(comparison).replace("~", "\\~"));
  const marked = comparison.state === "pass" ? change : `**${change}**`;
  return `${marked} ${tight(formatInterval(comparison))}`;
}

/** Metrics that are shown and not judged: one row each, without limits. */
export function infoTable(comparisons: readonly Comparison[]): string[] {
  const rows = groupBySubject(comparisons).flatMap(({ name, comparisons: members }) => {
    const { measured, missing } = splitMeasured(members);
    const rest = missing.length === 0 ? [] : [[`not measured: ${missing.join(", ")}`, "", ""]];
    return [...measured.map(infoCells), ...rest].map(
      (cells) => `| ${[markdownCellCode(name), ...cells].join(" | ")} |`,
    );
  });
  return [
    "| scenario or service | metric | reference → candidate | change |",
    "|:--|:--|--:|--:|",
    ...rows,
  ];
}

function infoCells(comparison: Comparison): string[] {
  const { metric, reference, candidate } = comparison;
  const { unit } = METRIC_FACTS[metric];
  const values =
    reference === null ? formatValue(unit, candidate) : formatPair(unit, reference, candidate);
  return [
    tight(metricName(comparison)),
    tight(values),
    changeCell({ ...comparison, state: "pass" }),
  ];
}

/** No line break inside. */
export function tight(text: string): string {
  return text.replaceAll(" ", "\u00a0");
}
