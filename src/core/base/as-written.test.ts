import { expect, test } from "vitest";
import * as z from "zod";
import { asWritten } from "./as-written.ts";

test("keys are in the schema's order, defaults are there, what is undefined is not", () => {
  const schema = z.strictObject({
    first: z.number(),
    second: z.strictObject({ a: z.number(), b: z.number() }),
    third: z.array(z.number()).default([]),
    absent: z.string().optional(),
  });
  const value = { absent: undefined, second: { b: 2, a: 1 }, first: 0 };
  expect(JSON.stringify(asWritten(schema, value as never))).toBe(
    '{"first":0,"second":{"a":1,"b":2},"third":[]}',
  );
});
