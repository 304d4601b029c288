// A unified diff → which lines a change wrote, to say whether it touched a function.
import { shortName } from "./own.ts";

interface Hunk {
  /** Lines of the new file; a deletion alone touches the two around it. */
  from: number;
  to: number;
  /** The line that git takes for the head of the function that it begins in. */
  heading: string;
  added: string[];
}

export type Hunks = ReadonlyMap<string, readonly Hunk[]>;

const HEADER = /^@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@ ?(.*)$/;
/** More lines are of no change that anybody reads. */
const MOST_LINES = 200_000;
const LONGEST_LINE = 1000;

/** `git diff --unified=0`, by the path after the change. Any context counts as touched. */
export function parseDiff(diff: string): Hunks {
  const byFile = new Map<string, Hunk[]>();
  let file = "";
  let left = 0;
  for (const line of diff.split("\n", MOST_LINES)) {
    const header = HEADER.exec(line);
    if (header !== null) {
      const [, start = "", count = "1", heading = ""] = header;
      const [first, lines] = [Number(start), Number(count)];
      const to = lines === 0 ? first + 1 : first + lines - 1;
      const hunk = { from: first, to, heading, added: [] };
      const hunks = byFile.get(file);
      if (hunks === undefined) byFile.set(file, [hunk]);
      else hunks.push(hunk);
      left = lines;
      // An added line may look like the name of a file: those that a hunk has are counted.
    } else if (left > 0 && /^[+ ]/.test(line)) {
      byFile.get(file)?.at(-1)?.added.push(line.slice(1, LONGEST_LINE));
      left--;
    } else if (line.startsWith("+++ ")) {
      file = line
        .slice(4)
        .replace(/^"?b\//, "")
        .replace(/["\t].*$/, "");
    }
  }
  return byFile;
}

/** Where a function was seen: lines of samples, so never before its first or after its last. */
export interface Seen {
  file: string;
  from: number;
  to: number;
}

/** Null: unknown, since neither a declaration nor lines say it. */
export function isChanged(hunks: Hunks, name: string, seen: Seen | null): boolean | null {
  if (hunks.size === 0) return null;
  const isIts = (file: string): boolean =>
    seen === null || seen.file === file || seen.file.endsWith(`/${file}`);
  const its = [...hunks].flatMap(([file, of]) => (isIts(file) ? of : []));
  const bare = /[\w$]+$/.exec(shortName(name))?.[0];
  const head = new RegExp(
    `\\b(?:func|fn|def|function)\\b[^{]*?\\b${bare?.replaceAll("$", "\\$")}\\s*[(<[]`,
  );
  const isDeclared = its.some(
    ({ heading, added }) =>
      // What begins at the margin comes after the function of the heading.
      added.some((line) => head.test(line)) || (/^\s/.test(added[0] ?? " ") && head.test(heading)),
  );
  if (bare !== undefined && isDeclared) return true;
  return seen && its.some(({ from, to }) => from <= seen.to && seen.from <= to);
}
