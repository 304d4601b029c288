// Sample environments: which variables a service is given. Pure, and forgiving.
import { parseDocument } from "yaml";

export interface Sample {
  /** Null: the value is not written down. */
  value: string | null;
  seenIn: string;
}

/** By the variable's name. */
export type Samples = ReadonlyMap<string, Sample>;

/** `NAME=value` lines. */
export function parseSampleEnvironment(text: string, seenIn: string): Samples {
  const variables = new Map<string, Sample>();
  for (const [, name = "", rest = ""] of text.matchAll(
    /^[ \t]*(?:export\s+)?([A-Z][A-Z0-9_]*)\s*=(.*)$/gm,
  )) {
    // A quote that is not closed goes on in the next lines.
    const value = /^\s*["']/.test(rest)
      ? (/^\s*(["'])(.*?)\1\s*(?:#.*)?$/.exec(rest)?.[2] ?? null)
      : rest.replace(/\s#.*$/, "").trim();
    variables.set(name, { value, seenIn });
  }
  return variables;
}

export function parseLeniently(text: string): unknown {
  try {
    // Where each of many errors stands would take longer than all else.
    const document = parseDocument(text, { merge: true, logLevel: "silent", prettyErrors: false });
    return document.errors.length > 0 ? null : document.toJS({ maxAliasCount: 100 });
  } catch {
    return null;
  }
}

export function recordOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}

export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
