// `compare`: two services of the configuration in the same rounds, measured as the gate measures
// two builds, or from a file of samples. It judges and gates nothing.
import { resolve } from "node:path";
import { asWritten } from "../../core/base/as-written.ts";
import { compareServices } from "../../core/comparison/compare.ts";
import type { ServiceComparison } from "../../core/comparison/model.ts";
import { pairServices } from "../../core/comparison/pair.ts";
import { SamplesSchema } from "../../core/model/samples.ts";
import { type Kept, keepResult } from "../documents/reports.ts";
import { readAnySamples } from "../documents/samples.ts";
import { measureInto } from "../gate/measure.ts";
import type { Project } from "../project/project.ts";
import type { Environment } from "../settings.ts";

const SAMPLES_FILE = "comparison.samples.v1.json";
const DEFAULT_ROUNDS = 12;

interface CompareOptions {
  /** Whose values stand first, and whose they are divided by. */
  names: readonly [string, string];
  /** Only these; null: all that both have. */
  scenarios: readonly string[] | null;
  rounds: number | null;
}

export async function measureComparison(
  options: CompareOptions,
  opened: Project,
  environment: Environment,
): Promise<Kept<ServiceComparison>> {
  const { config, reference } = pairServices(opened.config, options.names, options.scenarios);
  const project = { ...opened, config, measureUnchanged: true };
  // If it is missing, that is said before anything is measured.
  const { tellComparison } = await environment.satellites.sheets();
  const plan = { kind: "rounds", rounds: options.rounds ?? DEFAULT_ROUNDS, reference } as const;
  const { samples, path } = await measureInto(SAMPLES_FILE, plan, project, environment);
  const told = tellComparison(compareServices(asWritten(SamplesSchema, samples)));
  return await keepResult(project.out, "comparison", told, environment, [path]);
}

/** The comparison of a samples file, again: the same to the byte. */
export async function comparisonFromFile(
  request: { samples: string; out: string | null },
  environment: Environment,
): Promise<Kept<ServiceComparison>> {
  const samples = readAnySamples(resolve(environment.workingFolder, request.samples));
  const { tellComparison } = await environment.satellites.sheets();
  const told = tellComparison(compareServices(samples));
  return await keepResult(request.out, "comparison", told, environment);
}
