import { expect, test } from "vitest";
import { checkLengths } from "./limits.ts";

type Texts = Parameters<typeof checkLengths>[1];

const CASES: readonly [name: string, texts: Texts, refusal: string | null][] = [
  ["a body of the limit", { body: "x".repeat(65_536) }, null],
  ["a body beyond it", { body: "x".repeat(65_537) }, "the body has 65,537 characters"],
  ["emoji count once", { body: "🚀".repeat(65_536) }, null],
  ["but they count", { body: "🚀".repeat(65_537) }, "the body has 65,537 characters"],
  ["a description of the limit", { description: "x".repeat(140) }, null],
  ["a description beyond it", { description: "x".repeat(141) }, "GitHub takes 140"],
  ["a context beyond its limit", { context: "x".repeat(256) }, "GitHub takes 255"],
  ["a title beyond its limit", { title: "x".repeat(257) }, "GitHub takes 256"],
  ["nothing", {}, null],
];

test.each(CASES)("%s", (_, texts, refusal) => {
  const check = () => checkLengths("createComment", texts);
  if (refusal === null) return check();
  const message = expect.stringContaining(refusal);
  expect(check).toThrow(expect.objectContaining({ reason: "too-large", message }));
});
