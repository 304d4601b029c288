// The gate: build, measure, judge, report, in that order. Everything a run leaves behind is in its
// output folder.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { UserError } from "../../core/base/errors.ts";
import type { Baseline } from "../../core/model/baseline.ts";
import type { Report } from "../../core/model/report.ts";
import type { Samples } from "../../core/model/samples.ts";
import { readBaselines } from "../documents/baselines.ts";
import { readProfile } from "../documents/profile.ts";
import { prepareOutputFolder } from "../documents/reports.ts";
import { writeSamples } from "../documents/samples.ts";
import { silentProgress } from "../progress.ts";
import type { Project } from "../project/project.ts";
import type { Environment } from "../settings.ts";
import { type ArmSetups, type ResolvedArms, resolveArms } from "./arm-setup.ts";
import { type MeasureRequest, measure } from "./measure.ts";
import { FILES, reportOn, writeGateReports } from "./outcome.ts";
import { earlierRun } from "./resume.ts";
import { canScreen, screenLimits } from "./screen.ts";
import { refuseTooLittleTime } from "./time-to-answer.ts";
import { findUnchanged, unchangedPorts } from "./unchanged.ts";

interface GateResult {
  report: Report;
  /** What was written, samples first. */
  files: string[];
}

export async function gate(project: Project, environment: Environment): Promise<GateResult> {
  const baselines = baselinesOf(project);
  const { samples, path } = await measureAs(project, baselines, environment);
  environment.progress.stage("judge");
  const report = reportOn(samples, baselines, project.history);
  return { report, files: [path, ...writeGateReports(project.out, report)] };
}

export async function measureOnly(
  project: Project,
  environment: Environment,
): Promise<{ samples: Samples; path: string }> {
  return await measureAs(project, baselinesOf(project), environment);
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
 * `auto` screens the candidate against the stored baseline where that can answer every gated
 * question, which takes about a minute, and measures the reference alongside whenever the screen
 * does not pass, with what is left of the time budget. A run that is resumed compares as it did.
 * `run` is for tests.
 */
export async function measureAs(
  project: Project,
  baselines: readonly Baseline[],
  environment: Environment,
  run: typeof measure = measure,
): Promise<{ samples: Samples; path: string }> {
  const { progress, clock } = environment;
  const { config, out, reference, resume } = project;
  refuseIdleReference(project);
  refuseTooLittleTime(config);
  prepareOutputFolder(out);
  const path = join(out, FILES.samples);
  if (resume === "never" && existsSync(path))
    progress.note(`${path} is of an earlier run and will be replaced`);
  const earlier = earlierRun(resume, path, progress.note);
  const request = { project, baselines, path, profile: readProfile(project), earlier };
  const now = clock.wallTime();
  const isAuto = config.compare === "auto";
  const earlierCompare =
    earlier !== null && (isAuto || !project.isComparisonAsked) ? earlier.samples.run.compare : null;
  const mayScreen =
    isAuto &&
    reference === null &&
    (earlierCompare === null
      ? canScreen(config, { baselines, history: project.history, now })
      : earlierCompare === "stored");
  const isOpen = mayScreen && earlierCompare === null && !project.measureUnchanged;
  const alongside = isOpen ? await resolveAlongside(project, environment) : null;
  const resolved = alongside === null ? {} : { resolved: alongside };
  const isScreen =
    mayScreen && (alongside === null || !(await isAllUnchanged(project, alongside.arms)));
  if (!isScreen) {
    const compare = earlierCompare ?? (config.compare === "auto" ? "base" : config.compare);
    if (compare !== "base") requireBaseline(project, baselines, compare);
    return { samples: await run({ ...request, ...resolved, compare }, environment), path };
  }
  progress.note("screening against the stored baseline first");
  const screen: MeasureRequest = {
    ...request,
    compare: "stored",
    screen: screenLimits(config.policy),
    next: (screened) => {
      const { state } = reportOn(screened, baselines, project.history).verdict;
      const passed = state === "pass" || state === "improved";
      // What failed is not measured again until it works.
      if (passed || screened.run.state !== "complete") return null;
      progress.note(`the screen is ${state}: measuring the reference alongside`);
      writeSamples(join(out, "screen.samples.v1.json"), screened);
      return {
        ...request,
        ...resolved,
        earlier: null,
        compare: "base",
        spentMs: screened.run.measuredMs,
      };
    },
  };
  return { samples: await run(screen, environment), path };
}

/** Both arms. Null: there is no reference to find, which a screen does without. */
async function resolveAlongside(
  project: Project,
  environment: Environment,
): Promise<ResolvedArms | null> {
  const notes: string[] = [];
  const progress = { ...silentProgress, note: (line: string) => void notes.push(line) };
  try {
    const choice = { project, baselines: [], compare: "base" } as const;
    return { arms: await resolveArms(choice, { ...environment, progress }), notes };
  } catch (error) {
    if (error instanceof UserError && error.kind !== "interrupted") return null;
    throw error;
  }
}

/** Then there is nothing to screen either. */
async function isAllUnchanged(project: Project, arms: ArmSetups): Promise<boolean> {
  const names = project.config.services.map(({ name }) => name);
  return (await findUnchanged(names, arms, unchangedPorts(project))).length === names.length;
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
function refuseIdleReference({ reference, config: { compare } }: Project): void {
  if (reference === null || compare === "base" || compare === "auto") return;
  throw new UserError(
    `compare: ${compare} compares with the stored baseline, so the reference ${reference} would not be used`,
    {
      next: `Leave out the reference, or compare with it: --compare base --reference ${reference}.`,
    },
  );
}
