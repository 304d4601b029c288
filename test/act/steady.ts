// What people read of a real run, without what no two runs share: numbers, commits, addresses of ports, what the noise of the
// hour lets appear or not. What is left is the form, and that is what the golden files hold.

/** Of a comment, a summary or a pull request's body: every number replaced, what is folded reduced to its title. */
export function steadyMarkdown(text: string): string {
  return text
    .replace(/(<details>\s*<summary>.*?<\/summary>).*?<\/details>/gs, "$1 … </details>")
    .split("\n")
    .filter((line) => !line.includes("(watched)"))
    .join("\n")
    .replace(/\*\*Warnings\*\*\n\n(?:- .*\n)+\n?/g, "")
    .replace(/\b[0-9a-f]{64}\b|\b[0-9a-f]{40}\b|\b(?=[0-9a-f]*\d)[0-9a-f]{10,12}\b/g, "COMMIT")
    .replace(/\b\d{4}-\d{2}-\d{2}(?:[T ][\d:.]+Z?)?/g, "DATE")
    .replace(/(\\?~)?[+−-]?\d[\d,]*(?:\.\d+)?(?: ?(?:µs|ms|s|min|KiB|MiB|GiB|%))?/g, "#")
    .replace(/\*\*#\*\*/g, "#")
    .replace(/\[#,? #\](?: #)?/g, "[#]")
    .replace(/#(?: → | \/ |\/)#/g, "# → #")
    .replace(/\n{3,}/g, "\n\n");
}
