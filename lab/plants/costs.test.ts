import { describe, expect, test } from "vitest";
import { applyEdit, readTexts, SERVICES } from "../edit.ts";
import { COSTS, costEdit } from "./costs.ts";

describe.each(SERVICES)("in the source of %s as it is", (service) => {
  const before = readTexts(".", service);
  const declares = (text: string, name: string): boolean =>
    new RegExp(`\\b(?:func|fn|static)\\b.*\\b${/\w+$/.exec(name)?.[0]}\\b`).test(text);

  test.each(Object.keys(COSTS))("%s", (name) => {
    const after = applyEdit(before, costEdit(name, service));
    const changed = [...after].filter(([path, text]) => before.get(path) !== text);
    expect(changed).not.toEqual([]);
    for (const [path] of changed) expect(path).not.toMatch(/fault|test/);
    const [planted = "", ...callers] = COSTS[name]?.functions[service] ?? [];
    expect(changed.some(([, text]) => declares(text, planted))).toBe(true);
    for (const one of callers)
      expect([...after.values()].some((text) => declares(text, one))).toBe(true);
  });
});

test("an unknown cost is said to be one", () => {
  expect(() => costEdit("none", "gin-api")).toThrow("no cost is called none");
});
