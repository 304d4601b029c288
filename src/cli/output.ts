// What a command prints: one JSON document, or text for this terminal and the files that were
// written.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { TerminalOptions } from "../core/report/gate/terminal.ts";
import { unwritable } from "../machine/sys/files.ts";

export function terminalOptions(): TerminalOptions {
  return {
    width: process.stdout.columns ?? 100,
    color: process.stdout.isTTY && process.env.NO_COLOR === undefined ? "always" : "never",
  };
}

export function print(text: string): void {
  process.stdout.write(`${text.trimEnd()}\n`);
}

/** `text`: for people; not asked for where JSON is. */
export function show(
  { json }: { json: boolean },
  value: unknown,
  text: (options: TerminalOptions) => string,
  files: readonly string[] = [],
): void {
  if (json) {
    print(JSON.stringify(value));
    return;
  }
  print(text(terminalOptions()));
  if (files.length > 0) print(`\nFiles\n${files.map((file) => `  ${file}`).join("\n")}`);
}

/** Where the person said; it may be a device. */
export function writeOwn(
  path: string,
  text: string,
  { flag = "w", instead = "leave out --output" } = {},
): void {
  try {
    // A new file may need its folder; one that somebody named is where they said.
    if (flag === "wx") mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text, { flag });
  } catch (error) {
    throw unwritable(path, error, `Name another place, or print it: ${instead}.`);
  }
}
