import { expect, test } from "vitest";
import { looksAlike, unknownBeside } from "./one-answer.ts";

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

const PAGE = { status: 200, contentType: "text/html", bytes: 52 };

test.each([
  [PAGE, true],
  [{ ...PAGE, bytes: 54 }, true],
  [{ ...PAGE, bytes: 56 }, false],
  [{ ...PAGE, contentType: null }, false],
  [{ ...PAGE, status: 404 }, false],
  [undefined, false],
])("beside a page of 52 bytes, one with %o", (other, expected) => {
  expect(looksAlike(PAGE, other)).toBe(expected);
});
