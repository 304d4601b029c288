// `capacity`: the highest rate that a service sustains within a latency objective, measured or from
// a file of samples, and the files it is kept in.
import { join, resolve } from "node:path";
import type { CapacityResult } from "../../core/capacity/model.ts";
import { summarizeCapacity } from "../../core/capacity/result.ts";
import type { CostParameters } from "../../core/model/cost.ts";
import { type Kept, keepResult, prepareOutputFolder } from "../documents/reports.ts";
import { readCapacitySamples } from "../documents/samples.ts";
import type { Project } from "../project/project.ts";
import type { Environment } from "../settings.ts";
import { measureLaunches } from "./measure.ts";
import { type CapacityOptions, chooseScenario, settingsOf } from "./settings.ts";

const SAMPLES_FILE = "capacity.samples.v1.json";

export async function measureCapacity(
  options: CapacityOptions,
  project: Project,
  environment: Environment,
): Promise<Kept<CapacityResult>> {
  const chosen = chooseScenario(project.config, options);
  const { service } = chosen;
  // A search tells the service's waits from the generator's, for which it needs every request's
  // release.
  const scenario = { ...chosen.scenario, generator: "oha" as const };
  const settings = settingsOf(options, project.config, scenario);
  prepareOutputFolder(project.out);
  // If it is missing, that is said before anything is measured.
  const { tellCapacity } = await environment.satellites.sheets();
  const path = join(project.out, SAMPLES_FILE);
  const request = { project, service, scenario, settings, options, path };
  const samples = await measureLaunches(request, environment);
  const told = tellCapacity(summarizeCapacity(samples));
  return await keepResult(project.out, "capacity", told, environment, [path]);
}

/** The result of a samples file, again: with the same cost parameters, to the byte. */
export async function capacityFromFile(
  request: { samples: string; cost: Partial<CostParameters>; out: string | null },
  environment: Environment,
): Promise<Kept<CapacityResult>> {
  const samples = readCapacitySamples(resolve(environment.workingFolder, request.samples));
  const cost = { ...samples.cost, ...request.cost };
  const { tellCapacity } = await environment.satellites.sheets();
  const told = tellCapacity(summarizeCapacity({ ...samples, cost }));
  return await keepResult(request.out, "capacity", told, environment);
}
