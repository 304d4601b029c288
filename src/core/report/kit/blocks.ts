// Sections of a few kinds of block, which each medium renders and escapes.
import type { CurveBand } from "../../model/report.ts";
import type { Comparison, ComparisonState } from "../../model/verdict.ts";
import { plainLines } from "../../text/escape.ts";

/** A state as a word, a symbol one column wide and an emoji, in the colour of a verdict. */
export interface Mark {
  word: string;
  symbol: string;
  emoji: string;
  like: ComparisonState;
}

export type Emphasis = "strong" | "quiet";

/** A sentence; names and commands in it may be marked as code, and no backtick marks any. */
export type Text = string | readonly (string | { code: string })[];

export interface Fact {
  label: string;
  text: Text;
}

export type Facts = Readonly<Record<string, Text>>;

export interface Item {
  /** Lines of a string after its first are what a service or a tool printed. */
  text: Text;
  symbol?: string;
  label?: string;
  emoji?: string;
  /** In small print below. */
  under?: string;
  /** A command that fixes it, shown whole. */
  fix?: string | null;
}

export interface Column {
  title: string;
  /** `name`: foreign, as code. `text`: a sentence. `number`: ours, to the right, never broken. */
  kind: "name" | "text" | "number";
  /** Given up first on a terminal that is too narrow: the highest; absent: never. */
  dropRank?: number;
  /** Stands in the cell of the column before it in Markdown, where room is scarce. */
  joined?: boolean;
}

export type Cell =
  | string
  | {
      text: string;
      emphasis?: Emphasis;
      /** On a page. */
      graphic?: Strip;
      href?: string;
    }
  | { mark: Mark };

export interface Table {
  columns: readonly Column[];
  /** `name`: what the rows below it are about; null: nothing in particular. */
  groups: readonly { name: string | null; rows: readonly (readonly Cell[])[] }[];
}

export type Block =
  | { kind: "text"; text: Text; emphasis?: Emphasis }
  | { kind: "list"; items: readonly Item[] }
  | { kind: "facts"; facts: readonly Fact[] }
  | { kind: "table"; table: Table }
  /** Commands, or what a program printed; never wrapped. */
  | { kind: "code"; lines: readonly string[] }
  /** Small print of ours. */
  | { kind: "note"; text: string }
  /** Of a page alone. */
  | { kind: "figure"; figure: Figure }
  | { kind: "folds"; title: string; folds: readonly Fold[] };

/** An interval in one glance: a bar with its estimate between the limits, all log ratios. */
export interface Strip extends Pick<Comparison, "estimate" | "interval"> {
  /** A class of the style sheet. */
  colour: string;
  says: string;
  /** Of the ticks to either side of 0; the axis is twice as long. */
  tick: number;
  /** By their class; absent: what is shown is held to none. */
  limits?: Readonly<Record<string, number>>;
}

/** What a page draws, as what it is drawn from. */
export type Figure =
  | {
      /** Where in the distribution the arms part. */
      kind: "curves";
      candidate: CurveBand;
      reference: CurveBand | null;
      /** What the two arms are called; absent: candidate and reference. */
      names?: Readonly<Record<"candidate" | "reference", string>>;
      caption: string;
    }
  /** One question by rounds: ratios, evidence, decision and limits. */
  | { kind: "rounds"; title: string; comparison: Comparison }
  | {
      /** Latency against rate: every slice that counts, the objective, and the capacity. */
      kind: "rates";
      curve: readonly {
        launch: number;
        rateRps: number;
        p50Us: number;
        p99Us: number;
        sustained: boolean;
      }[];
      objectiveUs: number;
      /** Requests a second; null bounds are unknown. */
      capacity: { says: string; estimate: number; low: number | null; high: number | null } | null;
    }
  /** Stacks of both arms as one, of which each frame is as wide as its share in the candidate. */
  | { kind: "flame"; title: string; caption: string; frames: readonly FlameFrame[] };

/** Before those that it calls. */
export interface FlameFrame {
  depth: number;
  /** Of the picture's width, from 0 to 1. */
  from: number;
  width: number;
  /** In it, as far as there is room; and all that there is to say. */
  label: string;
  says: readonly string[];
  /** Null: not shown to be other than in the reference. */
  change: "more" | "less" | null;
  isNamed: boolean;
}

