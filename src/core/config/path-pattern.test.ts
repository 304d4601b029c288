import { expect, test } from "vitest";
import { problemOfPathPattern } from "./path-pattern.ts";

test("patterns that paths can be drawn from", () => {
  for (const pattern of [
    "/users/[1-9][0-9]{0,4}",
    "/users/[1-9][0-9]?\\?cache=(true|false)",
    "/v1\\.2/(?:a|b)+/[a-z.$^]{3}",
    "/plain",
    "/back\\\\slash",
  ]) {
    expect(problemOfPathPattern(pattern), pattern).toBeNull();
  }
});

test("patterns that would send what nobody meant", () => {
  const check = (pattern: string, why: string): void => {
    expect(problemOfPathPattern(pattern), pattern).toContain(why);
  };
  check("/a(", "expected a regular expression");
  check("/users/.*", "or \\. for a dot");
  check("/v1.2", "or \\. for a dot");
  check("/users/\\d+", "\\d is not known here");
  check("/(a|b)/\\1", "\\1 is not known here");
  check("/[^/]+", "list those that may occur");
  check("/^users$", "leave out ^ and $");
  check("/(?=a)b", "only (…) and (?:…)");
  check("/(?<id>[0-9])", "only (…) and (?:…)");
  check("/users/[0-9]?cache=true", "\\? where the query begins");
});
