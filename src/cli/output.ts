// What a command prints: a document, or text for this terminal and the files that were written.
import { fstatSync, lstatSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { Kept } from "../app/documents/reports.ts";
import type { TerminalOptions } from "../core/report/gate/terminal.ts";
import { screenJson, screenText, withoutCommands } from "../core/text/screen.ts";
import { unwritable } from "../machine/sys/files.ts";
import { orNull } from "../machine/sys/or-null.ts";

export function terminalOptions(): TerminalOptions {
  return { width: process.stdout.columns ?? 100, color: isPainted() ? "always" : "never" };
}

const isPainted = (): boolean => process.stdout.isTTY && process.env.NO_COLOR === undefined;

/** Text for people, whatever of it others wrote. */
export function print(text: string): void {
  process.stdout.write(screenText(`${text.trimEnd()}\n`, { painted: isPainted() }));
}

/** A document: to the byte, but where it may go to GitHub's log, which a pipe cannot be told from. */
export function printDocument(text: string): void {
  const isLog = process.env.GITHUB_ACTIONS === "true" && !fstatSync(1).isFile();
  const shown = isLog ? withoutCommands(text) : text;
  const whole = { painted: isPainted(), maxChars: Number.POSITIVE_INFINITY };
  process.stdout.write(process.stdout.isTTY ? screenText(text, whole) : shown);
}

/** Where the person said; null: on standard output. */
export function deliver(text: string, output: string | null, workingFolder: string): void {
  if (output === null) printDocument(text);
  else writeOwn(resolve(workingFolder, output), text);
}

/** `text`: for people; not asked for where JSON is. */
export function show(
  { json }: { json: boolean },
  value: unknown,
  text: (options: TerminalOptions) => string,
  files: readonly string[] = [],
): void {
  if (json) {
    printDocument(`${screenJson(JSON.stringify(value))}\n`);
    return;
  }
  print(text(terminalOptions()));
  if (files.length > 0) print(`\nFiles\n${files.map((file) => `  ${file}`).join("\n")}`);
}

/** A result as its document. */
export async function showKept<R extends { tool: string }>(
  flags: { json: boolean },
  { result, document, files }: Kept<R>,
  more: { details?: true } = {},
): Promise<void> {
  const { renderTerminalDocument } = await import("../core/report/kit/terminal.ts");
  show(
    flags,
    result,
    (options) => renderTerminalDocument(document, { ...more, ...options }),
    files,
  );
}

/** Where the person said; it may be a device. */
export function writeOwn(
  path: string,
  text: string,
  { flag = "w", instead = "leave out --output" } = {},
): void {
  const isNew = orNull(() => lstatSync(path)) === null;
  try {
    // A new file may need its folder; one that somebody named is where they said.
    if (flag === "wx") mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text, { flag });
  } catch (error) {
    // A part would be taken for the whole.
    if (isNew) orNull(() => rmSync(path, { force: true }));
    throw unwritable(path, error, `Name another place, or print it: ${instead}.`);
  }
}
