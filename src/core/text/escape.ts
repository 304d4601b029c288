// Makes foreign text harmless, by one function for each medium.

/** Longer than any sentence of ours, so that only hostile text is cut. */
const MAX_LENGTH = 1000;

/** Indentation beyond 16 columns. */
const TOO_DEEP = /^ +(?= {16})/;

// Controls, bidirectional marks, invisible characters, language tags and lone surrogates.
// Zero-width joiners stay: scripts need them.
export const UNSAFE =
  /[\p{Cc}\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}\p{Cs}]/gu;
// Not \s: that counts the invisible U+FEFF as a space.
const BLANK = /[\n-\r\u0085\p{Z}]/gu;
// A whole escape sequence goes, not only its first byte: colours (CSI) and titles or links (OSC).
// biome-ignore lint/suspicious/noControlCharactersInRegex: removing them is the point
const ESCAPE_SEQUENCE = /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|.?)/g;

/** As a terminal shows it: without colours, titles and links. */
export function withoutEscapes(text: string): string {
  return text.replace(ESCAPE_SEQUENCE, "");
}

/** One visible line of at most `maxLength` characters. */
export function plainLine(text: string, maxLength = MAX_LENGTH): string {
  return shorten(visible(text).trim(), maxLength);
}

function visible(text: string): string {
  return laidOut(text).replace(/ {2,}/g, " ");
}

/** Visible characters on one line, each where it was: columns stay below each other. */
export function laidOut(text: string): string {
  return withoutEscapes(text).replaceAll("\t", "  ").replace(BLANK, " ").replace(UNSAFE, "");
}

/**
 * Several lines, such as the tail of a log, as they are laid out; the last `maxLines` are kept.
 * YAML and Python need indentation.
 */
export function plainLines(text: string, maxLines = 20): string[] {
  return text
    .split(/\r\n|\n|\r/)
    .map((line) => shorten(laidOut(line).trimEnd().replace(TOO_DEEP, ""), MAX_LENGTH))
    .filter((line) => line !== "")
    .slice(-maxLines);
}

export function shorten(text: string, maxLength: number): string {
  const characters = Array.from(text.slice(0, 2 * maxLength + 1));
  return characters.length <= maxLength ? text : `${characters.slice(0, maxLength - 1).join("")}…`;
}

const SPACE = "\u200b";
const MARKDOWN_SPECIAL =
  /www(?=\.)|GH-(?=\d)|:(?=\/\/|[a-z+-][\w+-]*:)|#(?=\d)|@|[\\`*_[\]~]|[&<>$|]/gi;
/** What would start a heading, a list, a quotation or a rule at the head of a line. */
const BLOCK_START = /^(?:[#+=-]|\d+(?=[.)]))/;

/** A commit id outside code becomes a link. What is all digits is a seed or a count. */
const COMMIT_ID = /(?<![0-9a-z])(?=\d*[a-f])[0-9a-f]{7,64}(?![0-9a-z])/gi;
/** Stacks of marks on one letter cover other lines. */
const STACKED_MARKS = /(\p{M}{4})\p{M}+/gu;

/**
 * A sentence in GitHub's Markdown, also in a table. A zero-width space breaks what GitHub
 * recognises in rendered text, where a backslash is no protection: mentions, references, links,
 * emoji, commit ids.
 */
export function markdownText(text: string, maxLength = MAX_LENGTH): string {
  return markdownInline(text, maxLength).replace(BLOCK_START, (start) =>
    /\d/.test(start) ? `${start}\\` : `\\${start}`,
  );
}

/** The same where it does not stand at the head of a line. */
export function markdownInline(text: string, maxLength = MAX_LENGTH): string {
  return plainLine(text, maxLength)
    .replace(MARKDOWN_SPECIAL, (match) => {
      if (/^[&<>$|]$/.test(match)) return `&#${match.charCodeAt(0)};`;
      if (/^[\\`*_[\]~]$/.test(match)) return `\\${match}`;
      return match === "#" ? `\\#${SPACE}` : match + SPACE;
    })
    .replace(STACKED_MARKS, "$1")
    .replace(COMMIT_ID, (id) => id.replace(/.{6}(?!$)/g, `$&${SPACE}`));
}

/** A name or command as a code span; a backtick becomes a look-alike. */
export function markdownCode(text: string): string {
  const code = plainLine(text).replaceAll("`", "ˋ");
  return code === "" ? "`–`" : `\`${code}\``;
}

/** The same in a table, where a pipe becomes a look-alike too. */
export function markdownCellCode(text: string): string {
  return markdownCode(text).replaceAll("|", "∣");
}

/** Lines as a fenced block whose fence no line can close. */
export function markdownBlock(lines: readonly string[]): string[] {
  const runs = lines.join("\n").match(/`+/g) ?? [];
  const longest = Math.max(0, ...runs.map((run) => run.length));
  const fence = "`".repeat(Math.max(3, longest + 1));
  return [`${fence}text`, ...lines, fence];
}

/** Text or an attribute's value in HTML and SVG, of any length. */
export function htmlText(text: string): string {
  return visible(text)
    .replace(/&/g, "&amp;")
    .replace(/</g, "&lt;")
    .replace(/>/g, "&gt;")
    .replace(/"/g, "&quot;")
    .replace(/'/g, "&#39;");
}
