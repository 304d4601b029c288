// A verdict as the runner shows it: outputs, annotations, and the summary on the page of the
// workflow run.
import type { UserError } from "../../core/base/errors.ts";
import type { Report } from "../../core/model/report.ts";
import { renderAnnotations } from "../../core/report/gate/annotations.ts";
import { renderMarkdown } from "../../core/report/gate/markdown.ts";
import { markdownText, plainLine, plainLines } from "../../core/text/escape.ts";
import type { Conclusion, Job } from "../job.ts";

/** Far below the size at which GitHub drops a summary, and enough for every table. */
const MAX_SUMMARY_CHARS = 250_000;

/** As output and summary. */
export function showReport({ runner }: Pick<Job, "runner">, report: Report, remark = ""): void {
  const text = renderMarkdown(report, { maxChars: MAX_SUMMARY_CHARS });
  runner.output("verdict", report.verdict.state);
  runner.summary(`${text}${withRemark(remark)}`);
}

/** As the last lines of a summary; empty: there is none. */
export function withRemark(remark: string): string {
  return remark === "" ? "" : `\n> ${markdownText(remark)}\n`;
}

/** Beside the commit that this job is of, which must be the one that was measured. */
export function annotateReport({ runner }: Pick<Job, "runner">, report: Report): void {
  for (const annotation of renderAnnotations(report)) runner.annotate(annotation);
}

/** The verdict that was shown stays what it is; only telling others of it has failed. */
export function unreported(
  { runner }: Pick<Job, "runner">,
  what: string,
  error: UserError,
): Conclusion {
  for (const line of plainLines(`${error.detail ?? ""}\n${error.next ?? ""}`)) runner.log(line);
  return { state: "failure", headline: plainLine(`${what}, but ${error.message}`) };
}
