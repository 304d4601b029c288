// A capacity on a terminal. Everything foreign is made plain before it is printed.
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
import { clip, layoutTable, wrap } from "./columns.ts";
import type { Fact } from "./facts.ts";
import { plainLine, plainLines } from "./foreign.ts";
import type { TerminalOptions } from "./terminal.ts";
import { type Paint, STYLE_CODES } from "./terminal-table.ts";

interface Page {
  width: number;
  paint: Paint;
}

export function renderCapacityTerminal(result: CapacityResult, options: TerminalOptions): string {
  const paint: Paint =
    options.color === "always"
      ? (style, text) => `\u001b[${STYLE_CODES[style]}m${text}\u001b[0m`
      : (_, text) => text;
  const page: Page = { width: Math.max(60, options.width), paint };
  const sections = [
    headSection(result, page),
    listSection("Warnings", result.warnings, page),
    tableSection("Launches", launchTable(result), page),
    tableSection("Cost", costTable(result), page, costNote(result)),
    [paint("bold", "How it was measured"), ...factLines(measurementFacts(result), page)],
  ];
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n")}\n`;
}

function headSection(result: CapacityResult, page: Page): string[] {
  const { symbol, word, like } = CAPACITY_STATE_FACTS[result.state];
  const head = `${symbol} ${word}`;
  const [first = "", ...more] = wrap(plainLine(result.headline), {
    width: page.width,
    first: `${head}  `,
    rest: " ".repeat(head.length + 2),
  });
  return [
    page.paint(like, head) + page.paint("bold", first.slice(head.length)),
    ...more.map((line) => page.paint("bold", line)),
    ...factLines(resultFacts(result), page),
  ];
}

function factLines(facts: readonly Fact[], { width }: Page): string[] {
  return facts.flatMap(({ label, text }) =>
    wrap(plainLine(text), { width, first: `  ${label.padEnd(10)} `, rest: " ".repeat(13) }),
  );
}

function listSection(title: string, items: readonly string[], { width, paint }: Page): string[] {
  if (items.length === 0) return [];
  return [
    paint("bold", title),
    ...items.flatMap((item) => {
      const [first = "", ...tail] = plainLines(item);
      return [
        ...wrap(first, { width, first: "  ", rest: "    " }),
        ...tail.map((line) => paint("dim", clip(`    | ${line}`, width))),
      ];
    }),
  ];
}

function tableSection(title: string, table: TextTable, page: Page, note = ""): string[] {
  if (table.rows.length === 0) return [];
  const { width, paint } = page;
  const { lines } = layoutTable(
    table.columns.map((column) => ({ ...column, id: column.title, dropRank: 0 })),
    table.rows.map((cells) => ({
      kind: "cells",
      cells: cells.map((cell) => ({ text: plainLine(cell) })),
    })),
    { width, paintHeading: (text) => text },
  );
  return [
    paint("bold", title),
    ...lines.map((line, index) => {
      const clipped = clip(line, width);
      return index === 0 ? paint("dim", clipped) : clipped;
    }),
    ...(note === ""
      ? []
      : wrap(note, { width, first: "  ", rest: "  " }).map((line) => paint("dim", line))),
  ];
}
