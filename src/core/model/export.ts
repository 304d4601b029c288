// The formats of other programs that a report can be had in, and the file that each is in beside it.
export const EXPORT_FILES = {
  bmf: "report.bmf.json",
  gha: "report.gha.json",
  openmetrics: "report.metrics.txt",
  junit: "report.junit.xml",
  benchfmt: "report.bench.txt",
  csv: "report.csv",
} as const;

export type ExportFormat = keyof typeof EXPORT_FILES;
export const EXPORT_FORMATS = Object.keys(EXPORT_FILES) as ExportFormat[];

/** What each launch of a comparison's arms measured, in the metric's unit; by the comparison's id. */
export type LaunchValues = ReadonlyMap<
  string,
  readonly {
    round: number;
    candidate: number;
    /** NaN when the candidate is measured alone. */
    reference: number;
  }[]
>;

/** Beside a commit on GitHub. */
export interface Annotation {
  level: "error" | "warning" | "notice";
  title: string;
  message: string;
}
