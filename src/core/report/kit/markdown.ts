// Blocks as GitHub's Markdown, and which are dropped for lack of room.
import {
  markdownBlock,
  markdownCellCode,
  markdownCode,
  markdownInline,
  markdownText,
  plainLine,
} from "../../text/escape.ts";
import type { Block, Cell, Column, Document, Item, Section, Table, Text } from "./blocks.ts";
import { filled, itemLines } from "./blocks.ts";

export interface FitOptions {
  maxChars: number;
  /** Where a reader finds what was left out, as a sentence of Markdown. */
  whereElse: string;
  /** The last line; empty: none. */
  footer?: string;
}

/** The sections that fit, and a note on others; null: not even those that must stay fit. */
export function fitMarkdown(
  head: readonly string[],
  sections: readonly Section[],
  { maxChars, whereElse, footer = "" }: FitOptions,
): string | null {
  const present = filled(sections, "text").map((one) => ({ ...one, text: sectionText(one) }));
  const ranks = [...new Set(present.map(({ drop }) => drop))].sort((a, b) => b - a);
  for (const limit of [Number.POSITIVE_INFINITY, ...ranks.filter((rank) => rank > 0)]) {
    const dropped = present.filter(({ drop }) => drop >= limit).map(({ name }) => name);
    const parts = [
      head.join("\n"),
      ...present.filter(({ drop }) => drop < limit).map(({ text }) => text),
      ...(dropped.length === 0
        ? []
        : [`_Left out for lack of room: ${dropped.join(", ")}. ${whereElse}_`]),
      ...(footer === "" ? [] : [footer]),
    ];
    const text = `${parts.join("\n\n")}\n`;
    if (text.length <= maxChars) return text;
  }
  return null;
}

export function renderMarkdownDocument({ mark, headline, summary, sections }: Document): string {
  const title = mark === null ? "" : `${mark.emoji} ${mark.word.toLowerCase()}: `;
  return `${[
    `### ${title}${markdownText(headline)}`,
    ...summary.map((block) => blockLines(block).join("\n")),
    ...filled(sections, "text").map(sectionText),
  ].join("\n\n")}\n`;
}

function sectionText({ title, depth, blocks }: Section): string {
  const content = blocks.map((block) => blockLines(block).join("\n")).filter((text) => text !== "");
  if (depth === "open") {
    return [...(title === "" ? [] : [`**${markdownText(title)}**`]), ...content].join("\n\n");
  }
  // Titles of folded sections are ours: nothing foreign goes into a tag.
  return [`<details><summary>${title}</summary>`, ...content, "</details>"].join("\n\n");
}

export function blockLines(block: Block): string[] {
  switch (block.kind) {
    case "text": {
      const text = markdownOf(block.text);
      return [block.emphasis === "strong" ? `**${text}**` : text];
    }
    case "list":
      return block.items.flatMap(listLines);
    case "facts":
      return block.facts.map(({ label, text }) => `- ${label}: ${inline(text)}`);
    case "table":
      return tableLines(block.table);
    case "code":
      return markdownBlock(block.lines);
    case "note":
      return [`<sub>${markdownText(block.text, 2000)}</sub>`];
    case "figure":
    case "folds":
      return [];
  }
}

function markdownOf(text: Text): string {
  if (typeof text === "string") return markdownText(text);
  return text
    .map((part, at) => {
      if (typeof part !== "string") return markdownCode(part.code);
      return spaced(part, at === 0 ? markdownText(part) : markdownInline(part));
    })
    .join("");
}

/** After words of ours. */
function inline(text: Text): string {
  return typeof text === "string" ? markdownInline(text) : markdownOf(["", ...text]);
}

/** Between two code spans the spaces at the ends count. */
function spaced(part: string, inner: string): string {
  if (inner === "") return part === "" ? "" : " ";
  return `${part.startsWith(" ") ? " " : ""}${inner}${part.endsWith(" ") ? " " : ""}`;
}

function listLines(item: Item): string[] {
  const { emoji, label, under, fix } = item;
  const { first, printed } = itemLines(item);
  const says = label === undefined ? markdownOf(first) : `**${label}**: ${inline(first)}`;
  return [
    `- ${emoji === undefined ? "" : `${emoji} `}${says}`,
    ...(printed.length === 0 ? [] : markdownBlock(printed).map((line) => `  ${line}`)),
    ...(under === undefined ? [] : [`  - ${markdownText(under)}`]),
    ...(fix == null ? [] : [`  - fix: ${markdownCode(fix)}`]),
  ];
}

function tableLines({ columns, groups }: Table): string[] {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  // The name of a group stands before the first text of each of its rows.
  const named = columns.findIndex(({ kind, title }) => kind === "text" && title !== "");
  const join = (cells: readonly string[]): string[] =>
    cells.flatMap((text, at) => {
      if (columns[at]?.joined === true) return [];
      const beside = columns[at + 1]?.joined === true ? cells[at + 1] : "";
      // That there is nothing is said once.
      return beside === "" || beside === text ? text : `${text} ${beside}`;
    });
  const shown = columns.filter(({ joined }) => joined !== true);
  return [
    line(shown.map(({ title }) => markdownText(title))),
    `|${shown.map(({ kind }) => (kind === "number" ? "--:" : ":--")).join("|")}|`,
    ...groups.flatMap(({ name, rows }) =>
      rows.map((cells) => {
        const texts = cells.map((cell, at) => shownCell(cell, columns[at]));
        return line(
          join(
            texts.map((text, at) =>
              name !== null && at === named ? `${markdownCellCode(name)} ${text}` : text,
            ),
          ),
        );
      }),
    ),
  ];
}

function shownCell(cell: Cell, column: Column | undefined): string {
  if (typeof cell !== "string" && "mark" in cell) return cell.mark.emoji;
  const { text, emphasis = "" } = typeof cell === "string" ? { text: cell } : cell;
  const shown = cellText(text, column);
  return emphasis === "strong" ? `**${shown}**` : shown;
}

function cellText(text: string, column: Column | undefined): string {
  if (column?.kind === "name") return markdownCellCode(text);
  if (column?.kind === "number") return tight(text);
  return markdownInline(text);
}

/** No line break inside, but before what came after. */
function tight(text: string): string {
  return text.replaceAll(/(?<!→) /g, "\u00a0");
}

export interface Link {
  label: string;
  url: string;
}

export function linkLine(links: readonly Link[]): string {
  return links
    .filter(({ url }) => /^https:\/\/[\w.~:/?#@!$&*+,;=%-]+$/.test(url))
    .map(({ label, url }) => `[${markdownText(plainLine(label, 80))}](<${url}>)`)
    .join(" · ");
}
