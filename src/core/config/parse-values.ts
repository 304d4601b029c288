// What a service's `before` printed -> its values by name. What is wrong is told without a word of
// it. Pure.
import type { Values } from "./fill-values.ts";

const NAME = /^[A-Za-z][A-Za-z0-9_]*$/;

type ParsedValues = { ok: true; values: Values } | { ok: false; why: string };

export function parseValues(printed: string): ParsedValues {
  let value: unknown;
  try {
    value = JSON.parse(printed);
  } catch {
    return { ok: false, why: "its standard output is not JSON" };
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return { ok: false, why: "its standard output is JSON, but no object" };
  }
  const entries = Object.entries(value);
  const unnamed = entries.findIndex(([name]) => !NAME.test(name));
  if (unnamed !== -1) {
    return {
      ok: false,
      why: `name ${unnamed + 1} in its object is not made of letters, digits and underscores, or does not start with a letter`,
    };
  }
  const wrong = entries.find(([, text]) => typeof text !== "string" || text === "");
  if (wrong !== undefined) {
    return { ok: false, why: `its ${wrong[0]} is ${wrong[1] === "" ? "empty" : "no string"}` };
  }
  return { ok: true, values: Object.fromEntries(entries) };
}
