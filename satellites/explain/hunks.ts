// A unified diff → which lines a change wrote, to say whether it touched a function.
import { shortName } from "./own.ts";

/** Lines of a file after the change; a deletion alone touches the two around it. */
export interface Place {
  file: string;
  from: number;
  to: number;
}

export interface Hunk extends Place {
  /** The line that git takes for the head of the function that it begins in. */
  heading: string;
  added: string[];
}

const HEADER = /^@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@ ?(.*)$/;
/** More lines are of no change that anybody reads. */
const MOST_LINES = 200_000;
const LONGEST_LINE = 1000;

/** `git diff --unified=0`. Any context counts as touched. */
export function parseDiff(diff: string): Hunk[] {
  const hunks: Hunk[] = [];
  let file = "";
  let left = 0;
  for (const line of diff.split("\n", MOST_LINES)) {
    const header = HEADER.exec(line);
    if (header !== null) {
      const [, start = "", count = "1", heading = ""] = header;
      const [first, lines] = [Number(start), Number(count)];
      const to = lines === 0 ? first + 1 : first + lines - 1;
      hunks.push({ file, from: first, to, heading, added: [] });
      left = lines;
      // An added line may look like the name of a file: those that a hunk has are counted.
    } else if (left > 0 && /^[+ ]/.test(line)) {
      hunks.at(-1)?.added.push(line.slice(1, LONGEST_LINE));
      left--;
    } else if (line.startsWith("+++ ")) {
      file = line.replace(/^\+{3} (?:"?b\/)?/, "").replace(/["\t].*$/, "");
    }
  }
  return hunks;
}

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
