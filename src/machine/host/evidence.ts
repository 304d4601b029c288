// What a finding rests on: the files that its check read, as they were.
import type { HostFiles } from "./checks/check.ts";

/** A machine of many CPUs has as many files of each kind. */
const MOST_LINES = 4;
const MOST_CHARACTERS = 80;
/** There are hundreds, and the finding names those that matter. */
const OF_A_PROCESS = /^\/proc\/\d+\//;

/** The same files, with a record of every one that was there. */
export function recordReads(files: HostFiles): { recorded: HostFiles; evidence(): string[] } {
  const read = new Map<string, string>();
  return {
    recorded: {
      read(path) {
        const text = files.read(path);
        if (text !== null && !OF_A_PROCESS.test(path)) read.set(path, text);
        return text;
      },
      list: (path) => files.list(path),
    },
    evidence: () => describeReads(read),
  };
}

/**
 * `path: value`, equal values of numbered files joined; of a longer file the path alone, which is
 * where to look.
 */
function describeReads(read: ReadonlyMap<string, string>): string[] {
  const lines = new Map<string, number>();
  for (const [path, text] of read) {
    const kind = path.replace(/(\/(?:cpu|state|thermal_zone|hwmon))\d+/g, "$1*");
    const short = text !== "" && !text.includes("\n") && text.length <= MOST_CHARACTERS;
    const line = short ? `${kind}: ${text}` : kind;
    lines.set(line, (lines.get(line) ?? 0) + 1);
  }
  const all = [...lines].map(([line, times]) => (times === 1 ? line : `${line} (${times} files)`));
  return all.length > MOST_LINES
    ? [...all.slice(0, MOST_LINES), `and ${all.length - MOST_LINES} more`]
    : all;
}
