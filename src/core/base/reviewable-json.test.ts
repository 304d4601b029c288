import { expect, test } from "vitest";
import { renderReviewableJson } from "./reviewable-json.ts";

test("lists of numbers take one line, all else its own", () => {
  const value = { a: [1, -2.5, 3e-7], b: ["x", "y"], c: [], d: [[1, 2], [3]], e: { f: [4] } };
  const text = renderReviewableJson(value);
  expect(JSON.parse(text)).toEqual(value);
  expect(text).toBe(`{
  "a": [1, -2.5, 3e-7],
  "b": [
    "x",
    "y"
  ],
  "c": [],
  "d": [
    [1, 2],
    [3]
  ],
  "e": {
    "f": [4]
  }
}
`);
});
