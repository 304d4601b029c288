// What is wrong with a configuration, in words: which value, what it is, what was expected, the
// name that was probably meant.
import type { z } from "zod";
import { UserError } from "../base/errors.ts";
import { nearest } from "../base/nearest.ts";
import { showValue } from "../base/show-value.ts";
import type { Path, Position } from "./yaml-document.ts";

/** A problem with one value, before it is known where in the file that stands. */
export interface Problem {
  path: Path;
  /** Whether to point at the key or at its value. */
  at: "key" | "value";
  text: string;
}

/** A problem as it is shown. */
interface PlacedProblem {
  position: Position;
  /** `scenarios.echo.rate`; empty for what is wrong with the YAML itself. */
  path: string;
  text: string;
}

/** How resolving rooms report; the value pointed at unless told otherwise. */
export type Report = (path: Path, text: string, at?: "key" | "value") => void;

/** Reports of what stands inside `path`. */
export function within(report: Report, ...path: Path): Report {
  return (inner, text, at) => report([...path, ...inner], text, at);
}

const MAX_SHOWN_PROBLEMS = 50;
const MAX_LISTED_NAMES = 12;

/** All that is wrong with one file. */
export class ConfigError extends UserError {
  readonly file: string;
  readonly problems: readonly PlacedProblem[];

  constructor(file: string, problems: readonly PlacedProblem[]) {
    const sorted = [...problems].sort(
      (a, b) => a.position.line - b.position.line || a.position.column - b.position.column,
    );
    const lines = sorted.map(
      ({ position, path, text }) =>
        `${file}:${position.line}:${position.column}: ${path === "" ? "" : `${path}: `}${text}`,
    );
    const [only = ""] = lines;
    if (lines.length === 1) {
      super(only);
    } else {
      const left = lines.length - MAX_SHOWN_PROBLEMS;
      const shown = lines.slice(0, MAX_SHOWN_PROBLEMS);
      super(`${file}: ${lines.length} errors`, {
        detail: [...shown, ...(left > 0 ? [`and ${left} more`] : [])].join("\n"),
      });
    }
    this.name = "ConfigError";
    this.file = file;
    this.problems = sorted;
  }
}

/** `unknown service "apo"; did you mean "api"?` */
export function unknownName(what: string, name: string, known: readonly string[]): string {
  const hint = didYouMean(name, known) || `; known: ${listNames(known)}`;
  return `unknown ${what} ${showValue(name)}${hint}`;
}

/** `there is no service "apo"; did you mean "api"?` */
export function noSuch(what: string, name: string, known: readonly string[]): string {
  return `there is no ${what} ${showValue(name)}${didYouMean(name, known)}`;
}

/** Empty: nothing that is near. */
function didYouMean(name: string, known: readonly string[]): string {
  const meant = nearest(name, known);
  return meant === null ? "" : `; did you mean "${meant}"?`;
}

function listNames(names: readonly string[]): string {
  const more = names.length - MAX_LISTED_NAMES;
  return names.slice(0, MAX_LISTED_NAMES).join(", ") + (more > 0 ? ` and ${more} more` : "");
}

/** The value that stands at `path`, as its schema has it; undefined: what is wrong was reported. */
export function parseAt<T>(
  schema: z.ZodType<T>,
  value: unknown,
  path: Path,
  report: Report,
): T | undefined {
  const { data, error } = schema.safeParse(value);
  const own = within(report, ...path);
  const problems = error?.issues.flatMap((issue) => describeIssue(issue, [], value)) ?? [];
  for (const problem of problems) own(problem.path, problem.text, problem.at);
  return data;
}

function describeIssue(issue: z.core.$ZodIssue, parent: Path, root: unknown): Problem[] {
  const path: Path = [...parent, ...(issue.path as (string | number)[])];
  if (issue.code === "unrecognized_keys") {
    const known = issue.message.split(" ");
    return issue.keys.map((key) => ({
      path: [...path, key],
      at: "key",
      text: unknownName("key", key, known),
    }));
  }
  if (issue.code === "invalid_union") {
    // The alternative that was meant is the one whose type fits; its own complaints say more than
    // "one of these".
    const [meant, ...others] = issue.errors.filter((issues) => !issues.every(isOtherType));
    if (meant !== undefined && others.length === 0) {
      return meant.flatMap((inner) => describeIssue(inner, path, root));
    }
  }
  if (issue.code === "invalid_key") {
    const expected = issue.issues[0]?.message ?? "";
    const text = `${showValue(path.at(-1))} is not a name; expected ${expected}`;
    return [{ path, at: "key", text }];
  }
  const value = valueAt(root, path);
  const found = value === undefined ? "missing" : `got ${showValue(value)}`;
  return [{ path, at: "value", text: `${found}, expected ${issue.message}` }];
}

function isOtherType(issue: z.core.$ZodIssue): boolean {
  return issue.code === "invalid_type" && issue.path.length === 0;
}

function valueAt(root: unknown, path: Path): unknown {
  let value = root;
  for (const part of path) {
    if (typeof value !== "object" || value === null) return undefined;
    value = Object.hasOwn(value, part) ? (value as Record<string, unknown>)[part] : undefined;
  }
  return value;
}
