// A report on a terminal: verdict, next steps, table; the rest with `details`. A pass fits a
// screen.
import type { Report } from "../../model/report.ts";
import { paragraph, section } from "../kit/blocks.ts";
import { renderTerminalDocument, type TerminalOptions } from "../kit/terminal.ts";
import { gateDocument, shortContent, tableContent } from "./sections.ts";

export type { TerminalOptions } from "../kit/terminal.ts";

const MORE =
  "More: report.html (plots), report.md or tailgate report report.v1.json (how it was measured, further metrics, builds, findings on the machine).";
const MORE_OF_PASS =
  "More: report.html (plots), report.md (all numbers), tailgate judge samples.v1.json --explain.";

export function renderTerminal(report: Report, options: TerminalOptions): string {
  const { state } = report.verdict;
  const isWhole = options.details === true;
  const isShort = !isWhole && (state === "pass" || state === "improved");
  const more = isWhole ? "" : isShort ? MORE_OF_PASS : MORE;
  const document = gateDocument(report, {
    ...(isShort ? shortContent(report) : tableContent(report)),
    "where more is": section("", paragraph(more, "quiet")),
  });
  return renderTerminalDocument(document, options);
}
