// A report on a terminal: verdict, next steps, table; the rest with `details`.
import type { Report } from "../../model/report.ts";
import { paragraph, section } from "../kit/blocks.ts";
import { renderTerminalDocument, type TerminalOptions } from "../kit/terminal.ts";
import { gateDocument, shortContent, tableContent } from "./sections.ts";

export type { TerminalOptions } from "../kit/terminal.ts";

const MORE =
  "More: report.html (plots), report.md (all numbers), and tailgate judge --explain with samples.v1.json (paths below).";

export function renderTerminal(report: Report, options: TerminalOptions): string {
  const isWhole = options.details === true;
  const document = gateDocument(report, {
    ...(isWhole ? tableContent(report) : shortContent(report)),
    "where more is": section("", paragraph(isWhole ? "" : MORE, "quiet")),
  });
  return renderTerminalDocument(document, options);
}
