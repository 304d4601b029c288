// Keys of files that had another name before: what was written then is still read.
import { z } from "zod";

/** The schema, for objects that have `was` where it wants `is`. */
export function formerly<S extends z.ZodType>(
  { was, is }: { was: string; is: string },
  schema: S,
): z.ZodPreprocess<S> {
  return z.preprocess((value) => {
    if (typeof value !== "object" || value === null || !(was in value) || is in value) return value;
    const { [was]: kept, ...rest } = value as Record<string, unknown>;
    return { ...rest, [is]: kept };
  }, schema);
}

/** The schema, for objects that may have keys which no longer mean anything. */
export function without<S extends z.ZodType>(
  keys: readonly string[],
  schema: S,
): z.ZodPreprocess<S> {
  return z.preprocess((value) => {
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key)));
  }, schema);
}

/** The non-inferiority margin was called a promise. */
export const MARGIN = { was: "promise", is: "margin" } as const;
/** The value that nine in ten do not exceed was called the ninth. */
export const P90 = { was: "ninth", is: "p90" } as const;
export const P90_MS = { was: "ninthMs", is: "p90Ms" } as const;
