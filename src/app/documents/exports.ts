// A report in the formats of other programs.
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { UserError } from "../../core/base/errors.ts";
import { EXPORT_FILES, type ExportFormat, type LaunchValues } from "../../core/model/export.ts";
import type { Report } from "../../core/model/report.ts";
import type { Samples } from "../../core/model/samples.ts";
import { askedOf } from "../../core/verdict/hypotheses.ts";
import { seriesOf } from "../../core/verdict/series.ts";
import { roundsOfEqualWork } from "../../core/verdict/validity.ts";
import type { Satellites } from "../settings.ts";
import { writeReports } from "./reports.ts";
import { readSamples } from "./samples.ts";

/** `samplesPath`: of the samples that the report is of, which are read where they are needed. */
export async function exportReport(
  format: ExportFormat,
  { report, samplesPath }: { report: Report; samplesPath: string },
  satellites: Satellites,
): Promise<string> {
  const { renderExport } = await satellites.export();
  return renderExport(format, report, () => launchesOf(report, samplesOf(report, samplesPath)));
}

/** Writes them beside the samples; returns the paths. */
export async function writeExports(
  formats: readonly ExportFormat[],
  run: { report: Report; samplesPath: string },
  satellites: Satellites,
): Promise<string[]> {
  const texts = await Promise.all(
    formats.map(async (one) => [EXPORT_FILES[one], await exportReport(one, run, satellites)]),
  );
  return writeReports(dirname(run.samplesPath), Object.fromEntries(texts));
}

/** Of all that the report's configuration asks, which may be another than the samples' own. */
export function launchesOf({ config }: Report, samples: Samples): LaunchValues {
  const equal = roundsOfEqualWork(samples);
  return new Map(
    askedOf({ ...samples, config }).map((one) => [
      one.id,
      seriesOf(one, one.scenario === null ? equal : samples.rounds),
    ]),
  );
}

const NEXT =
  "Put the samples.v1.json that the report was made of beside it, or choose another format.";

function samplesOf({ run }: Report, path: string): Samples {
  if (!existsSync(path)) {
    throw new UserError(`there is no ${path}, which has the values of each launch`, { next: NEXT });
  }
  const samples = readSamples(path);
  if (samples.run.id === run.id) return samples;
  const why = `${path} is of the run ${samples.run.id}, and the report is of the run ${run.id}`;
  throw new UserError(why, { next: NEXT });
}
