// Patterns that are written as the code that they find. Pure.

/** A pattern, or a text that is found as it is. */
type Piece = RegExp | string;

/**
 * code`app.get( "${PATH}"`: text is found as it stands there, a blank is white space or none, and a
 * piece is what varies. `^` in a piece is the beginning of a line.
 */
export function code(text: TemplateStringsArray, ...pieces: readonly Piece[]): RegExp {
  const sources = text.map((written, i) => {
    const words = written.split(/ +/).map((word) => RegExp.escape(word));
    return words.join("\\s*") + sourceOf(pieces[i] ?? "");
  });
  return new RegExp(sources.join(""), "gm");
}

function sourceOf(piece: Piece): string {
  if (typeof piece === "string") return RegExp.escape(piece);
  return `(?:${piece.source})`;
}

/** What it finds is in `groups` by this name. */
export function as(name: string, piece: Piece): RegExp {
  return new RegExp(`(?<${name}>${sourceOf(piece)})`);
}

export function maybe(piece: Piece): RegExp {
  return upTo(1, piece);
}

/** So many of it, one behind the other, or fewer, or none. */
export function upTo(most: number, piece: Piece): RegExp {
  return new RegExp(`(?:${sourceOf(piece)}){0,${most}}`);
}

/** Whether its letters are large or small. */
export function anyCase(text: string): RegExp {
  return new RegExp(`(?i:${RegExp.escape(text)})`);
}

/** The first that fits. */
export function anyOf(...pieces: readonly Piece[]): RegExp {
  return new RegExp(pieces.map(sourceOf).join("|"), "gm");
}

/** Of words with blanks between them. */
export function oneOf(words: string): RegExp {
  return anyOf(...words.trim().split(/\s+/));
}

export const WORD = /\w+/;
/** Where a word begins or ends. */
export const EDGE = /\b/;
/** What is in quotes of this kind. */
export const TEXT = /[^"\n]*/;
export const QUOTE = /["'`]/;

interface Found {
  index: number;
  /** Behind it. */
  end: number;
  /** What its named pieces have found. */
  groups: Readonly<Record<string, string | undefined>>;
}

/** In the order of the text. */
export function findAll(text: string, pattern: RegExp): Found[] {
  return Array.from(text.matchAll(pattern), ({ 0: { length }, index, groups = {} }) => ({
    ...{ index, end: index + length, groups },
  }));
}

export function findFirst(text: string, pattern: RegExp): Found | undefined {
  return findAll(text, pattern)[0];
}
