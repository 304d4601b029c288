// Which files a list of inputs takes in.
import { expect, test } from "vitest";
import { inputMatcher } from "./input-patterns.ts";

const FILES = [
  "README.md",
  "go.mod",
  "main.go",
  "docs/guide.md",
  "src/a.ts",
  "src/a+b.ts",
  "src/deep/b.ts",
  "src/deep/b.md",
  "srcs/c.ts",
];

const CASES: [string, string[], string[]][] = [
  ["a file", ["go.mod"], ["go.mod"]],
  [
    "a folder, and not one whose name begins alike",
    ["src/deep"],
    ["src/deep/b.ts", "src/deep/b.md"],
  ],
  ["everything", ["**"], FILES],
  ["a name's ending, in one folder alone", ["*.md"], ["README.md"]],
  ["a name's ending, in any folder", ["**/*.md"], ["README.md", "docs/guide.md", "src/deep/b.md"]],
  ["folders between", ["src/**/b.ts"], ["src/deep/b.ts"]],
  ["no folders between", ["src/**/a.ts"], ["src/a.ts"]],
  ["one character", ["src/?.ts"], ["src/a.ts"]],
  ["a dot and a plus are themselves", ["src/a+b.ts", "goxmod"], ["src/a+b.ts"]],
  ["all but some", ["**", "!**/*.md", "!src", "!srcs"], ["go.mod", "main.go"]],
  [
    "the last that speaks of a file decides",
    ["src", "!src/deep", "src/deep/b.md"],
    ["src/a.ts", "src/a+b.ts", "src/deep/b.md"],
  ],
  ["nothing", ["nowhere"], []],
];

test.each(CASES)("%s", (_, patterns, wanted) => {
  expect(FILES.filter(inputMatcher(patterns))).toEqual(wanted);
});
