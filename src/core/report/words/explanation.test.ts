// Why it is red, as the terminal has it: for each cause its own amount, and functions by what they took.
import { expect, test } from "vitest";
import { makeReport } from "../../../../test/support/report.ts";
import type { Explanation } from "../../model/samples.ts";
import { section } from "../kit/blocks.ts";
import { renderTerminalDocument } from "../kit/terminal.ts";
import { explanationBlocks } from "./explanation.ts";

const ROW = { calledBy: "server.serve", before: 1.25, after: 14.4, changedHere: "yes" } as const;
const rows = [{ function: "server.echo", ...ROW }];

function told(explanation: Explanation): string {
  const report = { ...makeReport({ state: "regressed" }), explanation };
  const sections = [section("", ...explanationBlocks(report))];
  const document = { mark: null, headline: "", summary: [], sections };
  return renderTerminalDocument(document, { width: 100, color: "never" });
}

test("of CPU the function that takes most of it is named first", () => {
  expect(told({ cause: "cpu", before: 23.4, after: 38.1, rows })).toMatchSnapshot();
});

test("of a wait functions have their CPU, and none is what waits", () => {
  expect(told({ cause: "timer", before: 234, after: 20_369, rows })).toMatchSnapshot();
});

test("of memory functions have bytes", () => {
  const grown = [{ function: "server.table", ...ROW, before: 0, after: 12e6 }];
  expect(told({ cause: "memory", before: 10e6, after: 22e6, rows: grown })).toMatchSnapshot();
});

test("what is not red has no reason", () => {
  const report = makeReport({ state: "pass" });
  expect(
    explanationBlocks({ ...report, explanation: { cause: "cpu", before: 1, after: 2, rows } }),
  ).toEqual([]);
});
