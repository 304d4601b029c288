// Sample environments and compose files: which variables a service is given. Pure, and forgiving.
import { parseDocument } from "yaml";

export interface Sample {
  /** Null: the value is not written down. */
  value: string | null;
  seenIn: string;
}

/** By the variable's name. */
export type Samples = ReadonlyMap<string, Sample>;

/** Longer than any that a person wrote. */
const MOST_COMPOSE_CHARS = 32_768;

/** `NAME=value` lines. */
export function parseSampleEnvironment(text: string, seenIn: string): Samples {
  const variables = new Map<string, Sample>();
  for (const [, name = "", rest = ""] of text.matchAll(
    /^\s*(?:export\s+)?([A-Z][A-Z0-9_]*)\s*=(.*)$/gm,
  )) {
    const quoted = /^\s*(["'])(.*)\1/.exec(rest)?.[2];
    variables.set(name, { value: quoted ?? rest.replace(/\s#.*$/, "").trim(), seenIn });
  }
  return variables;
}

/** Of the services that are built from this folder, or of the only one that is built. */
export function parseCompose(
  text: string,
  seenIn: string,
  isBuiltHere: (context: string) => boolean,
): Samples {
  if (text.length > MOST_COMPOSE_CHARS) return new Map();
  const services = Object.values(recordOf(recordOf(parseLeniently(text)).services)).map(recordOf);
  const built = services.filter(({ build }) => build !== undefined);
  const here = built.filter(({ build }) => isBuiltHere(contextOf(build)));
  const own = here.length > 0 || built.length > 1 ? here : built;
  return new Map(
    own
      .flatMap(({ environment }) => environmentOf(environment))
      .map(([name, value]) => [name, { value, seenIn }]),
  );
}

export function parseLeniently(text: string): unknown {
  try {
    // Where each of many errors stands would take longer than all else.
    const document = parseDocument(text, { logLevel: "silent", prettyErrors: false });
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

function contextOf(build: unknown): string {
  const context = typeof build === "string" ? build : recordOf(build).context;
  return typeof context === "string" ? context : ".";
}

/** A list of `NAME=value`, or a mapping. */
function environmentOf(value: unknown): [string, string | null][] {
  const listed = listOf(value).map((line): [string, string | null] => {
    const [, name = "", rest = null] = /^(\w+)(?:=(.*))?$/s.exec(String(line)) ?? [];
    return [name, rest];
  });
  const mapped = Object.entries(recordOf(value)).map(([name, one]): [string, string | null] => [
    name,
    one === null ? null : String(one),
  ]);
  return [...listed, ...mapped].filter(([name]) => /^[A-Z][A-Z0-9_]*$/.test(name));
}
