// A unified diff → which lines a change wrote, to say whether it touched a function.
import { shortName } from "./own.ts";

/** Lines of a file after the change; a deletion alone touches the two around it. */
export interface Place {
  file: string;
  from: number;
  to: number;
}

interface Hunk extends Place {
  /** The line that git takes for the head of the function that it begins in. */
  heading: string;
  added: string[];
}

/** More is of no change that anybody reads. */
const MOST_CHARS = 20_000_000;
const LONGEST_LINE = 1000;

/** `git diff --unified=0`. Any context counts as touched. */
export function parseDiff(diff: string): Hunk[] {
  const files = `\n${diff.slice(0, MOST_CHARS)}`.split("\ndiff --git ");
  return files.flatMap((text) => {
    // No line of a file begins so: each has a sign before it. A return alone begins none.
    const [head = "", ...hunks] = text.split("\n@@ ");
    const [, file = ""] = /^\+{3} (?:"?b\/)?([^"\t\n]*)/m.exec(head) ?? [];
    return hunks.map((hunk) => hunkOf(file, hunk));
  });
}

function hunkOf(file: string, text: string): Hunk {
  const [first = "", ...lines] = text.split("\n");
  const [, start, count = 1, heading = ""] = HEADER.exec(first) ?? [];
  const from = Number(start);
  const to = Number(count) === 0 ? from + 1 : from + Number(count) - 1;
  const added = lines.filter((line) => /^[+ ]/.test(line));
  return { file, from, to, heading, added: added.map((line) => line.slice(1, LONGEST_LINE)) };
}

const HEADER = /^-\S+ \+(\d+)(?:,(\d+))? @@ ?(.*)$/s;

/** What the change wrote of a function. Null: unknown, since neither a declaration nor lines say it. */
export function changedIn(hunks: readonly Hunk[], name: string, seen: Place | null) {
  if (hunks.length === 0) return null;
  const bare = /[\w$]+$/.exec(shortName(name))?.[0];
  const head = new RegExp(
    `\\b(?:func|fn|def|function)\\b[^{]*?\\b${bare?.replaceAll("$", "\\$")}\\s*[(<[]`,
  );
  const found = hunks.filter(({ file, heading, added, from, to }) => {
    if (seen !== null && seen.file !== file && !seen.file.endsWith(`/${file}`)) return false;
    if (seen !== null && from <= seen.to && seen.from <= to) return true;
    // What begins at the margin comes after the function of the heading.
    const isWithin = /^\s/.test(added[0] ?? " ") && head.test(heading);
    return isWithin || added.some((line) => head.test(line));
  });
  if (found.length === 0 && seen === null) return null;
  return found.map(({ file, from, to }): Place => ({ file, from, to }));
}
