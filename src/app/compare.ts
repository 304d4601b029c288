// `compare`: two services of the configuration in the same rounds, measured or from a file of samples, and the files that
// it is kept in. It states and gates nothing.
import { join, resolve } from "node:path";
import { UserError } from "../base/errors.ts";
import { describeIssues } from "../base/issues.ts";
import {
  type ComparisonSamples,
  ComparisonSamplesSchema,
  type ServiceComparison,
} from "../model/comparison.ts";
import { renderComparisonMarkdown } from "../report/comparison-markdown.ts";
import { renderComparisonHtml } from "../report/html/comparison-page.ts";
import { writeFileAtomic } from "../sys/files.ts";
import { compareServices } from "../verdict/compare-services.ts";
import { chooseServices } from "./compare-choice.ts";
import { measureServices } from "./compare-measure.ts";
import { prepareOutputFolder } from "./outcome.ts";
import { openProject } from "./project.ts";
import { readJson } from "./samples-file.ts";
import type { Environment, MeasureOptions } from "./settings.ts";

export const COMPARISON_FILES = {
  samples: "comparison.samples.v1.json",
  result: "comparison.v1.json",
  markdown: "comparison.md",
  html: "comparison.html",
} as const;

export const DEFAULT_ROUNDS = 12;

export interface CompareOptions
  extends Pick<MeasureOptions, "config" | "out" | "seed" | "timeBudgetMs" | "lockTimeoutMs"> {
  /** Whose values stand first, and whose they are divided by. */
  names: readonly [string, string];
  /** Only these; null: all that both have. */
  scenarios: readonly string[] | null;
  rounds: number | null;
}

export interface CompareOutcome {
  result: ServiceComparison;
  /** What was written, samples first. */
  files: string[];
}

export async function measureComparison(
  options: CompareOptions,
  environment: Environment,
): Promise<CompareOutcome> {
  const project = await openProject({ ...options, services: null }, environment);
  const choice = chooseServices(project.config, options.names, options.scenarios);
  prepareOutputFolder(project.out);
  const path = join(project.out, COMPARISON_FILES.samples);
  const { seed, lockTimeoutMs } = options;
  const rounds = options.rounds ?? DEFAULT_ROUNDS;
  const request = { project, choice, rounds, seed, lockTimeoutMs, path };
  await measureServices(request, environment);
  // From the file, so that rendering it again gives the same bytes: reading puts keys in the schema's order.
  const { result, files } = comparisonFromFile({ samples: path, out: project.out }, environment);
  return { result, files: [path, ...files] };
}

/** The comparison of a samples file, again: the same to the byte. */
export function comparisonFromFile(
  request: { samples: string; out: string | null },
  environment: Environment,
): CompareOutcome {
  const at = (path: string): string => resolve(environment.workingFolder, path);
  const result = compareServices(readComparisonSamples(at(request.samples)));
  if (request.out === null) return { result, files: [] };
  prepareOutputFolder(at(request.out));
  return { result, files: writeResult(at(request.out), result) };
}

function readComparisonSamples(path: string): ComparisonSamples {
  const value = readJson(path, "samples file");
  const parsed = ComparisonSamplesSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [first = "", ...rest] = describeIssues(parsed.error, value);
  throw new UserError(`${path} is not a comparison samples file of this version: ${first}`, {
    detail: rest.slice(0, 9).join("\n"),
    next: "Measure again: tailgate compare <service> <service>.",
  });
}

function writeResult(out: string, result: ServiceComparison): string[] {
  const files: [string, string][] = [
    [join(out, COMPARISON_FILES.result), `${JSON.stringify(result)}\n`],
    [join(out, COMPARISON_FILES.markdown), renderComparisonMarkdown(result)],
    [join(out, COMPARISON_FILES.html), renderComparisonHtml(result)],
  ];
  for (const [path, text] of files) writeFileAtomic(path, text);
  return files.map(([path]) => path);
}
