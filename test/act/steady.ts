// What people read of a real run, without what no two runs share: numbers, commits, and what the noise of the hour lets appear or
// not. What is left is the form, and that is what the golden files hold.

const INVISIBLE = /[\u200b-\u200d\u2060\ufeff]/g;
const COMMIT = /\b(?:[0-9a-f]{64}|[0-9a-f]{40}|(?=[0-9a-f]*\d)[0-9a-f]{10,12})\b/g;
/** As Tailgate names its runs. */
const RUN_ID = /\b\d{8}T\d{6}Z-[0-9a-f]{8}\b/g;
const DATE = /\b\d{4}-\d{2}-\d{2}(?:[T ][\d:.]+Z?)?/g;
const UNIT = "µs|ms|s|min|KiB|MiB|GiB|%";
/** With its sign and unit; what stands in a word, such as p99, is none. */
const NUMBER = new RegExp(
  `(?<![\\w.])(?:\\\\?~)?[+−-]?\\d[\\d,]*(?:\\.\\d+)?(?: ?(?:${UNIT}))?(?!\\w)`,
  "g",
);

/** Of a comment, a summary or a pull request's body: every number replaced, what is folded reduced to its title. */
export function steadyMarkdown(text: string): string {
  return text
    .replace(INVISIBLE, "")
    .replace(/(<details>\s*<summary>.*?<\/summary>).*?<\/details>/gs, "$1 … </details>")
    .split("\n")
    .filter((line) => !line.includes("(watched)"))
    .join("\n")
    .replace(/\*\*Warnings\*\*\n\n(?:- .*\n)+\n?/g, "")
    .replace(/^- machine: .*$/gm, "- machine: MACHINE")
    .replace(RUN_ID, "RUN")
    .replace(COMMIT, "COMMIT")
    .replace(DATE, "DATE")
    .replace(NUMBER, "#")
    .replace(/\n{3,}/g, "\n\n");
}
