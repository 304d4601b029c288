import { expect, test } from "vitest";
import { blockLines, linkLine } from "./markdown.ts";

test("only https links are made", () => {
  const line = linkLine([
    { label: "run [1]", url: "https://github.com/o/r/actions/runs/1" },
    { label: "bad", url: "javascript:alert(1)" },
    { label: "broken", url: "https://x.example/> <b>" },
  ]);
  expect(line).toBe("[run \\[1\\]](<https://github.com/o/r/actions/runs/1>)");
});

test("a name keeps its place between the words around it", () => {
  const text = ["at commit ", { code: "9f1c2d3e4a" }, " on a|b, by ", { code: "`x`" }, "."];
  expect(blockLines({ kind: "text", text })).toEqual([
    "at commit `9f1c2d3e4a` on a&#124;b, by `ˋxˋ`.",
  ]);
});

test("the name of a group and an interval share the cells before them", () => {
  const table = {
    columns: [
      { title: "metric", kind: "text" as const },
      { title: "change", kind: "number" as const },
      { title: "interval", kind: "number" as const, joined: true },
    ],
    groups: [
      { name: "api|x", rows: [["p99", { text: "+3 %", emphasis: "strong" as const }, "[1, 5]"]] },
      { name: "api|y", rows: ["–", ""].map((beside) => ["p99", "–", beside]) },
    ],
  };
  expect(blockLines({ kind: "table", table }).join("\n").replaceAll("\u00a0", " ")).toBe(
    "| metric | change |\n|:--|--:|\n| `api∣x` p99 | **+3 %** [1, 5] |\n| `api∣y` p99 | – |\n| `api∣y` p99 | – |",
  );
});
