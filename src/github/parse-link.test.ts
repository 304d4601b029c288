import { expect, test } from "vitest";
import { parseNextLink } from "./parse-link.ts";

const CASES: readonly [name: string, header: string | null, next: string | null][] = [
  ["no header", null, null],
  ["an empty header", "", null],
  [
    "GitHub's first page",
    '<https://api.github.com/repositories/1/issues?page=2>; rel="next", <https://api.github.com/repositories/1/issues?page=9>; rel="last"',
    "https://api.github.com/repositories/1/issues?page=2",
  ],
  [
    "GitHub's last page",
    '<https://api.github.com/x?page=1>; rel="first", <https://api.github.com/x?page=8>; rel="prev"',
    null,
  ],
  [
    "commas in the address",
    '<https://a.invalid/?labels=a,b&page=1>; rel="prev", <https://a.invalid/?labels=a,b&page=3>; rel="next"',
    "https://a.invalid/?labels=a,b&page=3",
  ],
  ["without quotes", "<https://a.invalid/?page=2>; rel=next", "https://a.invalid/?page=2"],
  ["a relation that only begins so", '<https://a.invalid/>; rel="nextish"', null],
  ["no address", 'rel="next"', null],
];

for (const [name, header, next] of CASES) {
  test(name, () => expect(parseNextLink(header)).toBe(next));
}
