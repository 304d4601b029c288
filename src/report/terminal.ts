// A report on a terminal: the verdict first, then one row for each question, then what a person may want to know.
// Everything foreign is made plain before it is printed: an escape sequence in a name must not drive the terminal.
import { METRIC_FACTS } from "../model/metric.ts";
import type { Report } from "../model/report.ts";
import type { Comparison } from "../model/verdict.ts";
import { clip, layoutTable, pad, wrap } from "./columns.ts";
import { buildRows, type Fact, measurementFacts, reproduceCommands, sourceFacts } from "./facts.ts";
import { plainLine, plainLines } from "./foreign.ts";
import { formatEstimate, formatPair, formatValue } from "./format.ts";
import { groupBySubject, metricName, ofLevel, splitMeasured } from "./rows.ts";
import { countStates, headlineAfterState, verdictFacts, verdictStyle } from "./states.ts";
import { type Page, type Paint, STYLE_CODES, tableSection } from "./terminal-table.ts";
import { WAIVER_FACTS, whyWaived } from "./waivers.ts";

export interface TerminalOptions {
  /** Columns; fewer than 60 are treated as 60. */
  width: number;
  color: "always" | "never";
}

const MAX_REASONS = 8;
/** Scenarios and services whose shown metrics are listed. */
const MAX_INFO = 40;

export function renderTerminal(report: Report, options: TerminalOptions): string {
  const paint: Paint =
    options.color === "always"
      ? (style, text) => `\u001b[${STYLE_CODES[style]}m${text}\u001b[0m`
      : (_, text) => text;
  const page: Page = { report, width: Math.max(60, options.width), paint };
  const { comparisons, stored } = report.verdict;
  const sections = [
    verdictSection(page),
    tableSection(page, "", ofLevel(comparisons, "gate")),
    tableSection(page, "Watched, not gating", ofLevel(comparisons, "warn")),
    waiverSection(page),
    warningSection(page),
    tableSection(page, "Against the stored baseline (context, not the verdict)", stored),
    infoSection(page, ofLevel(comparisons, "info")),
    findingSection(page),
    factSection(page, "How it was measured", measurementFacts(report)),
    buildSection(page),
    nextSection(page),
  ];
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n")}\n`;
}

function verdictSection({ report, width, paint }: Page): string[] {
  const { verdict } = report;
  const { symbol, word } = verdictFacts(verdict);
  const headline = plainLine(headlineAfterState(verdict));
  const head = `${symbol} ${word}  `;
  const [first = "", ...more] = wrap(headline, {
    width,
    first: head,
    rest: " ".repeat(head.length),
  });
  const lines = [
    paint(verdictStyle(verdict), head.trimEnd()) +
      paint("bold", first.slice(head.trimEnd().length)),
    ...more.map((line) => paint("bold", line)),
  ];
  const reasons = verdict.reasons.filter((reason) => plainLine(reason) !== headline);
  for (const reason of reasons.slice(0, MAX_REASONS)) {
    const [line = "", ...tail] = plainLines(reason);
    lines.push(...wrap(line, { width, first: "  ", rest: "    " }));
    lines.push(...tail.map((text) => paint("dim", clip(`    | ${text}`, width))));
  }
  if (reasons.length > MAX_REASONS)
    lines.push(`  and ${reasons.length - MAX_REASONS} more reasons`);
  lines.push(
    ...sourceFacts(report).map(({ label, text }) =>
      paint("dim", clip(`  ${label.padEnd(10)} ${plainLine(text)}`, width)),
    ),
  );
  return lines;
}

function waiverSection({ report, width, paint }: Page): string[] {
  const { waivers } = report.verdict;
  if (waivers.length === 0) return [];
  const hanging = { width, rest: " ".repeat(13) };
  return [
    paint("bold", "Waivers"),
    ...waivers.flatMap((outcome) => [
      ...wrap(plainLine(outcome.text), {
        ...hanging,
        first: `  ${pad(WAIVER_FACTS[outcome.state].word, 10, "left")} `,
      }),
      ...wrap(plainLine(whyWaived(outcome)), { ...hanging, first: hanging.rest }).map((line) =>
        paint("dim", line),
      ),
    ]),
  ];
}

