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

/**
 * A path that no service knows, `/api/search?q=1` → `/api/zqxjkv?q=1`: as long, so that a page which
 * says what was asked for is as long too, and with the same ending, by which files are told from pages.
 */
export function unknownBeside(path: string): string {
  const unknown = (name: string): string => "".padEnd(name.length || 8, "zqxjkv");
  return path.replace(/(?<=^[^?]*\/)[^/?.]*(?![^?]*\/)/, unknown);
}

/** By these, which stay where a page says when, or what for, it was asked. */
const LOOK = ["status", "contentType", "bytes"] as const;
type Look = { [key in (typeof LOOK)[number]]?: Answer[key] | null } | null | undefined;

export function looksAlike(one: Look, other: Look): boolean {
  return LOOK.every((key) => one?.[key] === other?.[key]);
}
