import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  htmlText,
  markdownBlock,
  markdownCellCode,
  markdownCode,
  markdownText,
  plainLine,
  plainLines,
} from "./escape.ts";

const Z = "\u200b";

describe("plainLine", () => {
  const cases: [string, string, string][] = [
    ["colours", "\u001b[31mred\u001b[0m", "red"],
    ["a window title", "\u001b]0;owned\u0007safe", "safe"],
    ["a link", "\u001b]8;;https://e.example\u001b\\text\u001b]8;;\u001b\\", "text"],
    ["C1 controls", "a\u009b31mb", "a31mb"],
    ["bidirectional overrides", "user\u202egnp.exe\u2066x\u2069", "usergnp.exex"],
    ["invisible characters and tags", "a\u200b\u2060\ufeff\u{e0041}b", "ab"],
    ["line breaks", "a\r\nb\tc\u2028d", "a b c d"],
    ["lone surrogates", "a\ud800b", "ab"],
    ["joined emoji stay", "👩\u200d🚀", "👩\u200d🚀"],
    ["other scripts stay", "検索 größe می\u200cخواهم", "検索 größe می\u200cخواهم"],
  ];
  test.each(cases)("%s", (_, input, expected) => {
    expect(plainLine(input)).toBe(expected);
  });

  test("a sentence of nine hundred characters stays whole", () => {
    const sentence = "Nine words that are said fifty times over. ".repeat(21).trim();
    expect(plainLine(sentence)).toBe(sentence);
    expect(markdownText(sentence)).toBe(sentence);
  });

  test("cuts between characters, never inside one", () => {
    expect(plainLine("🚀".repeat(10), 4)).toBe("🚀🚀🚀…");
  });
});

describe("markdownText", () => {
  const cases: [string, string, string][] = [
    ["mentions", "thanks @team/x", `thanks @${Z}team/x`],
    ["issues", "fixes #12, o/r#3, GH-4", `fixes \\#${Z}12, o/r\\#${Z}3, GH-${Z}4`],
    [
      "bare links",
      "https://evil.example www.evil.example",
      `https:${Z}//evil.example www${Z}.evil.example`,
    ],
    ["links and images", "[a](b) ![c](d)", "\\[a\\](b) !\\[c\\](d)"],
    ["emphasis", "a*b*_c_~~d~~", "a\\*b\\*\\_c\\_\\~\\~d\\~\\~"],
    ["code", "`x`", "\\`x\\`"],
    ["HTML", "<b>&amp;</b>", "&#60;b&#62;&#38;amp;&#60;/b&#62;"],
    ["a cell's end", "a|b\\|c", "a&#124;b\\\\&#124;c"],
    ["formulas", "$x$", "&#36;x&#36;"],
    ["emoji codes", "a :smile: b", `a :${Z}smile: b`],
    ["times of day stay", "09:30:12", "09:30:12"],
    ["a heading", "# x", "\\# x"],
    ["a list", "- x", "\\- x"],
    ["a numbered list", "12. x", "12\\. x"],
    ["a quotation", "> x", "&#62; x"],
    ["plain words stay", "p99 is +12.4 % (p = 0.001)", "p99 is +12.4 % (p = 0.001)"],
    ["several lines", "a\n\n# b", "a # b"],
    ["a short commit id", "see 9f1c2d3e4a", `see 9f1c2d${Z}3e4a`],
    ["a range of commits", "0000000a...0000000b", `000000${Z}0a...000000${Z}0b`],
    ["a commit of a repository", "acme/shop@9f1c2d3", `acme/shop@${Z}9f1c2d${Z}3`],
    ["seeds and dates stay", "seed 3141592653, 20260214-0930", "seed 3141592653, 20260214-0930"],
    ["words that look like ids stay", "deadbe x9f1c2d3e defaced1x", "deadbe x9f1c2d3e defaced1x"],
    ["marks do not pile up", `a${"\u0301".repeat(300)}b`, `a${"\u0301".repeat(4)}b`],
    ["marks of a script stay", "เขื่อน ở", "เขื่อน ở"],
  ];
  test.each(cases)("%s", (_, input, expected) => {
    expect(markdownText(input)).toBe(expected);
  });

  test("leaves nothing that GitHub would act on", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        const escaped = markdownText(text);
        expect(escaped).not.toMatch(
          /[<>|$\n\r]|@(?!\u200b)|#(?=\d)(?<!&#)|(?<!\\)(?:\\\\)*[`*_[\]~]/u,
        );
      }),
    );
  });
});

describe("markdownCode", () => {
  const cases: [string, string][] = [
    ["a b", "`a b`"],
    ["a`b``c", "`aˋbˋˋc`"],
    ["echo 0 | tee x", "`echo 0 | tee x`"],
    ["", "`–`"],
    ["\n", "`–`"],
  ];
  test.each(cases)("%j", (input, expected) => {
    expect(markdownCode(input)).toBe(expected);
  });
});

test("a pipe ends no cell", () => {
  expect(markdownCellCode("a|b\\|c`")).toBe("`a∣b\\∣cˋ`");
});

test("no line closes the fence it stands in", () => {
  fc.assert(
    fc.property(fc.array(fc.stringMatching(/^[`~ ax]{0,12}$/)), (lines) => {
      const [open = "", ...rest] = markdownBlock(lines);
      const fence = /^`+/.exec(open)?.[0] ?? "";
      expect(rest.at(-1)).toBe(fence);
      expect(rest.slice(0, -1).some((line) => line.includes(fence))).toBe(false);
    }),
  );
});

test("the tail of a log is kept, its end first", () => {
  const log = Array.from({ length: 100 }, (_, index) => `line ${index}`).join("\n");
  expect(plainLines(log, 3)).toEqual(["line 97", "line 98", "line 99"]);
});

test("lines keep their indentation, up to a limit", () => {
  expect(plainLines("with:\n\tmode: report\r\n    \n")).toEqual(["with:", "  mode: report"]);
  expect(plainLines(`${" ".repeat(999)}x`)).toEqual([`${" ".repeat(16)}x`]);
});

test("htmlText leaves no character that ends a text or an attribute", () => {
  expect(htmlText(`"><script>'&`)).toBe("&quot;&gt;&lt;script&gt;&#39;&amp;");
});
