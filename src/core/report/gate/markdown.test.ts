import fc from "fast-check";
import { expect, test } from "vitest";
import { checkGolden } from "../../../../test/support/golden.ts";
import { makeReport } from "../../../../test/support/report.ts";
import {
  REPORT_CASES,
  reportCase,
  reportsOfAllStates,
} from "../../../../test/support/report-cases.ts";
import { makeSamples, withNew } from "../../../../test/support/samples.ts";
import type { Report } from "../../model/report.ts";
import { judge } from "../../verdict/judge.ts";
import { describeRun } from "../words/verdict.ts";
import { LEAST_MAX_CHARS, renderMarkdown } from "./markdown.ts";

const caseNames = Object.keys(REPORT_CASES);

test.each(caseNames)("golden %s", async (name) => {
  const options = name === "sixty-scenarios" ? { maxChars: 8000 } : {};
  await checkGolden(`report/${name}.md`, renderMarkdown(reportCase(name), options));
});

test("states differ in word and in emoji", () => {
  const heads = reportsOfAllStates().map((report) => renderMarkdown(report).split("\n")[0] ?? "");
  const parts = heads.map((head) => /^### (\S+) Tailgate: ([A-Z ]+)$/.exec(head)?.slice(1));
  for (const index of [0, 1]) {
    expect(new Set(parts.map((part) => part?.[index])).size).toBe(heads.length);
  }
});

test("a pass that rests on a waiver looks like no other state", () => {
  const head = (report: Report): string => renderMarkdown(report).split("\n")[0] ?? "";
  const waived = head(reportCase("waived"));
  expect(waived).toBe("### 🟠 Tailgate: PASS WITH WAIVER");
  for (const other of reportsOfAllStates().map(head)) expect(other).not.toContain("🟠");
});

test("only what changed stands in the open, what decides first", () => {
  const open = renderMarkdown(reportCase("regressed-p99")).split("<details>")[0] ?? "";
  const rows = open.split("\n").filter((line) => line.startsWith("| ❌"));
  expect(
    rows.map((row) => row.split(" | ").slice(0, 3).join(" ").replaceAll("\u00a0", " ")),
  ).toEqual([
    "| ❌ **+17.5 %** (+5 %) `gin-api/echo` p99",
    "| ❌ **+21.0 %** (+10 %) `gin-api/echo` p99 of all requests",
    "| ❌ **+4.1 %** (+2.5 %) `gin-api` RSS peak (warns only)",
  ]);
});

test("what is new has its value alone, in both tables", () => {
  const samples = withNew(makeSamples({ rounds: 20, noise: 0.02 }), "api/hello");
  const text = renderMarkdown(describeRun(samples, judge({ samples, baselines: [] })));
  const rows = text.replaceAll("\u00a0", " ").matchAll(/^\| 🆕.*$/gm);
  expect([...rows].map(String)).toEqual([
    "| 🆕 | – | `api/hello` p99 | 307 µs |",
    "| 🆕 | – | `api/hello` p99 of all requests | 307 µs |",
    "| 🆕 | – | `api/hello` p99 | 307 µs | – |",
    "| 🆕 | – | `api/hello` p99 of all requests | 307 µs | – |",
  ]);
});

test("a table has five columns at most, of which none needs the report's words", () => {
  for (const name of caseNames) {
    const heads = renderMarkdown(reportCase(name))
      .replaceAll("\u00a0", " ")
      .split("\n")
      .filter((line) => line.startsWith("|  | change"));
    for (const head of heads)
      expect(head, name).toMatch(
        /^\| {2}\| (?:change \(limit\) \| metric \| before → after|change \| metric \| before → after \| limit) \|$/,
      );
  }
  const text = caseNames.map((name) => renderMarkdown(reportCase(name))).join("\n");
  expect(text).not.toMatch(/MDE|limits a|p99 (?:typical|pooled)/);
});

test("the legend is folded, and explains the signs of the rows", () => {
  for (const name of ["regressed-p99", "inconclusive", "improved"]) {
    const [open = "", ...folded] = renderMarkdown(reportCase(name)).split("<details>");
    expect(open, name).not.toContain("limit: ");
    expect(folded[0], name).toMatch(/<sub>\S+ \w+: .*limit: what is proven worse fails/);
  }
});

test("a pass says in one line how far each gated metric went", () => {
  const line = (name: string) =>
    renderMarkdown(reportCase(name))
      .split("\n")
      .filter((one) => one.startsWith("At worst: "));
  expect(line("pass")).toEqual([
    "At worst: p99 of axum-api/process 1.944 → 1.983 ms (+2.0 %); p99 of all requests of axum-api/process 2.02 → 2.08 ms (+3.0 %); RSS after load of gin-api 21.700 → 21.733 MiB (+0.2 %).",
  ]);
  expect(line("regressed-p99")).toEqual([]);
});

test("what is undecided and likely worse says so in its row", () => {
  const report = reportCase("inconclusive");
  for (const one of report.verdict.comparisons) {
    if (one.state === "inconclusive") one.finding = { code: "likely-worse", rounds: 20 };
  }
  const text = renderMarkdown(report).replaceAll("\u00a0", " ");
  expect(text).toContain("| `axum-api/process` p99 of all requests (likely worse) |");
  expect(text).toContain("likely worse: not proven yet.");
});

test("stays below any limit, says what it left out, keeps the verdict", () => {
  const reports = ["sixty-scenarios", "hostile", "regressed-p99", "invalid"].map(reportCase);
  fc.assert(
    fc.property(
      fc.constantFrom(...reports),
      fc.integer({ min: LEAST_MAX_CHARS, max: 70_000 }),
      (report, maxChars) => {
        const whole = renderMarkdown(report, { maxChars: 1e7 });
        const text = renderMarkdown(report, { maxChars });
        expect(text.length).toBeLessThanOrEqual(maxChars);
        expect(text).toContain("Tailgate: ");
        if (text.length < whole.length) expect(text).toMatch(/eft out/);
        else expect(text).toBe(whole);
      },
    ),
    { numRuns: 60 },
  );
});

test("what is needed least is left out first", () => {
  const report = reportCase("stored");
  // So long that even they have to go.
  report.verdict.warnings = Array(10).fill({
    kind: "stale",
    text: "x".repeat(390),
    caution: { code: "stale", service: "gin-api", ageDays: 43, maxAgeDays: 30 },
  });
  const leftOut: string[] = [];
  for (let maxChars = 30_000; maxChars >= LEAST_MAX_CHARS; maxChars -= 250) {
    const text = renderMarkdown(report, { maxChars });
    const names = /_Left out for lack of room: (.*?)\. /.exec(text)?.[1]?.split(", ") ?? [];
    leftOut.push(...names.filter((name) => !leftOut.includes(name)));
  }
  expect(leftOut).toEqual([
    "metrics that are not judged",
    "builds",
    "comparisons with the stored baseline",
    "all judged metrics",
    "host findings",
    "how it was measured",
    "how to reproduce",
    "warnings",
  ]);
});

test("the longest hostile headline fits into the least size", () => {
  const summary = "$".repeat(5000);
  const report = makeReport({ state: "invalid", summary, reasons: [summary], next: [summary] });
  report.sources.candidate.subject = summary;
  expect(renderMarkdown(report, { maxChars: LEAST_MAX_CHARS }).length).toBeLessThanOrEqual(
    LEAST_MAX_CHARS,
  );
});

test("tags are balanced and ours", () => {
  for (const name of caseNames) {
    const text = renderMarkdown(reportCase(name));
    // What is in code is shown, not read.
    const prose = text.replace(/^ *(`{3,})[\s\S]*?^ *\1$/gm, "").replace(/`[^`\n]*`/g, "");
    const tags = [...prose.matchAll(/<[^>]*>/g)].map(([tag]) => tag);
    expect(new Set(tags.map((tag) => tag.replace(/[<>/]/g, ""))), name).toEqual(
      new Set(["details", "summary", "sub"]),
    );
    for (const tag of ["details", "summary", "sub"]) {
      expect(tags.filter((found) => found === `<${tag}>`).length, name).toBe(
        tags.filter((found) => found === `</${tag}>`).length,
      );
    }
  }
});

test("every row of a table has as many cells as its head", () => {
  for (const name of caseNames) {
    const lines = renderMarkdown(reportCase(name)).split("\n");
    const counts = lines.flatMap((line, index) =>
      line.startsWith("|") ? [{ index, cells: line.split(/(?<!\\)\|/).length }] : [],
    );
    for (const { index, cells } of counts) {
      const previous = counts.find((other) => other.index === index - 1);
      if (previous !== undefined) expect(cells, lines[index]).toBe(previous.cells);
    }
  }
});
