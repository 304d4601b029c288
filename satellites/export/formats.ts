// A report in a format of another program.

import type { ExportFormat, LaunchValues } from "../../src/core/model/export.ts";
import type { Report } from "../../src/core/model/report.ts";
import { toBenchfmt } from "./benchfmt.ts";
import { toCsv } from "./csv.ts";
import { toBmf, toGitHubActionBenchmark } from "./json.ts";
import { toJunit } from "./junit.ts";
import { toOpenMetrics } from "./openmetrics.ts";

type Render = (report: Report, launches: () => LaunchValues) => string;

const RENDERERS: Readonly<Record<ExportFormat, Render>> = {
  bmf: toBmf,
  gha: toGitHubActionBenchmark,
  openmetrics: toOpenMetrics,
  junit: toJunit,
  benchfmt: (report, launches) => toBenchfmt(report, launches()),
  csv: toCsv,
};

/** `launches` is asked for only by a format that has them. */
export function renderExport(
  format: ExportFormat,
  report: Report,
  launches: () => LaunchValues,
): string {
  return RENDERERS[format](report, launches);
}
