// From samples to what a person gets: verdict, report, and the files they are kept in.
import type { Baseline } from "../../core/model/baseline.ts";
import type { HistoryRecord } from "../../core/model/history.ts";
import type { Report } from "../../core/model/report.ts";
import type { Samples } from "../../core/model/samples.ts";
import { renderMarkdown } from "../../core/report/gate/markdown.ts";
import { describeRun } from "../../core/report/words/verdict.ts";
import { judge } from "../../core/verdict/judge.ts";
import { FILES, writePage, writeReports } from "../documents/reports.ts";
import type { Environment, Pages } from "../settings.ts";

export function reportOn(
  samples: Samples,
  baselines: readonly Baseline[],
  history: readonly HistoryRecord[] = [],
): Report {
  return describeRun(samples, judge({ samples, baselines, history }));
}

/** Writes the three forms of a report into `folder`; returns their paths. */
export async function writeGateReports(
  folder: string,
  report: Report,
  environment: Pick<Environment, "satellites" | "progress">,
): Promise<string[]> {
  const files = writeReports(folder, {
    [FILES.report]: `${JSON.stringify(report)}\n`,
    [FILES.markdown]: renderMarkdown(report),
  });
  const draw = (pages: Pages): string => pages.renderReportPage(report);
  return [...files, ...(await writePage(folder, FILES.html, draw, environment))];
}
