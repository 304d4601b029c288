// Source text as far as `init` goes by it: without its comments, and where a pair of brackets ends.
// Pure, and forgiving: text that does not parse yields something shorter or nothing.
import type { Language } from "./proposal.ts";
import type { Tree } from "./tree.ts";

/** A source file without its comments. */
export interface SourceFile {
  path: string;
  text: string;
}

export function sourceFiles(
  tree: Tree,
  paths: readonly string[],
  language: Language,
): SourceFile[] {
  return paths.map((path) => ({ path, text: withoutComments(tree.read(path), language) }));
}

const QUOTES: Record<Language, string> = {
  rust: '"',
  java: '"',
  go: '"`',
  node: "\"'`",
  python: "\"'",
};
/** A quote that is still open at the end of its line closes there, but for these. */
const OVER_LINES = new Set(["`"]);

/** Comments become spaces: every index stays what it was. */
export function withoutComments(text: string, language: Language): string {
  const quotes = QUOTES[language];
  const parts: string[] = [];
  let from = 0;
  const blank = (start: number, end: number): void => {
    parts.push(text.slice(from, start), text.slice(start, end).replace(/[^\n]/g, " "));
    from = end;
  };
  for (let i = 0; i < text.length; i++) {
    const char = text[i] ?? "";
    const two = text.slice(i, i + 2);
    if (quotes.includes(char)) {
      i = endOfString(text, i, language);
    } else if (language === "python" ? char === "#" : two === "//") {
      const end = text.indexOf("\n", i);
      const stop = end === -1 ? text.length : end;
      blank(i, stop);
      i = stop;
    } else if (language !== "python" && two === "/*") {
      const end = text.indexOf("*/", i + 2);
      const stop = end === -1 ? text.length : end + 2;
      blank(i, stop);
      i = stop - 1;
    }
  }
  return parts.join("") + text.slice(from);
}

/** Index of the closing quote. */
function endOfString(text: string, start: number, language: Language): number {
  const quote = text[start] ?? "";
  if (text.slice(start, start + 3) === quote.repeat(3) && language !== "node") {
    const end = text.indexOf(quote.repeat(3), start + 3);
    return end === -1 ? text.length : end + 2;
  }
  for (let i = start + 1; i < text.length; i++) {
    const char = text[i];
    if (char === "\\" && !(quote === "`" && language === "go")) i++;
    else if (char === quote) return i;
    // A Rust string may go on in the next line, but an apostrophe in a comment must not eat a file.
    else if (char === "\n" && !OVER_LINES.has(quote) && language !== "rust") return i;
  }
  return text.length;
}

const CLOSING: Readonly<Record<string, string>> = { "(": ")", "{": "}", "[": "]" };

/**
 * The index of the bracket that closes the one at `open`; the end of the text when none does.
 * Strings are passed over.
 */
export function closingIndex(text: string, open: number, language: Language): number {
  const quotes = QUOTES[language];
  const wanted: string[] = [];
  for (let i = open; i < text.length; i++) {
    const char = text[i] ?? "";
    if (quotes.includes(char)) {
      i = endOfString(text, i, language);
      continue;
    }
    const closing = CLOSING[char];
    if (closing !== undefined) wanted.push(closing);
    else if (char === wanted.at(-1)) {
      wanted.pop();
      if (wanted.length === 0) return i;
    }
  }
  return text.length;
}

/** Parts of a path put together, with one slash between two of them and none at the end. */
export function joinedPath(...parts: readonly string[]): string {
  return `/${parts.flatMap((part) => part.split("/").filter((one) => one !== "")).join("/")}`;
}

/** The same with the slash that the last part ends with: some frameworks tell /users/ from /users. */
export function joinedPathWithSlash(...parts: readonly string[]): string {
  const last = parts.findLast((part) => part !== "");
  const path = joinedPath(...parts);
  return last?.endsWith("/") === true && path !== "/" ? `${path}/` : path;
}
