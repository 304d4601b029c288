// Where a value that should be nowhere is after all: in text, in files, whatever it is written as.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * As it is, as in a path, what of it stays whatever is escaped, and within base64, where it may
 * begin at any of three places.
 */
export function tracesOf(value: string): string[] {
  const [longest = value] = value.split(/\W+/).sort((a, b) => b.length - a.length);
  const encoded = [0, 1, 2].map((before) => {
    const text = Buffer.from(`${" ".repeat(before)}${value}`).toString("base64");
    // The characters at both ends hold bits of what is beside it.
    return text.slice(before === 0 ? 0 : 4, -4);
  });
  return [value, encodeURIComponent(value), longest, ...encoded];
}

/** Files below, `.git` included. */
export function filesWith(traces: readonly string[], root: string): string[] {
  return readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((path) => {
      const text = contentOf(join(root, path));
      return traces.some((trace) => text.includes(trace));
    })
    .map((path) => join(root, path));
}

/** Nothing of a folder, and of what another test has removed meanwhile. */
function contentOf(file: string): string {
  try {
    return readFileSync(file, "latin1");
  } catch {
    return "";
  }
}

/** What GitHub alone is told, which shows it to nobody. */
const MASKS = /^::add-mask::(.*)\n/gm;

export function withoutMasks(said: string): { text: string; masked: string[] } {
  const masked = [...said.matchAll(MASKS)].map(([, value]) => value ?? "");
  return { text: said.replaceAll(MASKS, ""), masked };
}
