import { expect, test } from "vitest";
import { changedPath } from "./sent-path.ts";

test.each<[string, string | null]>([
  ["/", null],
  ["/a%20b//c;d^e|f$g!h'i(j)k*l+m,n:o@p[q]%2F~?c=d&e=[f]&g=^{}|`\\/?:@", null],
  ["/a?", null],
  ["//double", null],
  ["/a/../b/./c//d", "/b/c//d"],
  ["/%2e%2e/a", "/a"],
  ["/a#b", "/a"],
  ["/a?b#", "/a?b"],
  ['/"', "/%22"],
  ["/a?'", "/a?%27"],
  ["/a\\b", "/a/b"],
  ["/{a}", "/%7Ba%7D"],
  ["/<`>", "/%3C%60%3E"],
  ["paths.txt", null],
  [".!!str paths.txt", null],
])("%s is sent as it is, or as %s", (path, sent) => {
  expect(changedPath(path)).toBe(sent);
});
