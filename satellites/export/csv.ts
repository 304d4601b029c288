// One row for the run: when, what, and for every metric its state and its value. What is not decided
// has a state and an empty value, so that rows of several runs have the same columns. A limit's value
// is the limit: the candidate's is its metric's.
import { METRIC_FACTS } from "../../src/core/model/metric.ts";
import type { Report } from "../../src/core/model/report.ts";
import { plainLine } from "../../src/core/text/escape.ts";
import { isDecided } from "./decided.ts";

export function toCsv({ run, sources, verdict }: Report): string {
  const columns: [string, string][] = [
    ["time", run.startedAt],
    ["commit", sources.candidate.commit],
    ["reference", sources.reference?.commit ?? ""],
    ["verdict", verdict.state],
    ...verdict.comparisons.flatMap((one): [string, string][] => [
      [`${one.id} state`, one.state],
      [
        `${one.id} [${METRIC_FACTS[one.metric].unit}]`,
        isDecided(one) ? String(one.against === "limit" ? one.reference : one.candidate) : "",
      ],
    ]),
  ];
  const row = (cells: readonly string[]): string => `${cells.map(cell).join(",")}\r\n`;
  return row(columns.map(([name]) => name)) + row(columns.map(([, value]) => value));
}

/** RFC 4180. A spreadsheet takes what begins with one of these for a formula. */
function cell(text: string): string {
  const line = plainLine(text);
  const harmless = /^[=+\-@]/.test(line) ? `'${line}` : line;
  return /[",]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
