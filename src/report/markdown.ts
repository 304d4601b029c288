// A report as one GitHub comment: the verdict, what changed, what to do; the rest folded. Always below GitHub's limit, by
// leaving out in stages and saying so. Everything foreign goes through markdownText, markdownCode or markdownBlock.
import { assertInvariant } from "../base/errors.ts";
import type { Report } from "../model/report.ts";
import { buildRows, measurementFacts, reproduceCommands, sourceFacts } from "./facts.ts";
import {
  markdownBlock,
  markdownCellCode,
  markdownCode,
  markdownText,
  plainLine,
  plainLines,
} from "./foreign.ts";
import { comparisonTable, infoTable, TABLE_LEGEND, tight } from "./markdown-table.ts";
import { ofLevel } from "./rows.ts";
import { countStates, headlineAfterState, STATE_FACTS } from "./states.ts";

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
  links?: readonly { label: string; url: string }[];
}

/** The hidden first line by which a publisher finds its own comment again. */
export function commentMarker(key = "default"): string {
  return `<!-- tailgate:comment key=${key.replace(/[^A-Za-z0-9._-]/g, "")} -->`;
}

interface Section {
  /** What a reader is told when it is left out. */
  name: string;
  lines: string[];
  /** The highest goes first; 0 stays. */
  dropRank: number;
}

export function renderMarkdown(report: Report, options: MarkdownOptions = {}): string {
  const maxChars = options.maxChars ?? DEFAULT_MAX_CHARS;
  assertInvariant(maxChars >= LEAST_MAX_CHARS, `maxChars is below ${LEAST_MAX_CHARS}`);
  for (const maxRows of [200, 50, 15, 5]) {
    const text = joinWithin(sectionsOf(report, options, maxRows), maxChars);
    if (text !== null) return text;
  }
  return `${[
    ...verdictLines(report, options),
    "",
    "_Everything else is left out: it does not fit into a comment._",
  ].join("\n")}\n`;
}

/** The sections that fit, with a note on those that do not; null when not even the ones that stay do. */
function joinWithin(sections: readonly Section[], maxChars: number): string | null {
  const present = sections.filter(({ lines }) => lines.length > 0);
  const ranks = [...new Set(present.map(({ dropRank }) => dropRank))].sort((a, b) => b - a);
  for (const limit of [Number.POSITIVE_INFINITY, ...ranks.filter((rank) => rank > 0)]) {
    const kept = present.filter(({ dropRank }) => dropRank < limit);
    const dropped = present.filter(({ dropRank }) => dropRank >= limit).map(({ name }) => name);
    const note =
      dropped.length === 0
        ? []
        : [
            `_Left out to stay below the size of a comment: ${dropped.join(", ")}. The report's files have it all._`,
          ];
    const text = `${[...kept.map(({ lines }) => lines.join("\n")), ...note].join("\n\n")}\n`;
    if (text.length <= maxChars) return text;
  }
  return null;
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
    section("links", 5, linkLines(options)),
  ];
}

function verdictLines(report: Report, { key }: MarkdownOptions): string[] {
  const { verdict } = report;
  const { emoji, word } = STATE_FACTS[verdict.state];
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

function listOf(texts: readonly string[], max: number): string[] {
  const items = texts.slice(0, max).flatMap((text) => {
    const [first = "", ...tail] = plainLines(text);
    return [
      `- ${markdownText(first)}`,
      ...(tail.length === 0 ? [] : markdownBlock(tail).map((line) => `  ${line}`)),
    ];
  });
  return texts.length > max ? [...items, `- and ${texts.length - max} more`] : items;
}

function titled(title: string, lines: string[]): string[] {
  return lines.length === 0 ? [] : [title, "", ...lines];
}

/** `summary` is ours: nothing foreign goes into it. */
function folded(summary: string, lines: readonly string[]): string[] {
  return [`<details><summary>${summary}</summary>`, "", ...lines, "", "</details>"];
}

function measurementLines(report: Report): string[] {
  return measurementFacts(report).map(({ label, text }) => `- ${label}: ${markdownText(text)}`);
}

function findingLines({ host }: Report): string[] {
  const findings = host.findings.filter(({ level }) => level !== "good");
  if (findings.length === 0) return [];
  const bad = findings.filter(({ level }) => level === "bad").length;
  return folded(
    `Findings on the machine: ${bad} bad, ${findings.length - bad} to note`,
    findings.flatMap(({ id, level, text, fix }) => [
      `- ${level === "bad" ? "**bad**" : "note"} ${markdownCode(id)}: ${markdownText(text)}`,
      ...(fix === null ? [] : [`  fix: ${markdownCode(fix)}`]),
    ]),
  );
}

function buildLines({ artifacts }: Report): string[] {
  const rows = buildRows(artifacts);
  if (rows.length === 0) return [];
  return folded("Builds", [
    "| service | arm | build time | size | stripped | toolchain | sha256 |",
    "|:--|:--|--:|--:|--:|:--|:--|",
    ...rows.map(
      (row) =>
        `| ${markdownCellCode(row.service)} | ${row.arm} | ${tight(row.took)} | ${tight(row.size)} | ${tight(row.stripped)} | ${markdownCellCode(row.toolchain)} | ${markdownCellCode(row.sha256)} |`,
    ),
  ]);
}

function reproduceLines(report: Report): string[] {
  const commands = reproduceCommands(report);
  return folded(
    "How to reproduce at a desk",
    commands === null
      ? [
          "The candidate is not a plain commit (its tree had uncommitted changes), so no command can name it.",
        ]
      : markdownBlock(commands),
  );
}

function linkLines({ links = [] }: MarkdownOptions): string[] {
  const items = links
    .filter(({ url }) => /^https:\/\/[\w.~:/?#@!$&*+,;=%-]+$/.test(url))
    .map(({ label, url }) => `[${markdownText(plainLine(label, 80))}](<${url}>)`);
  return items.length === 0 ? [] : [items.join(" · ")];
}
