// Sample environments and compose files: which variables a service is given, on which port others
// expect it, what runs beside it. Pure, and forgiving.
import { parseDocument } from "yaml";

export interface Sample {
  /** Null: the value is not written down. */
  value: string | null;
  seenIn: string;
}

export interface Samples {
  variables: ReadonlyMap<string, Sample>;
  /** Inside the container. */
  ports: readonly { port: number; seenIn: string }[];
  /** Names of images without registry and tag, such as mysql. */
  images: readonly { name: string; seenIn: string }[];
}

/** Longer than any that a person wrote. */
const MOST_COMPOSE_CHARS = 32_768;

const NO_SAMPLES: Samples = { variables: new Map(), ports: [], images: [] };

/** `NAME=value` lines. */
export function parseSampleEnvironment(text: string, seenIn: string): Samples {
  const variables = new Map<string, Sample>();
  for (const [, name = "", rest = ""] of text.matchAll(
    /^\s*(?:export\s+)?([A-Z][A-Z0-9_]*)\s*=(.*)$/gm,
  )) {
    const quoted = /^\s*(["'])(.*)\1/.exec(rest)?.[2];
    variables.set(name, { value: quoted ?? rest.replace(/\s#.*$/, "").trim(), seenIn });
  }
  return { ...NO_SAMPLES, variables };
}

/** The services that are built from this folder, or all that are built, and what runs beside them. */
export function parseCompose(
  text: string,
  seenIn: string,
  isBuiltHere: (context: string) => boolean,
): Samples {
  if (text.length > MOST_COMPOSE_CHARS) return NO_SAMPLES;
  const services = Object.values(recordOf(recordOf(parseLeniently(text)).services)).map(recordOf);
  const built = services.filter(({ build }) => build !== undefined);
  const here = built.filter(({ build }) => isBuiltHere(contextOf(build)));
  const own = here.length > 0 ? here : built.length === 1 ? built : [];
  const variables = new Map<string, Sample>();
  for (const service of own) {
    for (const [name, value] of environmentOf(service.environment))
      variables.set(name, { value, seenIn });
  }
  return {
    variables,
    ports: own.flatMap((service) =>
      containerPorts(service.ports).map((port) => ({ port, seenIn })),
    ),
    // Beside several services, whose they are is not known.
    images: (built.length === 1 ? services : []).flatMap(({ image }) =>
      typeof image === "string"
        ? [{ name: image.replace(/[:@].*$/, "").replace(/^.*\//, ""), seenIn }]
        : [],
    ),
  };
}

/** What is on the right goes before what is on the left. */
export function mergedSamples(all: readonly Samples[]): Samples {
  return {
    variables: new Map(all.flatMap(({ variables }) => [...variables])),
    ports: all.flatMap(({ ports }) => ports),
    images: all.flatMap(({ images }) => images),
  };
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

function environmentOf(value: unknown): [string, string | null][] {
  const listed = listOf(value).flatMap((line): [string, string | null][] => {
    const [, name, rest] = /^([A-Z][A-Z0-9_]*)(?:=(.*))?$/s.exec(String(line)) ?? [];
    return name === undefined ? [] : [[name, rest ?? null]];
  });
  const mapped = Object.entries(recordOf(value)).flatMap(
    ([name, one]): [string, string | null][] =>
      /^[A-Z][A-Z0-9_]*$/.test(name) ? [[name, one === null ? null : String(one)]] : [],
  );
  return [...listed, ...mapped];
}

function containerPorts(value: unknown): number[] {
  return listOf(value).flatMap((one) => {
    const target = recordOf(one).target ?? one;
    const port = Number(/(\d{1,5})(?:\/tcp)?$/.exec(String(target))?.[1]);
    return Number.isInteger(port) && port >= 1 && port <= 65535 ? [port] : [];
  });
}
