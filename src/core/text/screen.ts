// Text as a terminal or a job's log may show it, whoever wrote it: no character moves the cursor,
// hides what stands beside it or turns it round, and no runner takes a line for a command. Pure.
import { laidOut, shorten, UNSAFE } from "./escape.ts";

/** Longer than any line of ours, so that only hostile text is cut. */
const MAX_CHARS = 4000;

/** As core/report/kit/terminal.ts paints; no other sequence stays. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the point
const OUR_COLOUR = /(\u001b\[(?:[0-2]|(?:1;)?3[1-6])m)/;
const NOTHING = /(?!)/;

/** One line, laid out as it is. */
export function screenLine(text: string, maxChars = MAX_CHARS): string {
  return shorten(withoutCommands(laidOut(text)), maxChars);
}

/** Lines, whatever they are of; `painted`: by us. */
export function screenText(text: string, { painted = false, maxChars = MAX_CHARS } = {}): string {
  const inert = (part: string, at: number): string =>
    at % 2 === 1 ? part : screenLine(part, maxChars);
  const colour = painted ? OUR_COLOUR : NOTHING;
  const lines = text.split(/\r?\n/).map((line) => line.split(colour).map(inert).join(""));
  return lines.join("\n");
}

/**
 * GitHub's runner obeys lines that look like its commands, wherever they come from: `::command::`
 * behind blanks, and the older `##[command]` anywhere.
 */
export function withoutCommands(text: string): string {
  return text.replace(/^((?:[^\S\r\n]|\u0085)*)::/gm, "$1: :").replaceAll("##[", "## [");
}

/** JSON that says the same, without a character that a screen or a runner obeys. */
export function screenJson(json: string): string {
  const escaped = (text: string): string =>
    text === "\n" ? text : text.split("").map(unitEscape).join("");
  return json.replace(UNSAFE, escaped).replaceAll("##[", "##\\u005b");
}

/** Of half a character, where it has two. */
const unitEscape = (unit: string): string =>
  `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
