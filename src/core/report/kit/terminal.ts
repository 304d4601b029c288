// Blocks on a terminal; foreign text is made plain first.
import type { ComparisonState } from "../../model/verdict.ts";
import { clip, displayWidth, layoutTable, type Row, wrap } from "../../text/columns.ts";
import { plainLine } from "../../text/escape.ts";
import type { Block, Cell, Column, Document, Emphasis, Fact, Item, Table, Text } from "./blocks.ts";
import { filled, itemLines } from "./blocks.ts";

export interface TerminalOptions {
  width: number;
  color: "always" | "never";
  /** With the sections that only few readers want. */
  details?: boolean;
}

interface Screen {
  width: number;
  paint: (style: ComparisonState | Emphasis, text: string) => string;
}

/** core/text/screen.ts lets these through, and no other. */
export const STYLE_CODES: Readonly<Record<ComparisonState | Emphasis, string>> = {
  pass: "32",
  improved: "1;36",
  regressed: "1;31",
  inconclusive: "1;33",
  invalid: "1;35",
  "no-baseline": "1;34",
  "worse-within": "1;32",
  waived: "33",
  new: "36",
  strong: "1",
  quiet: "2",
};

const MAX_NAME = 24;
const MAX_TITLE = 14;
/** Notes are ours, and long. */
const MAX_NOTE = 2000;
/** So many rows are read; groups of rows beyond them are only counted. */
const MAX_ROWS = 40;

export function renderTerminalDocument(document: Document, options: TerminalOptions): string {
  const screen: Screen = {
    width: Math.max(60, options.width),
    paint:
      options.color === "always"
        ? (style, text) => `\u001b[${STYLE_CODES[style]}m${text}\u001b[0m`
        : (_, text) => text,
  };
  const parts = [
    [
      ...bannerLines(document, screen),
      ...document.summary.flatMap((one) => blockLines(one, screen)),
    ],
    ...filled(document.sections, "text")
      .filter(({ depth }) => depth === "open" || options.details === true)
      .map(({ title, blocks }) => [
        ...(title === "" ? [] : [screen.paint("strong", clip(plainLine(title), screen.width))]),
        ...blocks.flatMap((block) => blockLines(block, screen)),
      ]),
  ];
  return `${parts
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n")}\n`;
}

function bannerLines({ mark, headline }: Document, { width, paint }: Screen): string[] {
  const head = mark === null ? "" : `${mark.symbol} ${mark.word}`;
  const [first = "", ...more] = wrap(plainLine(headline), {
    width,
    first: mark === null ? "" : `${head}  `,
    rest: mark === null ? "" : " ".repeat(head.length + 2),
  });
  return [
    (mark === null ? "" : paint(mark.like, head)) + paint("strong", first.slice(head.length)),
    ...more.map((line) => paint("strong", line)),
  ].filter((line) => line !== "");
}

function blockLines(block: Block, screen: Screen): string[] {
  const { width, paint } = screen;
  switch (block.kind) {
    case "text": {
      const { text, emphasis } = block;
      const lines = indented(plainText(text), "  ", width);
      return emphasis === undefined ? lines : lines.map((line) => paint(emphasis, line));
    }
    case "list":
      return block.items.flatMap((item) => listLines(item, screen));
    case "facts":
      return factLines(block.facts, screen);
    case "table":
      return tableLines(block.table, screen);
    case "code":
      // Not wrapped: a command is copied whole.
      return block.lines.map((line) => `      ${plainLine(line)}`);
    case "note": {
      const text = plainLine(block.text, MAX_NOTE);
      return text === "" ? [] : indented(text, "  ", width).map((line) => paint("quiet", line));
    }
    case "figure":
    case "folds":
      return [];
  }
}

function indented(text: string, indent: string, width: number): string[] {
  return wrap(text, { width, first: indent, rest: indent });
}

function plainText(text: Text): string {
  if (typeof text === "string") return plainLine(text);
  return plainLine(
    text.map((part) => (typeof part === "string" ? part : part.code)).join(""),
    MAX_NOTE,
  );
}

/** A line of a detail: as it is where there is room, else whole on several. */
function quoted(line: string, width: number): string[] {
  const whole = `    | ${line}`;
  if (displayWidth(whole) <= width) return [whole];
  return wrap(line, { width, first: "    | ", rest: "    |   " });
}

function listLines(item: Item, { width, paint }: Screen): string[] {
  const { symbol = "-", label, under, fix } = item;
  const { first, printed } = itemLines(item);
  const says = `${label === undefined ? "" : `${label}: `}${plainText(first)}`;
  const below = [
    ...printed.flatMap((line) => quoted(line, width)),
    ...(under === undefined ? [] : indented(plainLine(under), "    ", width)),
  ];
  return [
    ...wrap(says, { width, first: `  ${symbol} `, rest: "    " }),
    ...below.map((line) => paint("quiet", line)),
    ...(fix == null ? [] : [`    fix: ${plainLine(fix)}`]),
  ];
}

function factLines(facts: readonly Fact[], { width }: Screen): string[] {
  const column = Math.max(...facts.map(({ label }) => label.length)) + 2;
  return facts.flatMap(({ label, text }) =>
    wrap(plainText(text), {
      width,
      first: `  ${label.padEnd(column)}`,
      rest: " ".repeat(column + 2),
    }),
  );
}

function tableLines({ columns, groups }: Table, screen: Screen): string[] {
  const rows: Row[] = [];
  const hidden: { name: string | null; rows: readonly unknown[] }[] = [];
  for (const group of groups) {
    // Groups come in order of importance, and none is shown in part.
    if (group.name !== null && rows.length > 0 && rows.length + group.rows.length >= MAX_ROWS) {
      hidden.push(group);
      continue;
    }
    if (group.name !== null) {
      const text = screen.paint("strong", clip(`  ${plainLine(group.name)}`, screen.width));
      rows.push({ kind: "heading", text });
    }
    for (const row of group.rows) {
      const cells = row.map((cell, at) => shownCell(cell, columns[at], screen.paint));
      rows.push({ kind: "cells", cells });
    }
  }
  const lines = layoutTable(
    columns.map(({ title, kind, dropRank = 0 }) => ({
      title: clip(plainLine(title), MAX_TITLE),
      align: kind === "number" ? "right" : "left",
      dropRank,
    })),
    rows,
    { width: screen.width, paintHeading: (text) => screen.paint("quiet", text) },
  );
  const left = hidden.reduce((sum, group) => sum + group.rows.length, 0);
  return left === 0
    ? lines
    : [...lines, `  … and ${left} more rows, of ${hidden.length} others: see report.html`];
}

function shownCell(cell: Cell, column: Column | undefined, paint: Screen["paint"]) {
  if (typeof cell === "string") {
    const plain = plainLine(cell);
    return { text: column?.kind === "name" ? clip(plain, MAX_NAME) : plain };
  }
  if ("mark" in cell) {
    const { symbol, word, like } = cell.mark;
    return { text: `${symbol} ${word}`, paint: (text: string) => paint(like, text) };
  }
  const { emphasis, text } = cell;
  if (emphasis === undefined) return { text: plainLine(text) };
  return { text: plainLine(text), paint: (padded: string) => paint(emphasis, padded) };
}
