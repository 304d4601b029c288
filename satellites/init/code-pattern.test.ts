import { describe, expect, test } from "vitest";
import {
  anyCase,
  anyOf,
  as,
  code,
  findAll,
  findFirst,
  maybe,
  oneOf,
  WORD,
} from "./code-pattern.ts";

describe("a pattern written as the code that it finds", () => {
  const route = code`${oneOf("app router")}.get( "${as("path", /\/\w*/)}" ${maybe(code`, ${as("handler", WORD)}`)})`;
  test.each<[string, (string | undefined)[] | null]>([
    ['app.get("/a")', ["/a", undefined]],
    ['router.get(\n  "/b" , list)', ["/b", "list"]],
    // Text is no pattern: a dot is a dot.
    ['app_get("/a")', null],
    ['apps.get("/a")', null],
  ])("%j", (text, expected) => {
    const groups = findFirst(text, route)?.groups;
    expect(groups === undefined ? null : [groups.path, groups.handler]).toEqual(expected);
  });

  test("what is found again tells where it is, whatever was looked for before", () => {
    const places = findAll("x = 1; x=2", code`${"x"} = ${as("value", /\d/)}`);
    expect(places.map(({ index, end, groups }) => [index, end, groups.value])).toEqual([
      [0, 5, "1"],
      [7, 10, "2"],
    ]);
    expect(findFirst("x = 3", code`${"x"} = `)?.index).toBe(0);
  });

  test("a name from elsewhere is found as it is, and the first of several that fits", () => {
    expect(findFirst("aXb a.b", code`${"a.b"}`)?.index).toBe(4);
    expect(findFirst("net.PORT", code`.${anyCase("port")}`)?.index).toBe(3);
    const either = anyOf(code`a${as("name", /1/)}`, code`b${as("name", /2/)}`);
    expect(findAll("a1 b2 a2", either).map(({ groups }) => groups.name)).toEqual(["1", "2"]);
  });
});
