// What a comment must be whatever went into it: ours in its structure, inert in everything foreign.
// Reads Markdown as GitHub does as far as needed: fences, code spans and escapes are taken out, and
// in what is left nothing may act.
import { expect } from "vitest";

const OUR_TAGS = /<\/?(?:details|summary|sub)>/g;
const OUR_LINK = /\[[\w ]+\]\(<https:\/\/github\.com\/acme\/shop\/[\w/]+>\)/g;

export function checkHarmless(comment: string, message: string): void {
  const wrong = findHarm(comment);
  expect(wrong === null ? "harmless" : `${wrong}\n${message}\n${comment.slice(0, 3000)}`).toBe(
    "harmless",
  );
}

function findHarm(comment: string): string | null {
  if (comment.length >= 65_536) return `${comment.length} characters`;
  if (!comment.isWellFormed()) return "half a character";
  const unseen =
    /(?!\n)[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/u.exec(
      comment,
    );
  if (unseen !== null) return `an unseen character ${escape(unseen[0])}`;
  const [marker = "", ...lines] = comment.split("\n");
  if (
    !/^<!-- tailgate:comment repo=acme\/shop key=default run=7164329001 attempt=1 head=[0-9a-f]{40} -->$/.test(
      marker,
    )
  ) {
    return "another marker";
  }
  const { prose, open } = withoutFences(lines);
  if (open) return "a fence that is not closed";
  for (const [index, line] of prose.entries()) {
    if (/^\s{0,3}#/.test(line) !== (index === 0)) return `a heading: ${line}`;
    const harm = harmIn(line);
    if (harm !== null) return `${harm} in: ${line}`;
  }
  return (
    tablesAreWhole(prose) ?? tagsAreBalanced(prose.map((line) => read(line, () => ".")).join("\n"))
  );
}

type Attack = readonly [string, RegExp];

/** Made from Markdown's own signs, so by none that is escaped. */
const STRUCTURES: readonly Attack[] = [
  ["a tag", /<|(?<!^)>/],
  ["a link", /\]\(|\]\[|^\s*\[[^\]]*\]:|!\[/],
  ["a formula", /\$/],
  ["a rule or a table's head", /^\s{0,3}(?:-{3,}|={3,}|\*{3,})\s*$/],
];

/** Made from the words that a reader sees, so escapes do not hinder them. */
const WORDS: readonly Attack[] = [
  ["a mention", /@[a-z0-9]/i],
  ["an issue", /#\d|\bGH-\d/i],
  ["an address", /:\/\/|www\.\w|\w+:[\w.+-]+@\w/i],
  ["a commit", /(?<![0-9a-z])(?=\d*[a-f])[0-9a-f]{7,40}(?![0-9a-z])/i],
  ["an emoji's name", /:[a-z+-][\w+-]*:/i],
];

function harmIn(line: string): string | null {
  const foreign = line.replace(OUR_LINK, "").replace(OUR_TAGS, "");
  const among = (attacks: readonly Attack[], text: string): string | undefined =>
    attacks.find(([, pattern]) => pattern.test(text))?.[0];
  return (
    among(
      STRUCTURES,
      read(foreign, () => "."),
    ) ??
    among(
      WORDS,
      read(foreign, (character) => character),
    ) ??
    null
  );
}

/**
 * A line with something in the place of each escaped character or entity, and without what is in
 * code spans.
 */
function read(line: string, shown: (character: string) => string): string {
  return line.replace(
    /\\([!-/:-@[-`{-~])|&#(\d+);|`[^`]*`/g,
    (_, escaped?: string, code?: string) => {
      if (escaped !== undefined) return shown(escaped);
      return code === undefined ? "code" : shown(String.fromCodePoint(Number(code)));
    },
  );
}

function withoutFences(lines: readonly string[]): { prose: string[]; open: boolean } {
  const prose: string[] = [];
  let fence: string | null = null;
  for (const line of lines) {
    const ticks: string = /^ {0,3}(`{3,})/.exec(line)?.[1] ?? "";
    if (fence === null && ticks !== "") fence = ticks;
    else if (fence === null) prose.push(line);
    else if (ticks.length >= fence.length && line.trim() === ticks) fence = null;
  }
  return { prose, open: fence !== null };
}

function tablesAreWhole(lines: readonly string[]): string | null {
  const cells = (line: string): number => line.split(/(?<!\\)\|/).length;
  for (const [index, line] of lines.entries()) {
    const previous = lines[index - 1] ?? "";
    if (line.startsWith("|") && previous.startsWith("|") && cells(line) !== cells(previous)) {
      return `a row with other cells than its table: ${line}`;
    }
  }
  return null;
}

function tagsAreBalanced(text: string): string | null {
  for (const tag of ["details", "summary", "sub"]) {
    const count = (part: string): number => text.split(part).length;
    if (count(`<${tag}>`) !== count(`</${tag}>`)) return `${tag} is not closed`;
  }
  return null;
}
