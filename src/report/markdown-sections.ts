// The sections that a report has as Markdown, wherever it is shown, and how those are left out that do not fit. What is ours is
// written here as Markdown; everything foreign goes through `prose`, markdownCode or markdownBlock.
import type { Report } from "../model/report.ts";
import { buildRows, measurementFacts, reproduceCommands } from "./facts.ts";
import {
  markdownBlock,
  markdownCellCode,
  markdownCode,
  markdownText,
  plainLine,
  plainLines,
} from "./foreign.ts";
import { tight } from "./markdown-table.ts";

export interface Section {
  /** What a reader is told when it is left out. */
  name: string;
  lines: string[];
  /** The highest goes first; 0 stays. */
  dropRank: number;
}

/** Foreign text as a sentence of Markdown. */
export type Prose = (text: string) => string;

export interface JoinOptions {
  maxChars: number;
  /** Where a reader finds what was left out, as a sentence of Markdown. */
  whereElse: string;
}

/** The sections that fit, with a note on those that do not; null when not even the ones that stay do. */
export function joinWithin(
  sections: readonly Section[],
  { maxChars, whereElse }: JoinOptions,
): string | null {
  const present = sections.filter(({ lines }) => lines.length > 0);
  const ranks = [...new Set(present.map(({ dropRank }) => dropRank))].sort((a, b) => b - a);
  for (const limit of [Number.POSITIVE_INFINITY, ...ranks.filter((rank) => rank > 0)]) {
    const kept = present.filter(({ dropRank }) => dropRank < limit);
    const dropped = present.filter(({ dropRank }) => dropRank >= limit).map(({ name }) => name);
    const note =
      dropped.length === 0
        ? []
        : [`_Left out to stay below the size of a comment: ${dropped.join(", ")}. ${whereElse}_`];
    const text = `${[...kept.map(({ lines }) => lines.join("\n")), ...note].join("\n\n")}\n`;
    if (text.length <= maxChars) return text;
  }
  return null;
}

/** Foreign texts as a list; of each the first line is the item, what follows it is what a service or tool printed. */
export function listOf(
  texts: readonly string[],
  max: number,
  prose: Prose = markdownText,
): string[] {
  const items = texts.slice(0, max).flatMap((text) => {
    const [first = "", ...tail] = plainLines(text);
    return [
      `- ${prose(first)}`,
      ...(tail.length === 0 ? [] : markdownBlock(tail).map((line) => `  ${line}`)),
    ];
  });
  return texts.length > max ? [...items, `- and ${texts.length - max} more`] : items;
}

export function titled(title: string, lines: string[]): string[] {
  return lines.length === 0 ? [] : [title, "", ...lines];
}

/** `summary` is ours: nothing foreign goes into it. */
export function folded(summary: string, lines: readonly string[]): string[] {
  return [`<details><summary>${summary}</summary>`, "", ...lines, "", "</details>"];
}

export function measurementLines(report: Report, prose: Prose = markdownText): string[] {
  return measurementFacts(report).map(({ label, text }) => `- ${label}: ${prose(text)}`);
}

export function findingLines({ host }: Report, prose: Prose = markdownText): string[] {
  const findings = host.findings.filter(({ level }) => level !== "good");
  if (findings.length === 0) return [];
  const bad = findings.filter(({ level }) => level === "bad").length;
  return folded(
    `Findings on the machine: ${bad} bad, ${findings.length - bad} to note`,
    findings.flatMap(({ id, level, text, fix }) => [
      `- ${level === "bad" ? "**bad**" : "note"} ${markdownCode(id)}: ${prose(text)}`,
      ...(fix === null ? [] : [`  fix: ${markdownCode(fix)}`]),
    ]),
  );
}

export function buildLines({ artifacts }: Report): string[] {
  const rows = buildRows(artifacts);
  if (rows.length === 0) return [];
  return folded("Builds", [
    "| service | arm | build time | size | stripped | toolchain | sha256 |",
    "|:--|:--|--:|--:|--:|:--|:--|",
    ...rows.map(
      (row) =>
        `| ${markdownCellCode(row.service)} | ${row.arm} | ${tight(row.took)} | ${tight(row.size)} | ${tight(row.stripped)} | ${markdownCellCode(row.toolchain)} | ${markdownCellCode(row.sha256)} |`,
    ),
  ]);
}

export function reproduceLines(report: Report): string[] {
  const commands = reproduceCommands(report);
  return folded(
    "How to reproduce at a desk",
    commands === null
      ? [
          "The candidate is not a plain commit (its tree had uncommitted changes), so no command can name it.",
        ]
      : markdownBlock(commands),
  );
}

export interface Link {
  label: string;
  /** https only; others are left out. */
  url: string;
}

export function linkLines(links: readonly Link[]): string[] {
  const items = links
    .filter(({ url }) => /^https:\/\/[\w.~:/?#@!$&*+,;=%-]+$/.test(url))
    .map(({ label, url }) => `[${markdownText(plainLine(label, 80))}](<${url}>)`);
  return items.length === 0 ? [] : [items.join(" · ")];
}
