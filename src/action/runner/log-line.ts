// Text that others wrote, made harmless for the job's log: the runner obeys lines that look like
// its commands, wherever they come from. Pure.

/** A control character could end the line, and what follows would be a line of its own. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: removing them is the point
const LINE_ENDS = /[\r\n\x0b\x0c\x85\u2028\u2029]+/g;

/**
 * One line that no runner takes for a command: neither `::command::` at its head nor the older
 * `##[command]` anywhere.
 */
export function harmlessLogLine(text: string): string {
  return text
    .replace(LINE_ENDS, " ")
    .replace(/^(\s*)::/, "$1: :")
    .replaceAll("##[", "## [");
}
