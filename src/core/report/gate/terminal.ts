// A report on a terminal: verdict, next steps, table; the rest with `details`. A pass fits a
// screen.
import type { Report } from "../../model/report.ts";
import { paragraph } from "../kit/blocks.ts";
import { renderTerminalDocument, type TerminalOptions } from "../kit/terminal.ts";
import { gateDocument, open, shortContent, tableContent } from "./sections.ts";

export type { TerminalOptions } from "../kit/terminal.ts";

const MORE =
  "More: report.html (plots), report.md or tailgate report report.v1.json (how it was measured, further metrics, builds, findings on the machine).";
const MORE_OF_PASS =
  "More: report.html (plots), report.md (all numbers), tailgate judge samples.v1.json --explain.";

export function renderTerminal(report: Report, options: TerminalOptions): string {
  const { state } = report.verdict;
  if (options.details !== true && (state === "pass" || state === "improved")) {
    return renderTerminalDocument(
      gateDocument(report, {
        ...shortContent(report),
        "where more is": open("", paragraph(MORE_OF_PASS, "quiet")),
      }),
      options,
    );
  }
  const more = options.details === true ? "" : MORE;
  return renderTerminalDocument(
    gateDocument(report, {
      ...tableContent(report),
      "where more is": open("", paragraph(more, "quiet")),
    }),
    options,
  );
}
