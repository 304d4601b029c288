// `capacity`: the highest rate that a service sustains within a latency objective, measured or from
// a file of samples, and the files it is kept in.
import { join, resolve } from "node:path";
import type { CapacityResult } from "../../core/capacity/model.ts";
import type { CostParameters } from "../../core/model/cost.ts";
import { renderCapacityHtml, renderCapacityMarkdown } from "../../core/report/capacity/document.ts";
import { describeCapacity } from "../../core/report/words/capacity.ts";
import { prepareOutputFolder, writeReports } from "../documents/reports.ts";
import { readCapacitySamples } from "../documents/samples.ts";
import type { Project } from "../project/project.ts";
import type { Environment } from "../settings.ts";
import { measureLaunches } from "./measure.ts";
import { type CapacityOptions, chooseScenario, settingsOf } from "./settings.ts";

const CAPACITY_FILES = {
  samples: "capacity.samples.v1.json",
  result: "capacity.v1.json",
  markdown: "capacity.md",
  html: "capacity.html",
} as const;

interface CapacityOutcome {
  result: CapacityResult;
  /** What was written, samples first. */
  files: string[];
}

export async function measureCapacity(
  options: CapacityOptions,
  project: Project,
  environment: Environment,
): Promise<CapacityOutcome> {
  const chosen = chooseScenario(project.config, options);
  const { service } = chosen;
  // A search tells the service's waits from the generator's, for which it needs every request's
  // release.
  const scenario = { ...chosen.scenario, generator: "oha" as const };
  const settings = settingsOf(options, project.config, scenario);
  prepareOutputFolder(project.out);
  const path = join(project.out, CAPACITY_FILES.samples);
  const request = { project, service, scenario, settings, options, path };
  const result = describeCapacity(await measureLaunches(request, environment));
  return { result, files: [path, ...writeResult(project.out, result)] };
}

/** The result of a samples file, again: with the same cost parameters, to the byte. */
export function capacityFromFile(
  request: { samples: string; cost: Partial<CostParameters>; out: string | null },
  environment: Environment,
): CapacityOutcome {
  const at = (path: string): string => resolve(environment.workingFolder, path);
  const samples = readCapacitySamples(at(request.samples));
  const result = describeCapacity(samples, { ...samples.cost, ...request.cost });
  if (request.out === null) return { result, files: [] };
  return { result, files: writeResult(at(request.out), result) };
}

function writeResult(out: string, result: CapacityResult): string[] {
  return writeReports(out, {
    [CAPACITY_FILES.result]: `${JSON.stringify(result)}\n`,
    [CAPACITY_FILES.markdown]: renderCapacityMarkdown(result),
    [CAPACITY_FILES.html]: renderCapacityHtml(result),
  });
}
