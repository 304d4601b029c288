// From samples to what a person gets: verdict, report, and the files they are kept in.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Baseline } from "../model/baseline.ts";
import type { Report } from "../model/report.ts";
import type { Samples } from "../model/samples.ts";
import { renderHtml } from "../report/html/page.ts";
import { renderMarkdown } from "../report/markdown.ts";
import { writeFileAtomic } from "../sys/files.ts";
import { assembleReport } from "../verdict/assemble-report.ts";
import { judge } from "../verdict/judge.ts";

export const FILES = {
  samples: "samples.v1.json",
  report: "report.v1.json",
  markdown: "report.md",
  html: "report.html",
} as const;

export function reportOn(samples: Samples, baselines: readonly Baseline[]): Report {
  return assembleReport(samples, judge({ samples, baselines }));
}

/** Writes the three forms of a report into `folder`; returns their paths. */
export function writeReports(folder: string, report: Report): string[] {
  const files: [string, string][] = [
    [join(folder, FILES.report), `${JSON.stringify(report)}\n`],
    [join(folder, FILES.markdown), renderMarkdown(report)],
    [join(folder, FILES.html), renderHtml(report)],
  ];
  for (const [path, text] of files) writeFileAtomic(path, text);
  return files.map(([path]) => path);
}

/**
 * A folder of ours inside a checkout ignores itself, so that a run leaves `git status` as it was. One that holds anything else
 * is somebody's own, and what git sees of it is not ours to say.
 */
export function prepareOutputFolder(folder: string): void {
  if (existsSync(folder) && readdirSync(folder).length > 0) return;
  writeFileAtomic(join(folder, ".gitignore"), "*\n");
}
