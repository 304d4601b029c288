// A verdict as the runner shows it: outputs, annotations, and the summary on the page of the workflow run.
import type { Report } from "../model/report.ts";
import { renderAnnotations } from "../report/annotations.ts";
import { renderMarkdown } from "../report/markdown.ts";
import type { Job } from "./job.ts";

/** Far below the size at which GitHub drops a summary, and enough for every table. */
const MAX_SUMMARY_CHARS = 250_000;

/** `reports` is the folder with the report's files; null: there is none. */
export function showReport(
  { runner }: Pick<Job, "runner">,
  report: Report,
  reports: string | null,
): void {
  runner.output("verdict", report.verdict.state);
  if (reports !== null) runner.output("reports", reports);
  for (const annotation of renderAnnotations(report)) runner.annotate(annotation);
  runner.summary(renderMarkdown(report, { maxChars: MAX_SUMMARY_CHARS }));
}
