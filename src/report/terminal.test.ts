import { describe, expect, test } from "vitest";
import { checkGolden } from "../../test/support/golden.ts";
import { HOSTILE, REPORT_CASES, reportsOfAllStates } from "../../test/support/report-cases.ts";
import { displayWidth } from "./columns.ts";
import { renderTerminal } from "./terminal.ts";

const caseNames = Object.keys(REPORT_CASES);
const make = (name: string) => {
  const factory = REPORT_CASES[name];
  if (factory === undefined) throw new Error(`no case ${name}`);
  return factory();
};

describe("golden", () => {
  test.each(caseNames)("%s", (name) => {
    checkGolden(
      `report/${name}.120.txt`,
      renderTerminal(make(name), { width: 120, color: "never" }),
    );
  });
  test.each(["regressed-p99", "inconclusive", "unicode", "stored"])("%s, narrow", (name) => {
    checkGolden(`report/${name}.80.txt`, renderTerminal(make(name), { width: 80, color: "never" }));
  });
});

test.each([80, 120])("no line is wider than %d columns, commands aside", (width) => {
  for (const name of caseNames) {
    const long = renderTerminal(make(name), { width, color: "never" })
      .split("\n")
      .filter((line) => !/^ {6}(git|tailgate) /.test(line) && displayWidth(line) > width);
    expect(long, name).toEqual([]);
  }
});

test("colour adds escape sequences and nothing else", () => {
  for (const name of caseNames) {
    const plain = renderTerminal(make(name), { width: 100, color: "never" });
    const painted = renderTerminal(make(name), { width: 100, color: "always" });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are control sequences
    expect(painted.replace(/\u001b\[[\d;]*m/g, "")).toBe(plain);
    expect(painted).not.toBe(plain);
  }
});

test("states differ in word, in symbol and in colour", () => {
  const heads = reportsOfAllStates().map(
    (report) => renderTerminal(report, { width: 80, color: "always" }).split("\n")[0] ?? "",
  );
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are control sequences
  const parts = heads.map((head) => /^\u001b\[([\d;]+)m(\S) ([A-Z ]+)\u001b/.exec(head)?.slice(1));
  for (const index of [0, 1, 2]) {
    expect(new Set(parts.map((part) => part?.[index])).size).toBe(heads.length);
  }
});

test("nothing foreign drives the terminal or reorders text", () => {
  const text = renderTerminal(make("hostile"), { width: 120, color: "never" });
  expect(HOSTILE.terminal).toMatch(/\p{Cc}/u);
  expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
  expect(text).not.toContain("pwned)\n");
});
