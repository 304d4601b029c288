// An answer as JSON without ignored paths, and where two differ; the order of keys does not count.
import type { JsonDifference, JsonSeen } from "../model/samples.ts";

interface JsonAnswer {
  /** Without what is ignored, its keys sorted. */
  value: unknown;
  /** The same as text: equal for equal values. */
  canonical: string;
}

/** Characters of a value and of a path that are shown. */
const SHOWN_VALUE = 60;
const SHOWN_PATH = 200;

/** `ignore`: paths such as `items.*.createdAt`. Null: no JSON, or nested too deeply. */
export function readJsonAnswer(text: string, ignore: readonly string[]): JsonAnswer | null {
  try {
    const ignored = ignore.map((path) => path.split("."));
    const value = prepare(JSON.parse(text), ignored);
    return { value, canonical: JSON.stringify(value) };
  } catch {
    return null;
  }
}

function prepare(value: unknown, paths: readonly string[][]): unknown {
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).flatMap(([key, item]): [string, unknown][] => {
    const inside = paths.filter(([first]) => first === key || first === "*");
    if (inside.some(({ length }) => length === 1)) return [];
    const further = inside.map((path) => path.slice(1));
    return [[key, prepare(item, further)]];
  });
  if (Array.isArray(value)) return entries.map(([, item]) => item);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The first path at which two prepared values differ; null: none. `mask` hides secrets. */
export function firstDifference(
  candidate: unknown,
  reference: unknown,
  mask: (text: string) => string = (text) => text,
): JsonDifference | null {
  const found = difference(candidate, reference, []);
  if (found === null) return null;
  const path = found.path.map((key) => JSON.stringify(key).slice(1, -1)).join(".");
  const shown = (value: unknown): JsonSeen => {
    const { kind, text } = seenOf(value);
    return { kind, text: shortened(mask(text), SHOWN_VALUE) };
  };
  return {
    path: shortened(mask(path), SHOWN_PATH),
    candidate: shown(found.candidate),
    reference: shown(found.reference),
  };
}

interface Found {
  path: string[];
  /** Undefined: it is not there. */
  candidate: unknown;
  reference: unknown;
}

type Fields = Record<string, unknown>;

function difference(candidate: unknown, reference: unknown, path: string[]): Found | null {
  const kind = kindOf(candidate);
  if (kind !== kindOf(reference)) return { path, candidate, reference };
  if (kind !== "array" && kind !== "object") {
    return candidate === reference ? null : { path, candidate, reference };
  }
  const [ours, theirs] = [candidate, reference] as [Fields, Fields];
  const keys = [...new Set([...Object.keys(ours), ...Object.keys(theirs)])];
  if (kind === "array" && Object.keys(ours).length !== Object.keys(theirs).length) {
    return { path, candidate, reference };
  }
  for (const key of kind === "array" ? keys : keys.sort()) {
    const at = (side: Fields): unknown => (Object.hasOwn(side, key) ? side[key] : undefined);
    const inside = difference(at(ours), at(theirs), [...path, key]);
    if (inside !== null) return inside;
  }
  return null;
}

function kindOf(value: unknown): JsonSeen["kind"] {
  if (value === undefined) return "absent";
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value as "boolean" | "number" | "string" | "object";
}

/** Of an array or an object how many are in it; else the value as JSON. */
function seenOf(value: unknown): JsonSeen {
  const kind = kindOf(value);
  if (kind === "absent") return { kind, text: "" };
  const isPlain = kind !== "array" && kind !== "object";
  const text = isPlain ? JSON.stringify(value) : String(Object.keys(value as object).length);
  return { kind, text };
}

function shortened(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most)}…`;
}
