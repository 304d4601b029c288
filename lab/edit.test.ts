import { describe, expect, test } from "vitest";
import {
  applyEdit,
  create,
  declare,
  insert,
  moveOut,
  rename,
  replace,
  type Step,
  swap,
} from "./edit.ts";

const RUST = `use std::fmt;

/// One.
#[inline]
fn one(
    a: u8,
) -> u8 {
    a
}

const TWO: u8 = 2;

// Three.
fn three() -> u8 {
    one(TWO)
}
`;
const texts = new Map([
  ["a.rs", RUST],
  ["notes.txt", "one"],
]);

const edited = (...steps: Step[]) =>
  applyEdit(texts, { service: "axum-api", kind: "route", name: "x", steps });

describe("a step", () => {
  test("replaces what is there once", () => {
    expect(edited(replace("a.rs", "one(TWO)", "TWO")).get("a.rs")).toBe(
      RUST.replace("one(TWO)", "TWO"),
    );
  });

  test("inserts lines behind a line", () => {
    expect(edited(insert("a.rs", "use std::fmt;", "use std::io;")).get("a.rs")).toBe(
      RUST.replace("fmt;\n", "fmt;\nuse std::io;\n"),
    );
  });

  test("declares behind an item, to its last line", () => {
    const declared = (start: string) => edited(declare("a.rs", start, "fn new() {}")).get("a.rs");
    expect(declared("fn one(")).toBe(RUST.replace("    a\n}\n", "    a\n}\n\nfn new() {}\n"));
    expect(declared("const TWO")).toBe(RUST.replace("= 2;\n", "= 2;\n\nfn new() {}\n"));
  });

  test("renames whole words of the code, and of nothing else", () => {
    const after = edited(rename("one", "uno"));
    expect(after.get("a.rs")).toBe(
      RUST.replace("fn one(", "fn uno(").replace("one(TWO)", "uno(TWO)"),
    );
    expect(after.get("notes.txt")).toBe("one");
  });

  test("moves an item with what is above it", () => {
    const after = edited(moveOut("a.rs", "fn one(", { into: "b.rs", head: "//! B.\n" }));
    expect(after.get("a.rs")).toBe(`use std::fmt;

const TWO: u8 = 2;

// Three.
fn three() -> u8 {
    one(TWO)
}
`);
    expect(after.get("b.rs")).toBe(`//! B.

/// One.
#[inline]
fn one(
    a: u8,
) -> u8 {
    a
}
`);
  });

  test("exchanges two items", () => {
    expect(edited(swap("a.rs", "fn one(", "fn three(")).get("a.rs")).toBe(`use std::fmt;

// Three.
fn three() -> u8 {
    one(TWO)
}

const TWO: u8 = 2;

/// One.
#[inline]
fn one(
    a: u8,
) -> u8 {
    a
}
`);
  });

  test("creates a file, beside those before, of which none is touched", () => {
    expect([...edited(create("b.rs", "x")).keys()]).toEqual(["a.rs", "notes.txt", "b.rs"]);
    expect(texts.size).toBe(2);
  });

  const misfits: [string, Step, string][] = [
    ["a file", replace("b.rs", "x", "y"), "there is no b.rs"],
    ["the text", replace("a.rs", "four", ""), "a.rs has 0 places, not one, with: four"],
    ["only one place", replace("a.rs", "TWO", ""), "a.rs has 2 places, not one, with: TWO"],
    ["the line", insert("a.rs", "use std", "x"), "a.rs has 0 places"],
    ["the item", declare("a.rs", "fn four", ""), "has 0 items, not one, that begin with: fn four"],
    ["only one item", declare("a.rs", "fn ", ""), "a.rs has 2 items, not one"],
    ["the word", rename("on", "off"), "nothing is called on"],
    ["room for the word", rename("one", "three"), "something is called three already"],
    ["room for the file", create("a.rs", ""), "there already is a.rs"],
    ["the order", swap("a.rs", "fn three(", "fn one("), `has "fn one(" before "fn three("`],
  ];
  test.each(misfits)("says so where %s is missing", (_, step, words) => {
    expect(() => edited(step)).toThrow('the edit "axum-api route x" no longer fits: ');
    expect(() => edited(step)).toThrow(words);
  });
});
