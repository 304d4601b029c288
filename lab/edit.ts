// Edits of a reference service's source, as steps on its text: what lab/neutral and lab/plants are
// made of. A step finds its place by the text that is there, and throws in plain words where that is
// gone. Pure but for `readTexts` and `editInto`.
import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

export const SERVICES = ["axum-api", "gin-api"] as const;
export type Service = (typeof SERVICES)[number];

/** Files of a service by their path in its folder. */
export type Texts = ReadonlyMap<string, string>;

export type Step = (texts: Texts) => Texts;

export interface Edit {
  service: Service;
  /** What sort of edit: a key of lab/neutral's KINDS_OF_EDIT, `plant`, `cost` or `unchanged`. */
  kind: string;
  /** Unique among those of its kind and service. */
  name: string;
  steps: readonly Step[];
}

export const titleOf = ({
  service,
  kind,
  name,
}: Record<"service" | "kind" | "name", string>): string => `${service} ${kind} ${name}`;

/** As runs store it. */
export const identityOf = ({ service, kind, name }: Edit) => ({ service, kind, name });

export function applyEdit(texts: Texts, edit: Edit): Texts {
  try {
    return edit.steps.reduce((before, step) => step(before), texts);
  } catch (cause) {
    throw new Error(`the edit "${titleOf(edit)}" no longer fits: ${(cause as Error).message}`, {
      cause,
    });
  }
}

/** In place of `from`, which is in the file exactly once. */
export const replace =
  (path: string, from: string, to: string): Step =>
  (texts) => {
    const parts = textOf(texts, path).split(from);
    if (parts.length !== 2) {
      throw new Error(`${path} has ${parts.length - 1} places, not one, with: ${from}`);
    }
    return withText(texts, path, parts.join(to));
  };

/** Lines behind a text that is in the file exactly once and ends its line. */
export const insert = (path: string, after: string, lines: string): Step =>
  replace(path, `${after}\n`, `${after}\n${lines}\n`);

export const create =
  (path: string, text: string): Step =>
  (texts) => {
    if (texts.has(path)) throw new Error(`there already is ${path}`);
    return withText(texts, path, text);
  };

/** A declaration behind the item of `path` that begins with `start`. */
export const declare =
  (path: string, start: string, text: string): Step =>
  (texts) => {
    const lines = textOf(texts, path).split("\n");
    lines.splice(itemIn(lines, path, start).end, 0, "", ...text.split("\n"));
    return withText(texts, path, lines.join("\n"));
  };

/** A whole word, wherever the service's code has it; the new one is nowhere yet. */
export const rename =
  (from: string, to: string): Step =>
  (texts) => {
    const word = new RegExp(`\\b${from}\\b`, "g");
    const code = [...texts].filter(([path]) => /\.(rs|go)$/.test(path));
    if (!code.some(([, text]) => text.match(word))) throw new Error(`nothing is called ${from}`);
    if (code.some(([, text]) => new RegExp(`\\b${to}\\b`).test(text))) {
      throw new Error(`something is called ${to} already`);
    }
    return new Map([
      ...texts,
      ...code.map(([path, text]) => [path, text.replace(word, to)] as const),
    ]);
  };

/** The item of `path` that begins with `start`, to the end of a new file that begins with `head`. */
export const moveOut =
  (path: string, start: string, { into, head }: { into: string; head: string }): Step =>
  (texts) => {
    const lines = textOf(texts, path).split("\n");
    const { begin, end } = itemIn(lines, path, start);
    const item = lines.slice(begin, end).join("\n");
    // With the empty line before it.
    lines.splice(begin - 1, end - begin + 1);
    return create(into, `${head}\n${item}\n`)(withText(texts, path, lines.join("\n")));
  };

/** Exchanges two items of a file, the first of which is named first. */
export const swap =
  (path: string, first: string, second: string): Step =>
  (texts) => {
    const lines = textOf(texts, path).split("\n");
    const [one, other] = [itemIn(lines, path, first), itemIn(lines, path, second)];
    if (one.end > other.begin) throw new Error(`${path} has "${second}" before "${first}"`);
    const swapped = [
      ...lines.slice(0, one.begin),
      ...lines.slice(other.begin, other.end),
      ...lines.slice(one.end, other.begin),
      ...lines.slice(one.begin, one.end),
      ...lines.slice(other.end),
    ];
    return withText(texts, path, swapped.join("\n"));
  };

/**
 * Lines of the only item at the left margin that begins with `start`, with the comments and
 * attributes above it. As formatted code has it: it ends with its line, or with the first closing
 * bracket at the margin.
 */
function itemIn(
  lines: readonly string[],
  path: string,
  start: string,
): { begin: number; end: number } {
  const found = lines.flatMap((line, index) => (line.startsWith(start) ? [index] : []));
  const [at, more] = found;
  if (at === undefined || more !== undefined) {
    throw new Error(`${path} has ${found.length} items, not one, that begin with: ${start}`);
  }
  let begin = at;
  while (/^(\/\/|#\[)/.test(lines[begin - 1] ?? "")) begin--;
  const opens = /[{([]$/.test(lines[at] as string);
  const close = lines.findIndex((line, index) => index > at && /^[})\]];?$/.test(line));
  if (opens && close < 0) throw new Error(`${path} does not end what begins with: ${start}`);
  return { begin, end: (opens ? close : at) + 1 };
}

function textOf(texts: Texts, path: string): string {
  const text = texts.get(path);
  if (text === undefined) throw new Error(`there is no ${path}`);
  return text;
}

const withText = (texts: Texts, path: string, text: string): Texts =>
  new Map(texts).set(path, text);

const FILES = ["Cargo.*", "go.*", "*.go", "{src,tests}/**/*.rs", "internal/**/*.go"];

/** `root` is a checkout of this repository. */
export function readTexts(root: string, service: Service): Texts {
  const folder = join(root, "services", service);
  const paths = globSync(FILES, { cwd: folder }).sort();
  return new Map(paths.map((path) => [path, readFileSync(join(folder, path), "utf8")]));
}

/** Writes what the edit changes and adds; it removes no file. */
export function editInto(root: string, edit: Edit): void {
  const before = readTexts(root, edit.service);
  for (const [path, text] of applyEdit(before, edit)) {
    if (before.get(path) === text) continue;
    const file = join(root, "services", edit.service, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}
