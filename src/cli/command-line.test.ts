// What is made of the words after `tailgate`, before any command sees them.
import { expect, test } from "vitest";
import { UserError } from "../base/errors.ts";
import { asksForHelp, parseCommandLine, textOf } from "./command-line.ts";

test.each([
  { words: "with api -h", asks: true },
  { words: "gate --seed 1 --help", asks: true },
  { words: "with --help -- cargo test", asks: true },
  { words: "with api -- cargo test -h", asks: false },
  { words: "with api -- psql --help", asks: false },
  { words: "gate", asks: false },
])("$words: help is asked for: $asks", ({ words, asks }) => {
  expect(asksForHelp(words.split(" "))).toBe(asks);
});

test("what stands behind -- is the command's own", () => {
  const { positionals, values } = parseCommandLine(
    "with api --config a.yml -- psql --help -c x".split(" "),
  );
  expect(positionals).toEqual(["api", "psql", "--help", "-c", "x"]);
  expect(values).toEqual({ config: "a.yml" });
});

test.each([
  { words: ["gat"], says: "unknown command: gat", next: "Did you mean gate?" },
  {
    words: ["gate", "--sed", "1"],
    says: "tailgate gate: unknown flag: --sed",
    next: "Did you mean --seed?",
  },
  { words: ["setup", "now"], says: "unexpected argument: now", next: "Usage: tailgate setup" },
])("$words is refused", ({ words, says, next }) => {
  const check = () => parseCommandLine(words);
  expect(check).toThrow(UserError);
  expect(check).toThrow(says);
  expect(check).toThrow(expect.objectContaining({ next: expect.stringContaining(next) }));
});

test("an empty value is no value", () => {
  const typed = (...words: string[]) => textOf(parseCommandLine(["gate", ...words]), "out");
  expect(typed()).toBe(null);
  expect(typed("--out", "x")).toBe("x");
  expect(() => typed("--out", "")).toThrow("--out is empty");
});
