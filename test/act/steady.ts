// What people read of a real run, without what no two runs share: numbers, commits, and what the
// noise of the hour lets appear or not. What is left is the form, and that is what the golden files
// hold.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { checkGolden } from "../support/golden.ts";

const INVISIBLE = /[\u200b-\u200d\u2060\ufeff]/g;
const COMMIT = /\b(?:[0-9a-f]{64}|[0-9a-f]{40}|(?=[0-9a-f]*\d)[0-9a-f]{10,12})\b/g;
/** As Tailgate names its runs. */
const RUN_ID = /\b\d{8}T\d{6}Z-[0-9a-f]{8}\b/g;
const DATE = /\b\d{4}-\d{2}-\d{2}(?:[T ][\d:.]+Z?)?/g;
const UNIT = "µs|ms|s|min|KiB|MiB|GiB|%";
/** With its sign and unit; what stands in a word, such as p99, is none. */
const NUMBER = new RegExp(
  `(?<![\\w.])(?:\\\\?~)?[+−-]?\\d[\\d,]*(?:\\.\\d+)?(?:[ \u00a0]?(?:${UNIT}))?(?!\\w)`,
  "g",
);

/**
 * Holds what somebody would read against a golden file, in its steady form. TAILGATE_TEST_READ
 * names a folder to keep it in as it was, for whoever wants to look at it.
 */
export async function checkRead(name: string, text: string | null | undefined): Promise<void> {
  const folder = process.env.TAILGATE_TEST_READ;
  if (folder !== undefined) writeFileSync(join(folder, `${name}.md`), text ?? "");
  await checkGolden(`act/${name}.md`, steadyMarkdown(text ?? ""));
}

/** What a run asked of GitHub. */
export async function checkCalls(name: string, calls: readonly string[]): Promise<void> {
  await checkGolden(`act/calls-${name}.txt`, `${calls.join("\n")}\n`);
}

/**
 * Of a comment, a summary or a pull request's body: every number replaced, what is folded reduced
 * to its title.
 */
function steadyMarkdown(text: string): string {
  return text
    .replace(INVISIBLE, "")
    .replace(/(<details>\s*<summary>.*?<\/summary>).*?<\/details>/gs, "$1 … </details>")
    .split("\n")
    .filter((line) => !line.includes("(warns only)"))
    .join("\n")
    .replace(/\*\*Warnings\*\*\n\n(?:- .*\n)+\n?/g, "")
    .replace(/^<details><summary>Findings on the machine.*$\n+/gm, "")
    .replace(/^- machine: .*$/gm, "- machine: MACHINE")
    .replace(RUN_ID, "RUN")
    .replace(COMMIT, "COMMIT")
    .replace(DATE, "DATE")
    .replace(NUMBER, "#")
    .replace(/\n{3,}/g, "\n\n");
}
