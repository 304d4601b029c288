// Measured numbers, bounded on entry so that whatever is derived from them is finite.
import { z } from "zod";

const MOST = 1e15;

/** Any quantity in its unit; below zero where it is a difference. */
export const bounded = z.number().min(-MOST).max(MOST);

/** One of which a ratio is taken. */
export const launchValue = bounded.refine(
  (value) => value === 0 || Math.abs(value) >= 1e-6,
  "expected 0 or at least 1e-6",
);

/** Clocks resolve a nanosecond at most. */
export const micros = z
  .number()
  .min(0)
  .max(MOST)
  .refine((value) => value === 0 || value >= 1e-3, "expected 0 or at least 0.001");
