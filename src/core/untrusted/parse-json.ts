// JSON from an untrusted source: one pass bounds its size and refuses duplicate keys and
// `__proto__` before JSON.parse.
import { messageOf } from "../base/errors.ts";
import type { JsonLimits } from "../model/manifest.ts";
import { type Problem, problem } from "./problem.ts";

/** `elements`: of the list that was to be set apart, which `value` has without them. */
type ParsedJson = { kind: "json"; value: unknown; elements: Iterable<unknown> } | Problem;

/**
 * `name` is the file's, for messages. `apart`: the key of a list in the whole whose elements are
 * parsed when they are asked for, one by one: all at once they would take several times the text's
 * room. One that is no JSON throws then.
 */
export function parseUntrustedJson(
  text: string,
  name: string,
  limits: JsonLimits,
  apart: string | null = null,
): ParsedJson {
  const cuts: number[] = [];
  const trouble = inspect(text, limits, apart, cuts);
  if (trouble !== null) return problem(`${name}: ${trouble}`);
  const [from = 0] = cuts;
  try {
    const value = JSON.parse(text.slice(0, from) + text.slice(cuts.at(-1) ?? from));
    return { kind: "json", value, elements: parseBetween(text, cuts) };
  } catch (error) {
    return problem(`${name} is not JSON: ${messageOf(error)}`);
  }
}

function* parseBetween(text: string, cuts: readonly number[]): Generator<unknown> {
  const [from = 0, to = 0] = cuts;
  if (cuts.length === 2 && text.slice(from, to).trim() === "") return;
  for (const [i, end] of cuts.slice(1).entries()) {
    yield JSON.parse(text.slice((cuts[i] ?? 0) + (i === 0 ? 0 : 1), end));
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * What exceeds the limits, in words; null: nothing. Knows just enough grammar to tell keys from
 * values. `cuts` is filled with where the list under `apart` begins, its commas, and its end.
 */
function inspect(
  text: string,
  limits: JsonLimits,
  apart: string | null,
  cuts: number[],
): string | null {
  /** What is around the current place; `keys` is null for an array. */
  const open: { keys: Set<string> | null; members: number }[] = [];
  let values = 0;
  let expectsKey = false;
  let isNamed = false;
  let isInList = false;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE: {
        const end = endOfString(text, at);
        if (end - at > limits.stringLength) {
          return `a string is longer than ${limits.stringLength} characters`;
        }
        const keys = open.at(-1)?.keys ?? null;
        if (expectsKey && keys !== null) {
          const key = keyOf(text.slice(at, end));
          if (key === "__proto__") return "a key is __proto__";
          if (keys.has(key))
            return `the key ${JSON.stringify(key.slice(0, 80))} stands twice in one object`;
          keys.add(key);
          if (open.length === 1) isNamed = key === apart;
        }
        expectsKey = false;
        at = end - 1;
        break;
      }
      case OPEN_ARRAY:
      case OPEN_OBJECT:
        if (isNamed && open.length === 1 && text.charCodeAt(at) === OPEN_ARRAY) {
          isInList = true;
          cuts.push(at + 1);
        }
        expectsKey = text.charCodeAt(at) === OPEN_OBJECT;
        open.push({ keys: expectsKey ? new Set() : null, members: 1 });
        values++;
        if (open.length > limits.depth) return `nested more than ${limits.depth} levels deep`;
        break;
      case CLOSE_ARRAY:
      case CLOSE_OBJECT:
        if (isInList && open.length === 2) {
          isInList = false;
          cuts.push(at);
        }
        open.pop();
        expectsKey = false;
        break;
      case COMMA: {
        if (isInList && open.length === 2) cuts.push(at);
        const around = open.at(-1);
        expectsKey = around !== undefined && around.keys !== null;
        values++;
        if (around !== undefined && ++around.members > limits.members) {
          return `a list or an object has more than ${limits.members} members`;
        }
        break;
      }
    }
    if (values > limits.values) return `more than ${limits.values} values`;
  }
  return null;
}

/** The place after the closing quote, or the end of the text. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at + 1;
    if (code === BACKSLASH) at++;
  }
  return text.length;
}

/** `"\u0061"` is the key `a`. What is no JSON string stands for itself. */
function keyOf(quoted: string): string {
  if (!quoted.includes("\\")) return quoted.slice(1, -1);
  try {
    return String(JSON.parse(quoted));
  } catch {
    return quoted;
  }
}
