// A report as GitHub's Markdown: report.md, and the summary of a job.
import { assertInvariant } from "../../base/errors.ts";
import type { Report } from "../../model/report.ts";
import { markdownText } from "../../text/escape.ts";
import { type Document, paragraph } from "../kit/blocks.ts";
import { blockLines, type FitOptions, fitMarkdown } from "../kit/markdown.ts";
import { verdictFacts } from "../words/states.ts";
import { describeWorst } from "../words/verdict.ts";
import { type Content, gateDocument, markdownContent } from "./sections.ts";

/** GitHub takes 65,536 characters in an issue, to which others add. */
const DEFAULT_MAX_CHARS = 64_000;
/** The verdict line alone, at its longest, fits. */
export const LEAST_MAX_CHARS = 4000;
/** Of a headline there, which escapes may make four times as long. */
const LEAST_HEADLINE = 400;

export function renderMarkdown(
  report: Report,
  { maxChars = DEFAULT_MAX_CHARS }: { maxChars?: number } = {},
): string {
  const { emoji, word } = verdictFacts(report.verdict);
  const title = [`### ${emoji} Tailgate: ${word}`];
  return fitReport(report, { title, maxChars, whereElse: "The report's files have it all." });
}

interface FitReport extends FitOptions {
  title: readonly string[];
  /** Below the headline. */
  context?: readonly string[];
  content?: Content;
}

/** With fewer rows, then without sections, until it fits; the verdict always does. */
export function fitReport(
  report: Report,
  { title, context = [], content, ...options }: FitReport,
): string {
  assertInvariant(options.maxChars >= LEAST_MAX_CHARS, `maxChars is below ${LEAST_MAX_CHARS}`);
  const worst = describeWorst(report.verdict);
  for (const maxRows of [200, 50, 15, 5]) {
    const own = { ...markdownContent(report, maxRows), ...content };
    const document = gateDocument(report, own, worst === "" ? [] : [paragraph(worst)]);
    const text = fitMarkdown(
      [...title, ...bannerLines(document), ...context],
      document.sections,
      options,
    );
    if (text !== null) return text;
  }
  const headline = markdownText(report.verdict.summary, LEAST_HEADLINE);
  const left = `_Everything else is left out for lack of room. ${options.whereElse}_`;
  return `${[...title, "", `**${headline}**`, ...context, "", left].join("\n")}\n`;
}

function bannerLines({ headline, summary, mark }: Document): string[] {
  return [
    "",
    // Empty bold text would be a rule across the page.
    `**${markdownText(headline) || mark?.word}**`,
    ...summary.flatMap((block) => ["", ...blockLines(block)]),
  ];
}
