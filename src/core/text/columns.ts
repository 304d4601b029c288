// Columns on a terminal: display width, padding, wrapping, tables that drop columns to fit.

/** Characters two columns wide (Unicode Standard Annex 11, the blocks in use). */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;
const NO_WIDTH = /[\p{Mn}\p{Me}]|[\u200b-\u200d]|[\ufe00-\ufe0f]/u;

export function displayWidth(text: string): number {
  let width = 0;
  for (const character of text) {
    if (NO_WIDTH.test(character)) continue;
    width += WIDE.test(character) ? 2 : 1;
  }
  return width;
}

export function pad(text: string, width: number, align: "left" | "right"): string {
  const gap = " ".repeat(Math.max(0, width - displayWidth(text)));
  return align === "left" ? text + gap : gap + text;
}

interface WrapOptions {
  width: number;
  first: string;
  rest: string;
}

/** A space that does not part a number from its unit. */
const BREAK = / (?!(?:%|µs|ms|s|B|[KMG]iB|min|h)(?![\p{L}\p{N}]))/u;

/** Breaks at spaces; a word longer than the line is broken inside. */
export function wrap(text: string, { width, first, rest }: WrapOptions): string[] {
  const lines: string[] = [];
  let line = first;
  let empty = true;
  const room = Math.max(8, width - displayWidth(rest));
  for (const word of text.split(BREAK).flatMap((long) => chunks(long, room))) {
    if (!empty && displayWidth(line) + 1 + displayWidth(word) > width) {
      lines.push(line);
      line = rest;
      empty = true;
    }
    line += empty ? word : ` ${word}`;
    empty = false;
  }
  return [...lines, line.trimEnd()];
}

function chunks(word: string, width: number): string[] {
  const parts: string[] = [];
  let part = "";
  for (const character of word) {
    if (displayWidth(part + character) > width) {
      parts.push(part);
      part = "";
    }
    part += character;
  }
  return [...parts, part];
}

/** Cut to `width` columns, with an ellipsis where something was cut. */
export function clip(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  let kept = "";
  for (const character of text) {
    if (displayWidth(kept + character) > width - 1) break;
    kept += character;
  }
  return `${kept}…`;
}

interface Column {
  title: string;
  align: "left" | "right";
  /** Given up first where the table is too wide: the highest. 0: never. */
  dropRank: number;
}

interface Cell {
  text: string;
  /** Applied after padding, so that colours do not count as width. */
  paint?: (padded: string) => string;
}

/** A row of cells, or a line across the table. */
export type Row = { kind: "cells"; cells: readonly Cell[] } | { kind: "heading"; text: string };

const INDENT = "  ";
/** A text is not cut further than this. */
const LEAST_WIDTH = 8;

/**
 * Lays out a table: narrows gaps, then drops columns by dropRank, then narrows the widest text,
 * which is cut, or goes on below in the last column. A last line names `dropped` columns.
 */
export function layoutTable(
  columns: readonly Column[],
  rows: readonly Row[],
  options: { width: number; paintHeading: (text: string) => string },
): string[] {
  const widths = columns.map((column, index) =>
    Math.max(
      displayWidth(column.title),
      ...rows.map((row) => (row.kind === "cells" ? displayWidth(row.cells[index]?.text ?? "") : 0)),
    ),
  );
  const total = (shown: readonly number[], gap: number): number =>
    INDENT.length + shown.reduce((sum, index) => sum + (widths[index] ?? 0) + gap, -gap);

  let shown = columns.map((_, index) => index);
  const gap = total(shown, 2) > options.width ? 1 : 2;
  while (total(shown, gap) > options.width) {
    const rank = Math.max(...shown.map((index) => columns[index]?.dropRank ?? 0));
    if (rank === 0) break;
    const victim = shown.find((index) => columns[index]?.dropRank === rank);
    shown = shown.filter((index) => index !== victim);
  }
  const [widest] = shown
    .filter((index) => columns[index]?.align === "left")
    .sort((a, b) => (widths[b] ?? 0) - (widths[a] ?? 0));
  const excess = total(shown, gap) - options.width;
  if (widest !== undefined && excess > 0) {
    widths[widest] = Math.max(LEAST_WIDTH, (widths[widest] ?? 0) - excess);
  }

  const dropped = columns.flatMap(({ title }, index) => (shown.includes(index) ? [] : title));

  const last = shown.at(-1);
  const lineOf = (cells: readonly Cell[]): string =>
    INDENT +
    shown
      .map((index) => {
        const { text, paint } = cells[index] ?? { text: "" };
        const align = columns[index]?.align ?? "left";
        const width = widths[index] ?? 0;
        const cut = clip(text, width);
        // Nothing stands behind the last column: spaces there would be painted, and copied.
        const padded = index === last && align === "left" ? cut : pad(cut, width, align);
        return paint === undefined ? padded : paint(padded);
      })
      .join(" ".repeat(gap))
      .trimEnd();
  /** A sentence in the last column goes on below. */
  const renderCells = (cells: readonly Cell[]): string[] => {
    const cell = last === undefined ? undefined : cells[last];
    if (last === undefined || cell === undefined || columns[last]?.align === "right") {
      return [lineOf(cells)];
    }
    return wrap(cell.text, { width: widths[last] ?? 0, first: "", rest: "" }).map((text, line) =>
      lineOf(
        columns.map((_, index) => {
          if (index === last) return { ...cell, text };
          return (line === 0 ? cells[index] : undefined) ?? { text: "" };
        }),
      ),
    );
  };
  const header = renderCells(
    columns.map(({ title }) => ({ text: title, paint: options.paintHeading })),
  );
  const narrow = `${INDENT}${options.paintHeading(`too narrow for: ${dropped.join(", ")}`)}`;
  return [
    ...header,
    ...rows.flatMap((row) => (row.kind === "heading" ? row.text : renderCells(row.cells))),
    ...(dropped.length === 0 ? [] : [narrow]),
  ];
}
