import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { HOSTILE_TEXTS } from "../../../test/support/hostile-text.ts";
import { harmOnScreen } from "../../../test/support/screen.ts";
import { STYLE_CODES } from "../report/kit/terminal.ts";
import { screenJson, screenLine, screenText, withoutCommands } from "./screen.ts";

test.each([
  ["::error::boom", ": :error::boom"],
  ["   ::set-output name=verdict::pass", "   : :set-output name=verdict::pass"],
  ["x ##[group]y", "x ## [group]y"],
  ["one\n::stop-commands::x", "one ::stop-commands::x"],
  [":\u200b:error::x", ": :error::x"],
  ["#\u2060#[error]x", "## [error]x"],
  ["std::vector::push_back", "std::vector::push_back"],
  ["\u001b]0;pwned\u0007title", "title"],
  ["a  b\tc ", "a  b  c "],
  ["\u009b31mred", "31mred"],
  ["key \u202egnp.exe", "key gnp.exe"],
  ["\u001b[31mred\u001b[0m", "red"],
  ["x".repeat(5000), `${"x".repeat(3999)}…`],
])("the line %j is shown as %j", (text, expected) => {
  expect(screenLine(text)).toBe(expected);
});

test.each([
  ["\u001b[1;31mFAIL\u001b[0m  api", "\u001b[1;31mFAIL\u001b[0m  api"],
  ["\u001b[2mquiet\u001b[0m\n\u001b[33mwaived\u001b[0m", null],
  ["\u001b[8mhidden\u001b[0m", "hidden\u001b[0m"],
  ["\u001b[2J\u001b[Hgone", "gone"],
  ["\u001b]8;;https://evil.example\u0007\u001b[1mlink\u001b[0m\u0007", "\u001b[1mlink\u001b[0m"],
  ["a\r\n::error::b", "a\n: :error::b"],
])("of what we painted, %j is shown as %j", (text, expected) => {
  expect(screenText(text, { painted: true })).toBe(expected ?? text);
});

test.each(Object.entries(STYLE_CODES))("the colour of %s stays", (_, code) => {
  const painted = `\u001b[${code}mword\u001b[0m`;
  expect(screenText(painted, { painted: true })).toBe(painted);
});

test("a document is cut nowhere", () => {
  const long = "x".repeat(9000);
  expect(screenText(long, { maxChars: Number.POSITIVE_INFINITY })).toBe(long);
});

/** What we paint with. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it is one
const COLOURS = /\u001b\[(?:[0-2]|(?:1;)?3[1-6])m/g;

/** Pieces that mean something to a terminal or a runner, in any order, and all of Unicode. */
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(...HOSTILE_TEXTS),
      fc.constantFrom("::", ":", "##[", "#", "[", "\n", "\r", "\r\n", " ", "\t", "\u2028", "error"),
      fc.constantFrom("\u001b", "\u001b[", "\u001b]", "\u009b", "\u009d", "\u0007", "1;31m", "0m"),
      fc.string({ unit: "binary", maxLength: 6 }),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(""));

describe("whatever somebody writes", () => {
  const check = (property: (text: string) => void): void =>
    fc.assert(fc.property(hostile, property), { numRuns: 2000 });

  test("is one harmless line", () => {
    check((text) => {
      const line = screenLine(text);
      expect(line.split(/\r|\n/)).toHaveLength(1);
      expect(harmOnScreen(line)).toBeNull();
    });
  });

  test("is harmless lines, painted or not", () => {
    check((text) => {
      expect(harmOnScreen(screenText(text))).toBeNull();
      const painted = screenText(text, { painted: true });
      expect(harmOnScreen(painted.replace(COLOURS, ""), Number.POSITIVE_INFINITY)).toBeNull();
    });
  });

  test("is a document without commands, and nothing else is changed", () => {
    check((text) => {
      const lines = withoutCommands(text);
      expect(harmOnScreen(lines)).not.toBe("a command");
      const only = (all: string): string => all.replace(/: ?:|## ?\[/g, "");
      expect(only(lines)).toBe(only(text));
    });
  });

  test("is JSON that says the same", () => {
    check((text) => {
      for (const indent of [0, 2]) {
        const json = screenJson(JSON.stringify({ [text]: text }, null, indent));
        expect(JSON.parse(json)).toEqual({ [text]: text });
        expect(harmOnScreen(json, Number.POSITIVE_INFINITY)).toBeNull();
      }
    });
  });
});
