import { expect, test } from "vitest";
import { unknownBeside } from "./one-answer.ts";

test.each([
  ["/api/search?q=a/b.c", "/api/zqxjkv?q=a/b.c"],
  ["/v2", "/zq"],
  ["/", "/zqxjkvzq"],
  ["/?page=2", "/zqxjkvzq?page=2"],
  ["/users/", "/users/zqxjkvzq"],
  ["/assets/app.min.js", "/assets/zqx.min.js"],
])("beside %s nobody knows %s", (path, expected) => {
  expect(unknownBeside(path)).toBe(expected);
});
