// The gate: build, measure, judge, report, in that order. Everything a run leaves behind is in its output folder.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { UserError } from "../base/errors.ts";
import { readBaselines } from "../baseline/store.ts";
import type { Baseline } from "../model/baseline.ts";
import type { Report } from "../model/report.ts";
import type { Samples } from "../model/samples.ts";
import { driftOf } from "../verdict/drift.ts";
import { readProfile } from "./calibrate-file.ts";
import { measure } from "./measure.ts";
import { FILES, prepareOutputFolder, reportOn, writeReports } from "./outcome.ts";
import { openProject, type Project } from "./project.ts";
import { writeSamples } from "./samples-file.ts";
import type { Environment, MeasureOptions } from "./settings.ts";

export interface GateResult {
  report: Report;
  /** What was written, samples first. */
  files: string[];
}

export async function gate(options: MeasureOptions, environment: Environment): Promise<GateResult> {
  const project = await openProject(options, environment);
  const baselines = baselinesOf(project);
  const { samples, path } = await measureAs(project, baselines, options, environment);
  environment.progress.stage("judge");
  const report = reportOn(samples, baselines);
  return { report, files: [path, ...writeReports(project.out, report)] };
}

export async function measureOnly(
  options: MeasureOptions,
  environment: Environment,
): Promise<{ samples: Samples; path: string }> {
  const project = await openProject(options, environment);
  return await measureAs(project, baselinesOf(project), options, environment);
}

export function baselinesOf(project: Project): Baseline[] {
  const { config } = project;
  return readBaselines(
    join(project.root, config.baselines.dir),
    config.runner.class,
    config.services.map(({ name }) => name),
  );
}

/**
 * `auto` screens the candidate against the stored baseline where the baseline's history knows this machine's drift, which
 * takes about a minute, and measures the reference alongside whenever the screen does not pass.
 */
async function measureAs(
  project: Project,
  baselines: readonly Baseline[],
  options: MeasureOptions,
  environment: Environment,
): Promise<{ samples: Samples; path: string }> {
  prepareOutputFolder(project.out);
  const path = join(project.out, FILES.samples);
  if (!options.resume && existsSync(path)) {
    environment.progress.note(`${path} is of an earlier run and will be replaced`);
  }
  const mode = options.compare ?? project.config.compare;
  const request = { project, baselines, options, path, profile: readProfile(project) };
  if (mode !== "auto") {
    if (mode !== "base" && baselines.length === 0) {
      throw new UserError(
        `compare: ${mode} needs a stored baseline, and ${project.config.baselines.dir} has none for runner class ${project.config.runner.class}`,
        {
          next: "Record one: tailgate baseline record. Or compare with the merge base: --compare base.",
        },
      );
    }
    return { samples: await measure({ ...request, compare: mode }, environment), path };
  }
  if (!options.resume && options.reference === null && canScreen(project, baselines)) {
    environment.progress.note("screening against the stored baseline first");
    const screened = await measure({ ...request, compare: "stored" }, environment);
    const state = reportOn(screened, baselines).verdict.state;
    if (state === "pass" || state === "improved" || screened.run.state === "interrupted") {
      return { samples: screened, path };
    }
    environment.progress.note(`the screen is ${state}: measuring the reference alongside`);
    writeSamples(join(project.out, "screen.samples.v1.json"), screened);
  }
  return { samples: await measure({ ...request, compare: "base" }, environment), path };
}

function canScreen(project: Project, baselines: readonly Baseline[]): boolean {
  return project.config.services.every(({ name }) => {
    const baseline = baselines.find(({ service }) => service === name);
    return (
      baseline !== undefined &&
      Object.keys(baseline.metrics).some((key) => driftOf(baseline, key) !== null)
    );
  });
}
