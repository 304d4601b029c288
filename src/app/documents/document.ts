// How every document of ours is read and written: strictly, whole, and in words where one cannot be
// used.
import { readFileSync, statSync } from "node:fs";
import type { z } from "zod";
import { type FailureKind, messageOf, UserError } from "../../core/base/errors.ts";
import { describeIssues } from "../../core/base/issues.ts";
import { reasonOf } from "../config/small-file.ts";

/**
 * A run of 60 rounds and 10 scenarios is about 20 MB; anything far beyond was not written by us.
 */
const MAX_BYTES = 256 * 1024 * 1024;

export interface DocumentKind<T> {
  schema: z.ZodType<T>;
  /** For messages: `samples file`. */
  what: string;
  /** What to do about one that cannot be used. */
  next: string;
  /** Default: usage. */
  failure?: FailureKind;
}

export type DocumentWords = Omit<DocumentKind<unknown>, "schema">;

export function readDocument<T>(path: string, kind: DocumentKind<T>): T {
  return parseDocument(readText(path, kind), path, kind);
}

/** Keys are in the schema's order. `path` is for messages. */
export function parseDocument<T>(text: string, path: string, kind: DocumentKind<T>): T {
  const { schema, what, next, failure } = kind;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new UserError(`${path} is not JSON: ${messageOf(error)}`, { next }, failure);
  }
  const parsed = schema.safeParse(value);
  if (parsed.success && !hasBeyond(value)) return parsed.data;
  if (parsed.success) {
    throw new UserError(`${path} has a number beyond all that is measured`, { next }, failure);
  }
  const [first = "", ...rest] = describeIssues(parsed.error, value);
  throw new UserError(
    `${path} is not a ${what} of this version: ${first}`,
    { detail: rest.slice(0, 9).join("\n"), next },
    failure,
  );
}

/** No quantity of ours is larger in its unit, and what is made of such numbers stays finite. */
const MOST = 1e15;

function hasBeyond(value: unknown): boolean {
  if (typeof value === "number") return Math.abs(value) > MOST;
  return typeof value === "object" && value !== null && Object.values(value).some(hasBeyond);
}

/** A file's text, with a limit on its size. */
export function readText(path: string, kind: DocumentWords): string {
  const { what, next, failure } = kind;
  const refuse = (why: string): never => {
    throw new UserError(`cannot read the ${what} ${path}: ${why}`, { next }, failure);
  };
  const bytes = tryRead(path);
  if (typeof bytes === "string") return refuse(bytes);
  if (bytes.subarray(0, 2).toString("latin1") === "\x1f\x8b") {
    return refuse("it is compressed: gunzip it first");
  }
  if (bytes.subarray(0, 4).toString("latin1") === "PK\x03\x04") {
    return refuse("it is a zip archive: unzip it first");
  }
  return bytes.toString("utf8");
}

/** A pipe may be read, too. A text says why the file cannot be. */
function tryRead(path: string): Buffer | string {
  try {
    const facts = statSync(path);
    if (facts.isDirectory()) return "it is a folder";
    if (facts.size > MAX_BYTES) return `it is larger than ${MAX_BYTES / 1024 / 1024} MiB`;
    return readFileSync(path);
  } catch (error) {
    return reasonOf(error);
  }
}
