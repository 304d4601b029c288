// A verdict as the runner shows it: outputs, annotations, and the summary on the page of the
// workflow run.
import { dirname } from "node:path";
import { writeExports } from "../../app/documents/exports.ts";
import type { UserError } from "../../core/base/errors.ts";
import type { Report } from "../../core/model/report.ts";
import { renderMarkdown } from "../../core/report/gate/markdown.ts";
import { markdownText, plainLine, plainLines } from "../../core/text/escape.ts";
import type { Conclusion, Job } from "../job/job.ts";

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

/**
 * Of the commit that this job is of: also as annotations beside it, and in other formats beside the
 * samples.
 */
export async function tellReport(
  job: Pick<Job, "runner" | "inputs" | "environment">,
  run: { report: Report; samplesPath: string },
  remark = "",
): Promise<void> {
  const { runner, inputs, environment } = job;
  showReport(job, run.report, remark);
  const { renderAnnotations } = await environment.satellites.sheets();
  for (const annotation of renderAnnotations(run.report)) runner.annotate(annotation);
  await writeExports(inputs.exports, run, environment.satellites);
  runner.output("reports", dirname(run.samplesPath));
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
