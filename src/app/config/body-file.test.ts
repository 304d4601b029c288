// What is sent of a body file, byte for byte.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sharedFolder } from "../../../test/support/files.ts";
import { readBodyFile } from "./body-file.ts";

const WORD = Buffer.from([0x61, 0x00, 0xff]);
const root = sharedFolder();
writeFileSync(join(root, "word"), WORD);
writeFileSync(join(root, "million"), Buffer.alloc(1_000_000));

const repeat = (times: number, before = "", between = "", after = "") => ({
  times,
  before,
  between,
  after,
});

test("the content is sent unchanged, text or binary", () => {
  expect(readBodyFile(root, { path: "word", repeat: null })).toMatchObject({ bytes: WORD });
  expect(readBodyFile(root, { path: "nowhere", repeat: null })).toMatchObject({ ok: false });
});

test("a repeated body keeps its prefix and suffix", () => {
  const check = (times: number, expected: string): void => {
    const read = readBodyFile(root, { path: "word", repeat: repeat(times, "[", ",", "]é") });
    expect(read.ok && Buffer.from(read.bytes).toString("latin1")).toBe(expected);
  };
  const end = "]\xc3\xa9";
  check(1, `[a\0\xff${end}`);
  check(3, `[a\0\xff,a\0\xff,a\0\xff${end}`);
});

test("a repetition that would exhaust memory is refused before it is allocated", () => {
  const large = readBodyFile(root, { path: "million", repeat: repeat(1_000_000) });
  expect(large).toEqual({ ok: false, why: "repeated it is larger than 16 MiB" });
  expect(readBodyFile(root, { path: "million", repeat: repeat(16) }).ok).toBe(true);
});

test("a file of lines has a path, or anything, on each", () => {
  const check = (lines: "paths" | "bodies", content: string | Uint8Array, why: string | null) => {
    writeFileSync(join(root, "lines"), content);
    const read = readBodyFile(root, { path: "lines", repeat: null, lines });
    expect(read.ok ? null : read.why, String(content)).toBe(why);
  };
  check("paths", "/users/1\n/users/2?x=1\r\n", null);
  check("paths", "/users/1\nusers/2", "line 2 is no path such as /users/1");
  check("paths", "/a\n/b/../c", "line 2 is no path such as /users/1");
  check("paths", "/a#b", "line 1 is no path such as /users/1");
  check("paths", "/a b", "line 1 is no path such as /users/1");
  check("paths", "\ufeff/a", "line 1 is no path such as /users/1");
  check("paths", "/a\n\n/b", "line 2 is no path such as /users/1");
  check("bodies", '{"a":1}\n{"a":2}', null);
  check("bodies", "a\n\nb", "line 2 is empty");
  check("bodies", "", "it is empty");
  check("bodies", Buffer.from([0x61, 0xff]), "it is not UTF-8");
});
