// What a service's `before` printed, or was answered -> its values by name. What is wrong is told
// without a word of it. Pure.
import { tryJson } from "../base/try-json.ts";
import type { Values } from "./fill-values.ts";

export const VALUE_NAME = /^[A-Za-z][A-Za-z0-9_]*$/;

type ParsedValues = { ok: true; values: Values } | { ok: false; why: string };

export function parseValues(printed: string): ParsedValues {
  const value = tryJson(printed);
  if (value === undefined) return { ok: false, why: "its standard output is not JSON" };
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return { ok: false, why: "its standard output is JSON, but no object" };
  }
  const entries = Object.entries(value);
  const unnamed = entries.findIndex(([name]) => !VALUE_NAME.test(name));
  if (unnamed !== -1) {
    const why = `name ${unnamed + 1} in its object is not made of letters, digits and underscores, or does not start with a letter`;
    return { ok: false, why };
  }
  const wrong = entries.find(([, text]) => typeof text !== "string" || text === "");
  if (wrong !== undefined) {
    return { ok: false, why: `its ${wrong[0]} is ${wrong[1] === "" ? "empty" : "no string"}` };
  }
  return { ok: true, values: Object.fromEntries(entries) };
}

/** `places` such as `user.token` in an answer of JSON, by name. */
export function pickValues(
  answered: string,
  places: Readonly<Record<string, string>>,
): ParsedValues {
  const answer = tryJson(answered, numbersAsWritten);
  if (answer === undefined) return { ok: false, why: "the answer is not JSON" };
  const values: Record<string, string> = {};
  for (const [name, place] of Object.entries(places)) {
    const found = place.split(".").reduce(inside, answer);
    if (found === undefined)
      return { ok: false, why: `values.${name}: the answer has no ${place}` };
    if (typeof found !== "string" || found === "") {
      const what = found === "" ? "empty" : `${kindOf(found)}, expected text or a number`;
      return { ok: false, why: `values.${name}: ${place} of the answer is ${what}` };
    }
    values[name] = found;
  }
  return { ok: true, values };
}

/** As text: an id may have more digits than a number keeps. */
function numbersAsWritten(_: string, value: unknown, context?: { source?: string }): unknown {
  return typeof value === "number" ? context?.source : value;
}

function inside(value: unknown, key: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  return Object.entries(value).find(([name]) => name === key)?.[1];
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "a mapping" : "true or false";
}
