// A capacity as Markdown for GitHub. Everything foreign goes through markdownText.
import type { CapacityResult } from "../model/capacity.ts";
import {
  CAPACITY_STATE_FACTS,
  costNote,
  costTable,
  launchTable,
  measurementFacts,
  resultFacts,
  type TextTable,
} from "./capacity-text.ts";
import { markdownBlock, markdownText, plainLines } from "./foreign.ts";

export function renderCapacityMarkdown(result: CapacityResult): string {
  const { emoji, word } = CAPACITY_STATE_FACTS[result.state];
  const cost = costTable(result);
  const sections = [
    [`### ${emoji} ${word.toLowerCase()}: ${markdownText(result.headline)}`],
    bulletList(resultFacts(result).map(({ label, text }) => `${label}: ${text}`)),
    result.warnings.length === 0
      ? []
      : ["**Warnings**", "", ...result.warnings.flatMap(warningLines)],
    result.launches.length === 0 ? [] : tableLines(launchTable(result)),
    cost.rows.length === 0
      ? []
      : [...tableLines(cost), "", `<sub>${markdownText(costNote(result))}</sub>`],
    [
      "<details><summary>How it was measured</summary>",
      "",
      ...bulletList(measurementFacts(result).map(({ label, text }) => `${label}: ${text}`)),
      "",
      "</details>",
    ],
  ];
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n")}\n`;
}

/** The first line is ours; what follows is what a service printed. */
function warningLines(warning: string): string[] {
  const [first = "", ...tail] = plainLines(warning);
  const block = tail.length === 0 ? [] : ["", ...markdownBlock(tail), ""];
  return [`- ${markdownText(first)}`, ...block];
}

function bulletList(items: readonly string[]): string[] {
  return items.map((item) => `- ${markdownText(item)}`);
}

function tableLines({ columns, rows }: TextTable): string[] {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [
    line(columns.map(({ title }) => title)),
    `|${columns.map(({ align }) => (align === "right" ? "--:" : ":--")).join("|")}|`,
    ...rows.map((cells) => line(cells.map(markdownText))),
  ];
}