function warningSection({ report, width, paint }: Page): string[] {
  const { warnings } = report.verdict;
  if (warnings.length === 0) return [];
  return [
    paint("bold", "Warnings"),
    ...warnings.flatMap(({ kind, text }) =>
      wrap(plainLine(text), {
        width,
        first: `  ${pad(clip(plainLine(kind), 8), 8, "left")} `,
        rest: " ".repeat(11),
      }),
    ),
  ];
}

/** One line for each scenario or service: these are context. */
function infoSection({ width, paint }: Page, comparisons: readonly Comparison[]): string[] {
  if (comparisons.length === 0) return [];
  const lines = groupBySubject(comparisons)
    .slice(0, MAX_INFO)
    .flatMap(({ name, comparisons: members }) => {
      const { measured, missing } = splitMeasured(members);
      const items = measured.map((member) => `${metricName(member)} ${describeInfo(member)}`);
      if (missing.length > 0) items.push(`not measured: ${missing.join(", ")}`);
      return wrap(`${plainLine(name)}: ${items.join(" · ")}`, { width, first: "  ", rest: "    " });
    });
  return [paint("bold", "Also measured, not judged"), ...lines];
}

function describeInfo({ metric, reference, candidate, estimate, interval }: Comparison): string {
  const { unit } = METRIC_FACTS[metric];
  if (reference === null) return formatValue(unit, candidate);
  return `${formatPair(unit, reference, candidate)} (${formatEstimate({ estimate, interval })})`;
}

/** Only what is bad: the rest is in the other renderings. */
function findingSection({ report, width, paint }: Page): string[] {
  const bad = report.host.findings.filter(({ level }) => level === "bad");
  if (bad.length === 0) return [];
  return [
    paint("bold", "Noise from this machine"),
    ...bad.flatMap(({ id, text, fix }) => [
      ...wrap(`${plainLine(id)}: ${plainLine(text)}`, { width, first: "  ", rest: "    " }),
      ...(fix === null ? [] : [`    fix: ${plainLine(fix)}`]),
    ]),
  ];
}

function factSection({ width, paint }: Page, title: string, facts: readonly Fact[]): string[] {
  const column = Math.max(...facts.map(({ label }) => label.length)) + 2;
  return [
    paint("bold", title),
    ...facts.flatMap(({ label, text }) =>
      wrap(plainLine(text), {
        width,
        first: `  ${pad(label, column, "left")}`,
        rest: " ".repeat(column + 2),
      }),
    ),
  ];
}

function buildSection({ report, width, paint }: Page): string[] {
  const rows = buildRows(report.artifacts);
  if (rows.length === 0) return [];
  const { lines } = layoutTable(
    [
      { id: "service", title: "service", align: "left", dropRank: 0 },
      { id: "arm", title: "arm", align: "left", dropRank: 0 },
      { id: "took", title: "build time", align: "right", dropRank: 0 },
      { id: "size", title: "size", align: "right", dropRank: 0 },
      { id: "stripped", title: "stripped", align: "right", dropRank: 1 },
      { id: "toolchain", title: "toolchain", align: "left", dropRank: 3 },
      { id: "sha256", title: "sha256", align: "left", dropRank: 2 },
    ],
    rows.map((row) => ({
      kind: "cells",
      cells: [
        { text: clip(plainLine(row.service), 24) },
        { text: row.arm },
        { text: row.took },
        { text: row.size },
        { text: row.stripped },
        { text: clip(plainLine(row.toolchain), 24) },
        { text: plainLine(row.sha256) },
      ],
    })),
    { width, paintHeading: (text) => paint("dim", text) },
  );
  return [paint("bold", "Builds"), ...lines];
}

function nextSection({ report, width, paint }: Page): string[] {
  const { verdict } = report;
  const gated = ofLevel(verdict.comparisons, "gate");
  const { word, meaning } = verdictFacts(verdict);
  const lines = [
    paint("bold", "Next"),
    ...verdict.next.flatMap((text) =>
      wrap(plainLine(text), { width, first: "  - ", rest: "    " }),
    ),
  ];
  const commands = reproduceCommands(report);
  if (commands !== null) {
    // Not wrapped: a command is copied whole.
    lines.push("  - Repeat this run:", ...commands.map((command) => `      ${command}`));
  }
  lines.push(
    ...wrap(`${word}: ${meaning}. ${gated.length} gated: ${countStates(gated)}.`, {
      width,
      first: "  ",
      rest: "  ",
    }).map((line) => paint("dim", line)),
  );
  return lines;
}