export interface Fold {
  name: string;
  /** Beside the name. */
  note: string;
  isOpen: boolean;
  figures: readonly Figure[];
}

export interface Section {
  /** Named when it is left out. */
  name: string;
  title: string;
  /** `details` are folded in Markdown and left out on a terminal unless asked for. */
  depth: "open" | "details";
  /** Left out where there is no room: the highest first; 0 stays. */
  drop: number;
  blocks: readonly Block[];
}

export interface Document {
  /** Null: the headline says it. */
  mark: Mark | null;
  headline: string;
  summary: readonly Block[];
  sections: readonly Section[];
}

/** A document with what a page of it needs beside. */
export interface Page {
  title: string;
  tool: string;
  /** Id of the element that holds `record` as JSON. */
  id: string;
  record: unknown;
  document: Document;
}

export function section(title: string, ...blocks: Block[]): Section {
  return { name: title, title, depth: "open", drop: 0, blocks };
}

export function details(title: string, ...blocks: Block[]): Section {
  return { ...section(title, ...blocks), depth: "details" };
}

export function list(items: readonly (Item | string)[], max = items.length): Block {
  const more = items.length > max ? [`and ${items.length - max} more`] : [];
  const shown = [...items.slice(0, max), ...more];
  return {
    kind: "list",
    items: shown.map((item) => (typeof item === "string" ? { text: item } : item)),
  };
}

/** The first line of an item, and what a service or a tool printed. */
export function itemLines({ text }: Item): { first: Text; printed: readonly string[] } {
  if (typeof text !== "string") return { first: text, printed: [] };
  const [first = "", ...printed] = plainLines(text);
  return { first, printed };
}

/** What has no text is left out. */
export function facts(all: Facts): Block {
  const shown = Object.entries(all).filter(([, text]) => text.length > 0);
  return { kind: "facts", facts: shown.map(([label, text]) => ({ label, text })) };
}

export function paragraph(text: Text, emphasis?: Emphasis): Block {
  return { kind: "text", text, emphasis };
}

export function note(text: string): Block {
  return { kind: "note", text };
}

/** Said below a table of the first rows, with what there is to say of all. */
export function moreRows(left: number, more = ""): Block {
  return note([...(left > 0 ? [`… and ${left} more such rows.`] : []), more].join(" ").trim());
}

export function tableOf(columns: readonly Column[], rows: readonly (readonly Cell[])[]): Block {
  return { kind: "table", table: { columns, groups: [{ name: null, rows }] } };
}

/** A column, and its cell in the row of each thing that a table is about. */
export interface ColumnOf<T> extends Column {
  cell: (one: T) => Cell;
}

export function tableAbout<T>(things: readonly T[], columns: readonly ColumnOf<T>[]): Block {
  return groupedTable([{ name: null, things }], columns);
}

export function groupedTable<T>(
  groups: readonly { name: string | null; things: readonly T[] }[],
  columns: readonly ColumnOf<T>[],
): Block {
  const rowOf = (one: T): Cell[] => columns.map(({ cell }) => cell(one));
  const told = groups.map(({ name, things }) => ({ name, rows: things.map(rowOf) }));
  return { kind: "table", table: { columns, groups: told } };
}

/** Without what has nothing to show, figures included where they cannot be drawn. */
export function filled(sections: readonly Section[], medium: "page" | "text"): Section[] {
  const isShown = (block: Block): boolean =>
    !isEmpty(block) && (medium === "page" || (block.kind !== "figure" && block.kind !== "folds"));
  return sections
    .map((one) => ({ ...one, blocks: one.blocks.filter(isShown) }))
    .filter(({ blocks }) => blocks.some(({ kind }) => kind !== "note"));
}

function isEmpty(block: Block): boolean {
  if (block.kind === "table") return block.table.groups.every(({ rows }) => rows.length === 0);
  const isNone = (part: unknown) => part === "" || (Array.isArray(part) && part.length === 0);
  return Object.values(block).some(isNone);
}
