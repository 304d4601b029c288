import fc from "fast-check";
import { expect, test } from "vitest";
import { clip, displayWidth, layoutTable, pad, wrap } from "./columns.ts";

test.each<[string, number]>([
  ["abc", 3],
  ["größe", 5],
  ["検索", 4],
  ["🚀", 2],
  ["e\u0301", 1],
  ["→ µ −", 5],
])("%s is %d columns wide", (text, width) => {
  expect(displayWidth(text)).toBe(width);
});

test("padding counts columns, not characters", () => {
  expect(pad("検索", 6, "left")).toBe("検索  ");
  expect(pad("検索", 6, "right")).toBe("  検索");
});

test("a number stays with its unit", () => {
  expect(wrap("grew by 21.0 % today", { width: 15, first: "", rest: "" })).toEqual([
    "grew by 21.0 %",
    "today",
  ]);
});

test("no wrapped or clipped line is too wide", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "grapheme", maxLength: 120 }),
      fc.integer({ min: 12, max: 60 }),
      (text, width) => {
        const line = text.replace(/\s+/g, " ");
        expect(displayWidth(clip(line, width))).toBeLessThanOrEqual(width);
        for (const part of wrap(line, { width, first: "- ", rest: "  " })) {
          expect(displayWidth(part)).toBeLessThanOrEqual(width);
        }
      },
    ),
  );
});

test("a table gives up gaps, then columns of highest rank, then the end of a text that is not last", () => {
  const columns = [
    { title: "aaaa", align: "left", dropRank: 0 },
    { title: "bbbb", align: "right", dropRank: 1 },
    { title: "cccc", align: "right", dropRank: 2 },
  ] as const;
  const table = (first: string) => (width: number) =>
    layoutTable(
      columns,
      [{ kind: "cells", cells: [{ text: first }, { text: "2" }, { text: "3" }] }],
      { width, paintHeading: (text) => text },
    );
  const at = table("1");
  expect(at(18)).toEqual(["  aaaa  bbbb  cccc", "  1        2     3"]);
  expect(at(17)).toEqual(["  aaaa bbbb cccc", "  1       2    3"]);
  expect(at(12)).toEqual(["  aaaa bbbb", "  1       2", "  too narrow for: cccc"]);
  expect(at(6)).toEqual(["  aaaa", "  1", "  too narrow for: bbbb, cccc"]);
  expect(table("a long remark")(12)).toEqual([
    "  aaaa",
    "  a long",
    "  remark",
    "  too narrow for: bbbb, cccc",
  ]);
  expect(
    layoutTable(
      [
        { title: "name", align: "left", dropRank: 0 },
        { title: "said", align: "left", dropRank: 0 },
      ],
      [{ kind: "cells", cells: [{ text: "the longest name" }, { text: "two words" }] }],
      { width: 20, paintHeading: (text) => text },
    ),
  ).toEqual(["  name     said", "  the lon… two words"]);
});
