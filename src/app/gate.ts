// The gate: build, measure, judge, report, in that order. Everything a run leaves behind is in its output folder.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { UserError } from "../base/errors.ts";
import { readBaselines } from "../baseline/store.ts";
import type { Baseline } from "../model/baseline.ts";
import type { CompareMode } from "../model/config.ts";
import type { Report } from "../model/report.ts";
import type { Samples } from "../model/samples.ts";
import { readProfile } from "./calibrate-file.ts";
import { measure } from "./measure.ts";
import { FILES, prepareOutputFolder, reportOn, writeReports } from "./outcome.ts";
import { openProject, type Project } from "./project.ts";
import { readEarlier } from "./resume.ts";
import { writeSamples } from "./samples-file.ts";
import { canScreen, screenLimits } from "./screen.ts";
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
 * `auto` screens the candidate against the stored baseline where that can answer every gated question, which takes about a
 * minute, and measures the reference alongside whenever the screen does not pass, with what is left of the time budget. A run
 * that is resumed compares as it did. `run` is for tests.
 */
export async function measureAs(
  project: Project,
  baselines: readonly Baseline[],
  options: MeasureOptions,
  environment: Environment,
  run: typeof measure = measure,
): Promise<{ samples: Samples; path: string }> {
  const asked = options.compare ?? project.config.compare;
  refuseIdleReference(options, asked);
  prepareOutputFolder(project.out);
  const path = join(project.out, FILES.samples);
  if (!options.resume && existsSync(path)) {
    environment.progress.note(`${path} is of an earlier run and will be replaced`);
  }
  const request = { project, baselines, options, path, profile: readProfile(project) };
  const earlier =
    options.resume && (options.compare ?? "auto") === "auto" ? readEarlier(path).run.compare : null;
  const isScreen =
    asked === "auto" &&
    options.reference === null &&
    (earlier === null ? canScreen(project.config, baselines) : earlier === "stored");
  if (!isScreen) {
    const compare = earlier ?? (asked === "auto" ? "base" : asked);
    if (compare !== "base") requireBaseline(project, baselines, compare);
    return { samples: await run({ ...request, compare }, environment), path };
  }
  environment.progress.note("screening against the stored baseline first");
  const screen = screenLimits(project.config.policy);
  const screened = await run({ ...request, compare: "stored", screen }, environment);
  const { state } = reportOn(screened, baselines).verdict;
  const passed = state === "pass" || state === "improved";
  // What failed is not measured again until it works.
  if (passed || screened.run.state !== "complete") return { samples: screened, path };
  environment.progress.note(`the screen is ${state}: measuring the reference alongside`);
  writeSamples(join(project.out, "screen.samples.v1.json"), screened);
  const alongside = {
    ...request,
    options: { ...options, resume: false },
    compare: "base",
    spentMs: screened.run.measuredMs,
  } as const;
  return { samples: await run(alongside, environment), path };
}

function requireBaseline(project: Project, baselines: readonly Baseline[], compare: string): void {
  if (baselines.length > 0) return;
  throw new UserError(
    `compare: ${compare} needs a stored baseline, and ${project.config.baselines.dir} has none for runner class ${project.config.runner.class}`,
    {
      next: "Record one: tailgate baseline record. Or compare with the merge base: --compare base.",
    },
  );
}

/** What is stored, and the commit that it was stored of, leave no choice of a reference. */
function refuseIdleReference({ reference }: MeasureOptions, asked: CompareMode): void {
  if (reference === null || asked === "base" || asked === "auto") return;
  throw new UserError(
    `compare: ${asked} compares with the stored baseline, so the reference ${reference} would not be used`,
    {
      next: `Leave out the reference, or compare with it: --compare base --reference ${reference}.`,
    },
  );
}
