// `capacity`: the highest rate that a service sustains within a latency objective, measured or from a
// file of samples, and the files it is kept in.
import { join, resolve } from "node:path";
import type { CapacityResult } from "../model/capacity.ts";
import type { CostParameters } from "../model/cost.ts";
import { renderCapacityMarkdown } from "../report/capacity-markdown.ts";
import { renderCapacityHtml } from "../report/html/capacity-page.ts";
import { writeFileAtomic } from "../sys/files.ts";
import { measureLaunches } from "./capacity-measure.ts";
import { summarizeCapacity } from "./capacity-result.ts";
import { readCapacitySamples } from "./capacity-samples-file.ts";
import { type CapacityOptions, chooseScenario, settingsOf } from "./capacity-settings.ts";
import { prepareOutputFolder } from "./outcome.ts";
import { openProject } from "./project.ts";
import type { Environment } from "./settings.ts";

export const CAPACITY_FILES = {
  samples: "capacity.samples.v1.json",
  result: "capacity.v1.json",
  markdown: "capacity.md",
  html: "capacity.html",
} as const;

export interface CapacityOutcome {
  result: CapacityResult;
  /** What was written, samples first. */
  files: string[];
}

export async function measureCapacity(
  options: CapacityOptions,
  environment: Environment,
): Promise<CapacityOutcome> {
  const project = await openProject({ ...options, services: null }, environment);
  const chosen = chooseScenario(project.config, options);
  const { service } = chosen;
  // A search tells the service's waits from the generator's, for which it needs every request's release.
  const scenario = { ...chosen.scenario, generator: "oha" as const };
  const settings = settingsOf(options, project.config, scenario);
  prepareOutputFolder(project.out);
  const path = join(project.out, CAPACITY_FILES.samples);
  const request = { project, service, scenario, settings, options, path };
  const result = summarizeCapacity(await measureLaunches(request, environment));
  return { result, files: [path, ...writeResult(project.out, result)] };
}

/** The result of a samples file, again: with the same cost parameters, to the byte. */
export function capacityFromFile(
  request: { samples: string; cost: Partial<CostParameters>; out: string | null },
  environment: Environment,
): CapacityOutcome {
  const at = (path: string): string => resolve(environment.workingFolder, path);
  const samples = readCapacitySamples(at(request.samples));
  const result = summarizeCapacity(samples, { ...samples.cost, ...request.cost });
  if (request.out === null) return { result, files: [] };
  prepareOutputFolder(at(request.out));
  return { result, files: writeResult(at(request.out), result) };
}

function writeResult(out: string, result: CapacityResult): string[] {
  const files: [string, string][] = [
    [join(out, CAPACITY_FILES.result), `${JSON.stringify(result)}\n`],
    [join(out, CAPACITY_FILES.markdown), renderCapacityMarkdown(result)],
    [join(out, CAPACITY_FILES.html), renderCapacityHtml(result)],
  ];
  for (const [path, text] of files) writeFileAtomic(path, text);
  return files.map(([path]) => path);
}
