// What one answer says: whether it is as configured, or a page for every path that a service does not
// know. Apart from its schemas, of which a reader needs none.
import type { Answer } from "./samples.ts";
import type { TriedScenario, TriedService } from "./try.ts";

/** Each answer was the expected one. */
export function isAsExpected({ answers }: TriedScenario): boolean {
  return answers.every(({ status, expected }) => status === expected);
}

export function isAsConfigured({ launch, scenarios }: TriedService): boolean {
  return launch.kind === "ready" && scenarios.every(isAsExpected);
}

const LAST_PART = /(?<=^[^?]*\/)[^/?.]*(?![^?]*\/)/;
/**
 * A path that no service knows, `/api/search?q=1` → `/api/zqxjkv?q=1`: as long, so that a page which
 * says what was asked for is as long too, and with the same ending, by which files are told from pages.
 */
export function unknownBeside(path: string): string {
  return path.replace(LAST_PART, ({ length }) => "".padEnd(length || 8, "zqxjkv"));
}

/** A page that says when, or what for, it was asked: numbers are not always written as long. */
const VARIES_BYTES = 3;
type Look = { [key in "status" | "contentType" | "bytes"]?: Answer[key] | null } | null | undefined;

export function looksAlike(one: Look, other: Look): boolean {
  const isOfOneKind = one?.status === other?.status && one?.contentType === other?.contentType;
  return isOfOneKind && Math.abs((one?.bytes ?? 0) - (other?.bytes ?? 0)) <= VARIES_BYTES;
}
