// `capacity`: the highest rate that a service sustains within a latency objective, measured or from
// a file of samples, and the files it is kept in.
import { join, resolve } from "node:path";
import type { CapacityResult } from "../../core/capacity/model.ts";
import type { CostParameters } from "../../core/model/cost.ts";
import { capacityDocument } from "../../core/report/capacity/document.ts";
import { describeCapacity } from "../../core/report/words/capacity.ts";
import { prepareOutputFolder, writeResult } from "../documents/reports.ts";
import { readCapacitySamples } from "../documents/samples.ts";
import type { Project } from "../project/project.ts";
import type { Environment } from "../settings.ts";
import { measureLaunches } from "./measure.ts";
import { type CapacityOptions, chooseScenario, settingsOf } from "./settings.ts";

const SAMPLES_FILE = "capacity.samples.v1.json";

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
  const path = join(project.out, SAMPLES_FILE);
  const request = { project, service, scenario, settings, options, path };
  const samples = await measureLaunches(request, environment);
  const { result, files } = await outcomeOf(describeCapacity(samples), project.out, environment);
  return { result, files: [path, ...files] };
}

/** The result of a samples file, again: with the same cost parameters, to the byte. */
export async function capacityFromFile(
  request: { samples: string; cost: Partial<CostParameters>; out: string | null },
  environment: Environment,
): Promise<CapacityOutcome> {
  const { workingFolder } = environment;
  const samples = readCapacitySamples(resolve(workingFolder, request.samples));
  const result = describeCapacity(samples, { ...samples.cost, ...request.cost });
  const out = request.out === null ? null : resolve(workingFolder, request.out);
  return await outcomeOf(result, out, environment);
}

/** `out` null: nothing is written. */
async function outcomeOf(
  result: CapacityResult,
  out: string | null,
  environment: Environment,
): Promise<CapacityOutcome> {
  if (out === null) return { result, files: [] };
  return {
    result,
    files: await writeResult(out, "capacity", result, capacityDocument(result), environment),
  };
}
