import { expect, test } from "vitest";
import { checkGolden } from "../../../../test/support/golden.ts";
import { makeReport } from "../../../../test/support/report.ts";
import {
  HOSTILE,
  REPORT_CASES,
  reportCase,
  reportsOfAllStates,
} from "../../../../test/support/report-cases.ts";
import { displayWidth } from "../../text/columns.ts";
import { renderTerminal, type TerminalOptions } from "./terminal.ts";

const caseNames = Object.keys(REPORT_CASES);

// The document is the same in every medium, and the Markdown of all cases is kept: here is one of
// each layout.
test.each<[name: string, kind: string, options: Partial<TerminalOptions>]>([
  ["pass", "120", {}],
  ["regressed-p99", "details", { details: true }],
  ["inconclusive", "80", { width: 80 }],
  ["invalid", "120", {}],
  ["no-baseline", "120", {}],
  ["sixty-scenarios", "120", {}],
  ["wrong-answers", "120", {}],
])("golden: %s (%s)", async (name, kind, options) => {
  const text = renderTerminal(reportCase(name), { width: 120, color: "never", ...options });
  await checkGolden(`report/${name}.${kind}.txt`, text);
});

test("with details there is more, and nothing less", () => {
  for (const name of caseNames) {
    const { state } = reportCase(name).verdict;
    if (state === "pass" || state === "improved") continue;
    const [short = [], whole = []] = [false, true].map((details) =>
      renderTerminal(reportCase(name), { width: 120, color: "never", details }).split("\n"),
    );
    // The table is another one.
    const isTable = (line: string) => /^ {2}\S [A-Z]|^ +change|^ {2}limit: |^Watched/i.test(line);
    const lost = short.filter((line) => !whole.includes(line) && !isTable(line));
    expect(lost.join(" "), name).toMatch(/^ {2}More: report\.html \(plots\)[^|]*$/);
    expect(whole.join("\n"), name).toContain("\nHow it was measured\n  machine ");
  }
});

test.each([
  ["pass", "✓ PASS  "],
  ["improved", "▲ IMPROVED  "],
  ["waived", "≈ PASS WITH WAIVER  "],
])("%s has a sign and a word of its own", (name, head) => {
  const text = renderTerminal(reportCase(name), { width: 120, color: "never" });
  expect(text.slice(0, head.length)).toBe(head);
});

test("a pass says what follows from it", () => {
  const said = (name: string) => {
    const lines = renderTerminal(reportCase(name), { width: 120, color: "never" }).split("\n");
    return lines.find((line) => line.startsWith("  Nothing to do"))?.trim();
  };
  const free = "Nothing to do: by its gated metrics this change can be merged.";
  expect(said("pass")).toBe(free);
  expect(said("stored")).toBe(`${free} Warnings block nothing.`);
  expect(said("waived")).toBe(
    "Nothing to do now: a waiver, shown below, accepts what is worse until it expires.",
  );
});

test("who owns a waiver, and why it is there, stands below it", () => {
  const text = renderTerminal(reportCase("waived"), { width: 120, color: "never" });
  expect(text).toMatch(
    /\nWaivers\n {2}- used: p99 of .*\n {4}because: answers .*; owner: @shop\/api; brought by this change\n {2}- unused: /,
  );
});

test.each(["regressed-p99", "inconclusive", "invalid"])(
  "what to do next stands before the table: %s",
  (name) => {
    const text = renderTerminal(reportCase(name), { width: 120, color: "never" });
    expect(text.indexOf("What to do next\n  - ")).toBeGreaterThan(0);
    expect(text.indexOf("What to do next")).toBeLessThan(text.indexOf("before → after"));
    expect(text.replace(/\s+/g, " ")).toContain("limit: what is proven worse fails from it on");
  },
);

test.each(["pass", "improved", "worse-within", "dirty-tree", "thin"])(
  "where nothing is to be done, ten gated metrics fit a screen: %s",
  (name) => {
    const text = renderTerminal(reportCase(name), { width: 100, color: "never" });
    expect(text.trimEnd().split("\n").length).toBeLessThanOrEqual(24);
    expect(text).not.toContain("too narrow for");
    expect(text.indexOf("Nothing to do")).toBeLessThan(text.indexOf("before → after"));
    const whole = renderTerminal(reportCase(name), { width: 100, color: "never", details: true });
    expect(whole).toContain("Gated metrics");
    expect(whole).toContain("How it was measured");
  },
);

test.each([60, 100])("%d columns have room for each change and the limit of it", (width) => {
  for (const name of ["pass", "inconclusive", "regressed-p99", "sixty-scenarios"]) {
    const text = renderTerminal(reportCase(name), { width, color: "never" });
    expect(text).toMatch(/^ +change +metric +before → after +limit$/m);
    expect(text).not.toContain("too narrow for");
  }
});

test("limits of a change are explained where a row has them", () => {
  const { verdict, ...report } = reportCase("pass");
  const comparisons = verdict.comparisons.map((one) => ({ ...one, against: "limit" as const }));
  const text = renderTerminal(
    { ...report, verdict: { ...verdict, comparisons } },
    {
      width: 120,
      color: "never",
    },
  );
  expect(text).not.toContain("limit: ");
});

test("a pass of many metrics is still a screen, what is worse first", () => {
  const worse = { "gin-api/route-30 p99 pooled": { state: "worse-within" } } as const;
  const scenarios = Array.from({ length: 30 }, (_, i) => `route-${i + 1}`);
  const text = renderTerminal(makeReport({ scenarios, changes: worse }), {
    width: 100,
    color: "never",
  });
  const lines = text.trimEnd().split("\n");
  expect(lines.length).toBeLessThanOrEqual(32);
  const head = lines.findIndex((line) => line.includes("before → after"));
  expect(lines[head + 1]).toContain("↗ WORSE IN MARGIN");
  expect(text).toContain("… and 106 more such rows.");
});

test("a warning that nearly every run has is a remark among the details", () => {
  const [short, whole] = [false, true].map((details) =>
    renderTerminal(reportCase("thin"), { width: 120, color: "never", details }),
  );
  expect(short).not.toContain("lie beyond the p99");
  expect(short).not.toContain("Warnings");
  expect(whole).toContain("lie beyond the p99");
});

test.each([80, 120])("no line is wider than %d columns, commands aside", (width) => {
  for (const name of caseNames) {
    const long = renderTerminal(reportCase(name), { width, color: "never" })
      .split("\n")
      .filter((line) => !/^ {6}(git|tailgate) /.test(line) && displayWidth(line) > width);
    expect(long, name).toEqual([]);
  }
});

test("colour adds escape sequences and nothing else", () => {
  for (const name of caseNames) {
    const plain = renderTerminal(reportCase(name), { width: 100, color: "never" });
    const painted = renderTerminal(reportCase(name), { width: 100, color: "always" });
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
  const text = renderTerminal(reportCase("hostile"), { width: 120, color: "never" });
  expect(HOSTILE.terminal).toMatch(/\p{Cc}/u);
  expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
  expect(text).not.toContain("pwned)\n");
});
