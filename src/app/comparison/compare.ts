// `compare`: two services of the configuration in the same rounds, measured or from a file of
// samples, and the files that it is kept in. It states and gates nothing.
import { join, resolve } from "node:path";
import { asWritten } from "../../core/base/as-written.ts";
import { chooseServices } from "../../core/comparison/choice.ts";
import { ComparisonSamplesSchema, type ServiceComparison } from "../../core/comparison/model.ts";
import {
  renderComparisonHtml,
  renderComparisonMarkdown,
} from "../../core/report/comparison/document.ts";
import { describeServices } from "../../core/report/words/comparison.ts";
import { prepareOutputFolder, writeReports } from "../documents/reports.ts";
import { readComparisonSamples } from "../documents/samples.ts";
import type { Project } from "../project/project.ts";
import type { Environment } from "../settings.ts";
import { measureServices } from "./measure.ts";

const COMPARISON_FILES = {
  samples: "comparison.samples.v1.json",
  result: "comparison.v1.json",
  markdown: "comparison.md",
  html: "comparison.html",
} as const;

const DEFAULT_ROUNDS = 12;

interface CompareOptions {
  /** Whose values stand first, and whose they are divided by. */
  names: readonly [string, string];
  /** Only these; null: all that both have. */
  scenarios: readonly string[] | null;
  rounds: number | null;
}

interface CompareOutcome {
  result: ServiceComparison;
  /** What was written, samples first. */
  files: string[];
}

export async function measureComparison(
  options: CompareOptions,
  project: Project,
  environment: Environment,
): Promise<CompareOutcome> {
  const choice = chooseServices(project.config, options.names, options.scenarios);
  prepareOutputFolder(project.out);
  const path = join(project.out, COMPARISON_FILES.samples);
  const request = { project, choice, rounds: options.rounds ?? DEFAULT_ROUNDS, path };
  const samples = asWritten(ComparisonSamplesSchema, await measureServices(request, environment));
  const result = describeServices(samples);
  return { result, files: [path, ...writeResult(project.out, result)] };
}

/** The comparison of a samples file, again: the same to the byte. */
export function comparisonFromFile(
  request: { samples: string; out: string | null },
  environment: Environment,
): CompareOutcome {
  const at = (path: string): string => resolve(environment.workingFolder, path);
  const result = describeServices(readComparisonSamples(at(request.samples)));
  if (request.out === null) return { result, files: [] };
  return { result, files: writeResult(at(request.out), result) };
}

function writeResult(out: string, result: ServiceComparison): string[] {
  return writeReports(out, {
    [COMPARISON_FILES.result]: `${JSON.stringify(result)}\n`,
    [COMPARISON_FILES.markdown]: renderComparisonMarkdown(result),
    [COMPARISON_FILES.html]: renderComparisonHtml(result),
  });
}
