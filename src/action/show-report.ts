// A verdict as the runner shows it: outputs, annotations, and the summary on the page of the workflow run.
import type { UserError } from "../base/errors.ts";
import type { Report } from "../model/report.ts";
import { renderAnnotations } from "../report/annotations.ts";
import { plainLine, plainLines } from "../report/foreign.ts";
import { renderMarkdown } from "../report/markdown.ts";
import type { Conclusion, Job } from "./job.ts";

/** Far below the size at which GitHub drops a summary, and enough for every table. */
const MAX_SUMMARY_CHARS = 250_000;

/** As output and summary. */
export function showReport({ runner }: Pick<Job, "runner">, report: Report): void {
  runner.output("verdict", report.verdict.state);
  runner.summary(renderMarkdown(report, { maxChars: MAX_SUMMARY_CHARS }));
}

/** Beside the commit that this job is of, which must be the one that was measured. */
export function annotateReport({ runner }: Pick<Job, "runner">, report: Report): void {
  for (const annotation of renderAnnotations(report)) runner.annotate(annotation);
}

/** The verdict that was shown stays what it is; only telling others of it has failed. */
export function notTold(
  { runner }: Pick<Job, "runner">,
  what: string,
  error: UserError,
): Conclusion {
  for (const line of plainLines(`${error.detail ?? ""}\n${error.next ?? ""}`)) runner.log(line);
  return { state: "failure", headline: plainLine(`${what}, but ${error.message}`) };
}
