// What the schemas of values are made of. Measured numbers are bounded on entry so that whatever is
// derived from them is finite.
import * as z from "zod";

export const count = z.int().min(0);
export const text = z.string();
export const number = z.number();
export const positiveInt = z.int().positive();

/** Natural log of candidate / reference, or of another pair. Null bounds are infinite: too few rounds. */
export const logRatio = z.number();
export const logBounds = { low: logRatio.nullable(), high: logRatio.nullable() };

/** A member of a union that `code` tells apart. */
export const coded = <C extends string, S extends z.ZodRawShape>(code: C, shape: S) =>
  z.strictObject({ code: z.literal(code), ...shape });

const MOST = 1e15;

/** Any quantity in its unit; below zero where it is a difference. */
export const bounded = z.number().min(-MOST).max(MOST);

/** One of which a ratio is taken. */
export const launchValue = bounded.refine(
  (value) => value === 0 || Math.abs(value) >= 1e-6,
  "expected 0 or at least 1e-6",
);

/** Clocks resolve a nanosecond at most. */
export const micros = bounded
  .min(0)
  .refine((value) => value === 0 || value >= 1e-3, "expected 0 or at least 0.001");
