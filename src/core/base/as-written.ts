// A value as reading it back from its file would give it, to the byte.
import type { z } from "zod";

export function asWritten<T>(schema: z.ZodType<T>, value: T): T {
  return schema.parse(JSON.parse(JSON.stringify(value)));
}
