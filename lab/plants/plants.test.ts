import { describe, expect, test } from "vitest";
import { applyEdit, readTexts, SERVICES } from "../edit.ts";
import { plantEdit, SOURCE_PLANTS } from "./plants.ts";

describe.each(SERVICES)("in the source of %s as it is", (service) => {
  const before = readTexts(".", service);

  test.each(Object.keys(SOURCE_PLANTS))("%s", (name) => {
    const after = applyEdit(before, plantEdit(name, service));
    const changed = [...after].filter(([path, text]) => before.get(path) !== text);
    expect(changed).not.toEqual([]);
    for (const [path] of changed) expect(path).not.toMatch(/fault|test/);
  });

  test("a larger effect is more work", () => {
    const roundsOf = (name: string): number => {
      const texts = [...applyEdit(before, plantEdit(name, service)).values()].join("\n");
      return Number(/(?:1\.\.|range )(\d+) \{\n\s+digest = /.exec(texts)?.[1]);
    };
    const rounds = ["p99+8", "p99+10", "p99+20"].map(roundsOf);
    expect(rounds).toEqual(rounds.toSorted((a, b) => a - b));
    expect(new Set(rounds).size).toBe(3);
  });
});

test("an unknown plant is said to be one", () => {
  expect(() => plantEdit("p99+9", "gin-api")).toThrow("no plant is called p99+9");
});
