// A value of somebody else's as it may stand inside a sentence of ours.

const MAX_SHOWN_CHARS = 60;

/** As JSON of at most `most` characters, shortened in its middle. */
export function showValue(value: unknown, most = MAX_SHOWN_CHARS): string {
  const text = typeof value === "number" ? String(value) : (JSON.stringify(value) ?? String(value));
  if (text.length <= most) return text;
  const tail = Math.floor(most / 4);
  // A character takes two units at most.
  const start = Array.from(text.slice(0, 2 * most)).slice(0, most - 1 - tail);
  const end = Array.from(text.slice(-2 * most)).slice(-tail);
  return `${start.join("")}…${end.join("")}`;
}
