// What GitHub would make of foreign words in a comment, and does not.
import { expect, test } from "vitest";
import { prose } from "./prose.ts";

const SPACE = "\u200b";

function check(text: string, expected: string): void {
  expect(prose(text).replaceAll(SPACE, "|")).toBe(expected);
}

test("commit ids do not become links", () => {
  check("see 9f1c2d3e4a", "see 9f1c2d|3e4a");
  check(
    "9F1C2D3E4A5B6C7D8E9F0A1B2C3D4E5F60718293.",
    "9F1C2D|3E4A5B|6C7D8E|9F0A1B|2C3D4E|5F6071|8293.",
  );
  check("acme/shop@9f1c2d3", "acme/shop@|9f1c2d|3");
  check("0000000a...0000000b", "000000|0a...000000|0b");
});

test("what is no commit id stays", () => {
  for (const text of ["seed 3141592653", "deadbe", "x9f1c2d3e", "defaced1x", "20260214-0930"]) {
    check(text, text);
  }
});

test("mentions, issues, links, tags, code, tables", () => {
  check("@team", "@|team");
  check("acme/shop#12 GH-7", "acme/shop\\#|12 GH-|7");
  check("https://evil.example www.evil.example", "https:|//evil.example www|.evil.example");
  check("<b>|`x`", "&#60;b&#62;&#124;\\`x\\`");
  check("<!-- tailgate:comment -->", "&#60;!-- tailgate:comment --&#62;");
  check("a\u202eb\u2066c\u200bd\u{e0041}", "abcd");
});

test("marks do not pile up", () => {
  check(`a${"\u0301".repeat(300)}b`, `a${"\u0301".repeat(4)}b`);
  check("เขื่อน ở", "เขื่อน ở");
});
