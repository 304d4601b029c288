// A report as one GitHub comment: the verdict, what changed, what to do; the rest folded. Always below GitHub's limit, by
// leaving out in stages and saying so. Everything foreign goes through markdownText, markdownCode or markdownBlock.
import { assertInvariant } from "../base/errors.ts";
import type { Report } from "../model/report.ts";
import { sourceFacts } from "./facts.ts";
import { markdownText } from "./foreign.ts";
import {
  buildLines,
  findingLines,
  folded,
  joinWithin,
  type Link,
  linkLines,
  listOf,
  measurementLines,
  reproduceLines,
  type Section,
  titled,
} from "./markdown-sections.ts";
import { comparisonTable, infoTable, TABLE_LEGEND } from "./markdown-table.ts";
import { ofLevel } from "./rows.ts";
import { countStates, headlineAfterState, verdictFacts } from "./states.ts";
import { waiverLines } from "./waivers.ts";

/** GitHub takes 65,536 characters in a comment; some are kept for what a publisher adds. */
const DEFAULT_MAX_CHARS = 65_536 - 1536;
/** The verdict line alone, at its longest, fits. */
export const LEAST_MAX_CHARS = 3000;

export interface MarkdownOptions {
  /** At least LEAST_MAX_CHARS. */
  maxChars?: number;
  /** Tells several gates of one repository apart; letters, digits, `.`, `_`, `-`. */
  key?: string;
  /** Added at the end, such as the workflow run; https only. */
  links?: readonly Link[];
}

/** The hidden first line by which a publisher finds its own comment again. */
export function commentMarker(key = "default"): string {
  return `<!-- tailgate:comment key=${key.replace(/[^A-Za-z0-9._-]/g, "")} -->`;
}

export function renderMarkdown(report: Report, options: MarkdownOptions = {}): string {
  const maxChars = options.maxChars ?? DEFAULT_MAX_CHARS;
  assertInvariant(maxChars >= LEAST_MAX_CHARS, `maxChars is below ${LEAST_MAX_CHARS}`);
  for (const maxRows of [200, 50, 15, 5]) {
    const text = joinWithin(sectionsOf(report, options, maxRows), {
      maxChars,
      whereElse: "The report's files have it all.",
    });
    if (text !== null) return text;
  }
  return `${[
    ...verdictLines(report, options),
    "",
    "_Everything else is left out: it does not fit into a comment._",
  ].join("\n")}\n`;
}

function sectionsOf(report: Report, options: MarkdownOptions, maxRows: number): Section[] {
  const { verdict } = report;
  const { comparisons } = verdict;
  const judged = comparisons.filter(({ level }) => level !== "info");
  const info = ofLevel(comparisons, "info");
  const section = (name: string, dropRank: number, lines: string[]): Section => ({
    name,
    lines,
    dropRank,
  });
  return [
    section("verdict", 0, verdictLines(report, options)),
    section(
      "reasons",
      1,
      listOf(
        verdict.reasons.filter((reason) => reason !== headlineAfterState(verdict)),
        5,
      ),
    ),
    section("changed metrics", 0, changedLines(report, maxRows)),
    section("waivers", 1, titled("**Waivers**", waiverLines(verdict))),
    section(
      "warnings",
      2,
      titled(
        "**Warnings**",
        listOf(
          verdict.warnings.map(({ text }) => text),
          10,
        ),
      ),
    ),
    section("next steps", 1, titled("**What to do next**", listOf(verdict.next, 6))),
    section(
      "all judged metrics",
      7,
      folded(`All ${judged.length} judged metrics: ${countStates(judged)}`, [
        ...comparisonTable(judged, 400),
        "",
        TABLE_LEGEND,
      ]),
    ),
    section(
      "comparisons with the stored baseline",
      8,
      verdict.stored.length === 0
        ? []
        : folded(
            "Against the stored baseline (context, not the verdict)",
            comparisonTable(verdict.stored, 200),
          ),
    ),
    section(
      "metrics that are not judged",
      10,
      info.length === 0
        ? []
        : folded(`${info.length} metrics that are shown, not judged`, infoTable(info)),
    ),
    section("how it was measured", 4, folded("How it was measured", measurementLines(report))),
    section("host findings", 6, findingLines(report)),
    section("builds", 9, buildLines(report)),
    section("how to reproduce", 3, reproduceLines(report)),
    section("links", 5, linkLines(options.links ?? [])),
  ];
}

function verdictLines(report: Report, { key }: MarkdownOptions): string[] {
  const { verdict } = report;
  const { emoji, word } = verdictFacts(verdict);
  return [
    commentMarker(key),
    `### ${emoji} Tailgate: ${word}`,
    "",
    `**${markdownText(headlineAfterState(verdict))}**`,
  ];
}

function changedLines(report: Report, maxRows: number): string[] {
  const judged = report.verdict.comparisons.filter(({ level }) => level !== "info");
  const changed = judged.filter(({ state }) => state !== "pass");
  const gated = ofLevel(judged, "gate");
  const table = comparisonTable(changed, maxRows);
  return [
    ...table,
    ...(table.length === 0 ? [] : ["", TABLE_LEGEND, ""]),
    `${gated.length} gated metrics: ${countStates(gated) || "none"}.`,
    "",
    ...sourceFacts(report).map(({ label, text }) => `- ${label}: ${markdownText(text)}`),
  ];
}
