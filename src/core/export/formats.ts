// A report in a format of another program.
import type { Report } from "../model/report.ts";
import type { Samples } from "../model/samples.ts";
import { toBenchfmt } from "./benchfmt.ts";
import { toCsv } from "./csv.ts";
import { toBmf, toGitHubActionBenchmark } from "./json.ts";
import { toJunit } from "./junit.ts";
import type { ExportFormat } from "./names.ts";
import { toOpenMetrics } from "./openmetrics.ts";

/** `samples` is asked for only where the report does not have what is needed. */
type Render = (report: Report, samples: () => Samples) => string;

const RENDERERS: Readonly<Record<ExportFormat, Render>> = {
  bmf: toBmf,
  gha: toGitHubActionBenchmark,
  openmetrics: toOpenMetrics,
  junit: toJunit,
  benchfmt: (report, samples) => toBenchfmt(report, samples()),
  csv: toCsv,
};

export function renderExport(format: ExportFormat, report: Report, samples: () => Samples): string {
  return RENDERERS[format](report, samples);
}
