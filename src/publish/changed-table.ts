// The rows that a reader of the comment must see, in a table narrow enough for a comment: what it is about and its metric share a
// cell, and how many rounds there were is left to the full table.
import { METRIC_FACTS } from "../model/metric.ts";
import type { Comparison } from "../model/verdict.ts";
import { markdownCellCode } from "../report/foreign.ts";
import {
  formatDetectable,
  formatEstimate,
  formatInterval,
  formatLimits,
  formatPair,
  NOTHING,
} from "../report/format.ts";
import { tight } from "../report/markdown-table.ts";
import { groupBySubject, metricName } from "../report/rows.ts";
import { STATE_FACTS } from "../report/states.ts";

/** Those that decide first; at most `maxRows`, and how many are missing. */
export function changedTable(comparisons: readonly Comparison[], maxRows: number): string[] {
  const ordered = groupBySubject(comparisons).flatMap(({ name, comparisons: members }) =>
    members.map((member) => ({ name, member })),
  );
  if (ordered.length === 0) return [];
  return [
    "| | metric | reference → candidate | change | limits | sees |",
    "|:--|:--|--:|--:|--:|--:|",
    ...ordered.slice(0, maxRows).map(({ name, member }) => row(name, member)),
    ...(ordered.length > maxRows ? ["", `… and ${ordered.length - maxRows} more such rows.`] : []),
  ];
}

function row(name: string, comparison: Comparison): string {
  const { emoji, word } = STATE_FACTS[comparison.state];
  const { unit } = METRIC_FACTS[comparison.metric];
  const watched = comparison.level === "gate" ? "" : " (watched)";
  const cells = [
    `${tight(`${emoji} ${word.toLowerCase()}`)}${watched}`,
    `${markdownCellCode(name)} ${tight(metricName(comparison))}`,
    tight(formatPair(unit, comparison.reference, comparison.candidate)),
    changeOf(comparison),
    tight(formatLimits(comparison)),
    tight(formatDetectable(comparison.detectable)),
  ];
  return `| ${cells.join(" | ")} |`;
}

/** Estimate and interval; in bold where a change is what the state says. */
export function changeOf(comparison: Comparison): string {
  if (comparison.estimate === null) return NOTHING;
  const change = tight(formatEstimate(comparison).replace("~", "\\~"));
  const stands = ["regressed", "improved", "waived"].includes(comparison.state);
  return `${stands ? `**${change}**` : change} ${tight(formatInterval(comparison))}`;
}
