// What a terminal or GitHub's runner would obey in a text, told independently of how it is kept out.

const MAX_LINE_CHARS = 4000;

/** What is wrong with it; null: it is inert. */
export function harmOnScreen(text: string, maxLineChars = MAX_LINE_CHARS): string | null {
  const lines = text.split(/[\r\n]/);
  if (lines.some(isCommand)) return "a command";
  if (lines.some((line) => Array.from(line).length > maxLineChars)) return "a line without end";
  if (!text.isWellFormed()) return "half a character";
  for (const character of text) {
    if (character !== "\n" && isObeyed(character.codePointAt(0) ?? 0)) {
      return `the character U+${character.codePointAt(0)?.toString(16)}`;
    }
  }
  return null;
}

/** As the runner reads a line: it drops blanks (.NET's Char.IsWhiteSpace) at its head. */
function isCommand(line: string): boolean {
  return /^[\s\u0085]*::/.test(line) || line.includes("##[");
}

const between = (code: number, first: number, last: number): boolean =>
  code >= first && code <= last;

function isObeyed(code: number): boolean {
  return (
    // C0 with ESC and NUL, DEL, C1 with CSI and OSC.
    between(code, 0, 0x1f) ||
    between(code, 0x7f, 0x9f) ||
    // Marks, embeddings, overrides and isolates of text direction.
    [0x61c, 0x200e, 0x200f].includes(code) ||
    between(code, 0x2028, 0x202e) ||
    between(code, 0x2066, 0x2069) ||
    // What nobody sees: zero width, and tags of languages.
    [0xad, 0x180e, 0x200b, 0x2060, 0xfeff].includes(code) ||
    between(code, 0xe0000, 0xe007f)
  );
}
