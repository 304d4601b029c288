// A value as reading it back from its file would give it: with every default, and keys in the
// schema's order. What is derived from a value in memory is then the same, to the byte, as what is
// derived from its file.
import type { z } from "zod";

export function asWritten<T>(schema: z.ZodType<T>, value: T): T {
  return schema.parse(JSON.parse(JSON.stringify(value)));
}
