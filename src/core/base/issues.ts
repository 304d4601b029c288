// Words for schema violations: the path in the file, what stands there, what was expected.
import type { z } from "zod";
import { showValue } from "./show-value.ts";

/** One line for each violation: `rounds[3].scenarios[0].slices: expected array, found "x"`. */
export function describeIssues(error: z.ZodError, input: unknown): string[] {
  // In a file of another kind all else is wrong, too.
  const ofKind = error.issues.filter(({ path }) => path.length === 1 && path[0] === "schema");
  return (ofKind.length > 0 ? ofKind : error.issues).map((issue) => {
    const path = issue.path;
    return `${pathText(path) || "(the whole file)"}: ${issue.message.replace(/^Invalid input: /, "")}${found(path, input, issue.code)}`;
  });
}

/** `scenarios.echo.services[0]`; names that would not read well are quoted: `services["a b"]`. */
export function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((part, i) => {
      if (typeof part === "number") return `[${part}]`;
      const name = String(part);
      if (!/^[\w.-]{1,64}$/.test(name)) return `[${showValue(name)}]`;
      return i === 0 ? name : `.${name}`;
    })
    .join("");
}

function found(path: readonly PropertyKey[], input: unknown, code: string): string {
  if (code === "unrecognized_keys") return "";
  let value: unknown = input;
  for (const part of path) {
    if (typeof value !== "object" || value === null) return "";
    value = (value as Record<PropertyKey, unknown>)[part];
  }
  return value === undefined ? "" : `, found ${showValue(value)}`;
}
