// `judge`: a samples file to a verdict, here or on another machine, with the file's own policy or another.
import { isAbsolute, resolve } from "node:path";
import { UserError } from "../base/errors.ts";
import { readBaselines } from "../baseline/store.ts";
import { configFromText } from "../config/load.ts";
import type { Report } from "../model/report.ts";
import type { Samples } from "../model/samples.ts";
import { prepareOutputFolder, reportOn, writeReports } from "./outcome.ts";
import { readSamples, readText } from "./samples-file.ts";
import type { Environment } from "./settings.ts";

export interface JudgeRequest {
  samples: string;
  /** Judge with this configuration's policy; null: the samples' own. */
  config: string | null;
  /** Folder of baselines; null: where the samples' configuration says, from the working folder. */
  baselines: string | null;
  /** Write the reports here; null: write nothing. */
  out: string | null;
}

export async function judgeFile(
  request: JudgeRequest,
  environment: Environment,
): Promise<{ report: Report; files: string[] }> {
  const at = (path: string): string => resolve(environment.workingFolder, path);
  let samples = readSamples(at(request.samples));
  if (request.config !== null) samples = withPolicyOf(samples, at(request.config));
  const dir = request.baselines ?? samples.config.baselines.dir;
  const baselines = readBaselines(
    isAbsolute(dir) ? dir : at(dir),
    samples.config.runner.class,
    samples.config.services.map(({ name }) => name),
  );
  const report = reportOn(samples, baselines);
  if (request.out === null) return { report, files: [] };
  const out = at(request.out);
  prepareOutputFolder(out);
  return { report, files: writeReports(out, report) };
}

/** Policy may change after the fact; what was measured may not. */
function withPolicyOf(samples: Samples, path: string): Samples {
  // Waivers are looked at on the day of the gate, so that judging again says the same on any other.
  const today = samples.run.startedAt.slice(0, 10);
  const config = configFromText(readText(path), { path, root: null }, { today });
  const measured = new Set(samples.config.scenarios.map(({ id }) => id));
  const missing = config.scenarios.map(({ id }) => id).filter((id) => !measured.has(id));
  if (missing.length > 0) {
    throw new UserError(`the samples do not have the scenario ${missing.join(", ")}`, {
      next: "Judge with a configuration whose scenarios were measured.",
    });
  }
  const { policy, waivers } = config;
  const limits = new Map(config.scenarios.map(({ id, metrics }) => [id, metrics]));
  const scenarios = samples.config.scenarios.map((scenario) => ({
    ...scenario,
    metrics: limits.get(scenario.id) ?? scenario.metrics,
  }));
  return { ...samples, config: { ...samples.config, scenarios, policy, waivers } };
}
