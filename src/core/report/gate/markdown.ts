// A report as GitHub's Markdown: report.md, and the summary of a job.
import { assertInvariant } from "../../base/errors.ts";
import type { Report } from "../../model/report.ts";
import { markdownText } from "../../text/escape.ts";
import type { Document } from "../kit/blocks.ts";
import { blockLines, fitMarkdown } from "../kit/markdown.ts";
import { verdictFacts } from "../words/states.ts";
import { type Content, gateDocument, markdownContent } from "./sections.ts";

/** GitHub takes 65,536 characters in an issue, to which others add. */
const DEFAULT_MAX_CHARS = 64_000;
/** The verdict line alone, at its longest, fits. */
export const LEAST_MAX_CHARS = 4000;
/** Of a headline there, which escapes may make four times as long. */
const LEAST_HEADLINE = 400;

interface MarkdownOptions {
  maxChars?: number;
}

export function renderMarkdown(
  report: Report,
  { maxChars = DEFAULT_MAX_CHARS }: MarkdownOptions = {},
): string {
  const { emoji, word } = verdictFacts(report.verdict);
  return fitReport(report, {
    title: [`### ${emoji} Tailgate: ${word}`],
    maxChars,
    whereElse: "The report's files have it all.",
  });
}

interface FitReport {
  title: readonly string[];
  maxChars: number;
  whereElse: string;
  /** Its last line; empty: none. */
  footer?: string;
  content?: Content;
}

/** With fewer rows, then without sections, until it fits; the verdict always does. */
export function fitReport(
  report: Report,
  { title, maxChars, whereElse, footer = "", content = {} }: FitReport,
): string {
  assertInvariant(maxChars >= LEAST_MAX_CHARS, `maxChars is below ${LEAST_MAX_CHARS}`);
  for (const maxRows of [200, 50, 15, 5]) {
    const document = gateDocument(report, { ...markdownContent(report, maxRows), ...content });
    const text = fitMarkdown([...title, ...bannerLines(document)], document.sections, {
      maxChars: maxChars - footer.length - 2,
      whereElse,
    });
    if (text !== null) return footer === "" ? text : `${text}\n${footer}\n`;
  }
  const { headline } = gateDocument(report, {});
  return `${[...title, "", `**${markdownText(headline, LEAST_HEADLINE)}**`, "", `_Everything else is left out for lack of room. ${whereElse}_`].join("\n")}\n`;
}

function bannerLines({ headline, summary, mark }: Document): string[] {
  return [
    "",
    // Empty bold text would be a rule across the page.
    `**${markdownText(headline) || mark?.word}**`,
    ...summary.flatMap((block) => ["", ...blockLines(block)]),
  ];
}
