// A report in the formats of other programs.
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { UserError } from "../../core/base/errors.ts";
import { EXPORT_FILES, type ExportFormat } from "../../core/export/names.ts";
import type { Report } from "../../core/model/report.ts";
import type { Samples } from "../../core/model/samples.ts";
import { FILES } from "../gate/outcome.ts";
import type { Satellites } from "../settings.ts";
import { writeReports } from "./reports.ts";
import { readReport, readSamples } from "./samples.ts";

/** `path` is of a report; its samples are read from beside it where they are needed. */
export async function exportReport(
  path: string,
  format: ExportFormat,
  { renderExport }: Satellites,
): Promise<string> {
  const report = readReport(path);
  const samples = join(dirname(path), FILES.samples);
  return await renderExport(format, report, () => samplesOf(report, samples));
}

/** Writes them beside the samples; returns the paths. */
export async function writeExports(
  report: Report,
  samplesPath: string,
  formats: readonly ExportFormat[],
  { renderExport }: Satellites,
): Promise<string[]> {
  const texts = await Promise.all(
    formats.map(async (format) => [
      EXPORT_FILES[format],
      await renderExport(format, report, () => samplesOf(report, samplesPath)),
    ]),
  );
  return writeReports(dirname(samplesPath), Object.fromEntries(texts));
}

const NEXT =
  "Put the samples.v1.json that the report was made of beside it, or choose another format.";

function samplesOf({ run }: Report, path: string): Samples {
  if (!existsSync(path)) {
    throw new UserError(`there is no ${path}, which has the values of each launch`, { next: NEXT });
  }
  const samples = readSamples(path);
  if (samples.run.id === run.id) return samples;
  throw new UserError(
    `${path} is of the run ${samples.run.id}, and the report is of the run ${run.id}`,
    { next: NEXT },
  );
}
