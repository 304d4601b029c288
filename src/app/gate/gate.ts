// The gate: build, measure, judge, report, in that order. Everything a run leaves behind is in its
// output folder.
import { join } from "node:path";
import { UserError } from "../../core/base/errors.ts";
import type { Baseline } from "../../core/model/baseline.ts";
import type { Report } from "../../core/model/report.ts";
import type { Samples } from "../../core/model/samples.ts";
import { gatedOf, listQuestions } from "../../core/verdict/hypotheses.ts";
import { readBaselines } from "../documents/baselines.ts";
import { FILES, placeFor } from "../documents/reports.ts";
import { writeSamples } from "../documents/samples.ts";
import { explainRed } from "../explain.ts";
import { silentProgress } from "../progress.ts";
import type { Project } from "../project/project.ts";
import type { Environment } from "../settings.ts";
import { resolveArms } from "./arm-setup.ts";
import {
  type Answers,
  type Bench,
  type MeasureRequest,
  measure,
  type ResolvedArms,
  type Screen,
} from "./measure.ts";
import { reportOn, writeGateReports } from "./outcome.ts";
import { type Earlier, earlierRun } from "./resume.ts";
import { canScreen, screenLimits } from "./screen.ts";
import { refuseTooLittleTime } from "./time-to-answer.ts";
import { findUnchanged } from "./unchanged.ts";

interface GateResult {
  report: Report;
  /** What was written, samples first. */
  files: string[];
}

export async function gate(project: Project, environment: Environment): Promise<GateResult> {
  const baselines = baselinesOf(project);
  const request = await planGate(project, baselines, environment);
  const conclude = async (samples: Samples): Promise<GateResult> => {
    environment.progress.stage("judge");
    const report = reportOn(samples, baselines, project.history);
    const files = await writeGateReports(project.out, report, environment);
    return { report, files: [request.path, ...files] };
  };
  let done: GateResult | null = null;
  const after = async (samples: Samples, bench: Bench): Promise<void> => {
    done = await conclude(samples);
    await explainRed(done.report, bench, project, environment, async ({ brief, files }) => {
      const explained = { ...samples, explanation: brief };
      writeSamples(request.path, explained);
      const { report, files: own } = await conclude(explained);
      done = { report, files: [...own, ...files] };
    });
  };
  const samples = await measure({ ...request, after }, environment);
  return done ?? (await conclude(samples));
}

export async function measureOnly(
  project: Project,
  environment: Environment,
): Promise<{ samples: Samples; path: string }> {
  const request = await planGate(project, baselinesOf(project), environment);
  return { samples: await measure(request, environment), path: request.path };
}

export function baselinesOf({ root, config }: Project): Baseline[] {
  return readBaselines(join(root, config.baselines.dir), config);
}

/** Refuses what cannot be answered before anything is built. */
export async function planGate(
  project: Project,
  baselines: readonly Baseline[],
  environment: Environment,
): Promise<MeasureRequest> {
  const { progress } = environment;
  const { config, resume } = project;
  refuseIdleReference(project);
  refuseTooLittleTime(config, { shards: project.shard?.parts });
  const path = placeFor(FILES.samples, project);
  const earlier = earlierRun(resume, path, progress.note);
  const plan = await choosePlan(project, baselines, earlier, environment);
  if (plan.kind === "screen") progress.note("screening against the stored baseline first");
  else if (plan.compare !== "base") requireBaseline(project, baselines, plan.compare);
  return { project, baselines, path, earlier, plan };
}

/**
 * `auto` screens the candidate against the stored baseline where that can answer every gated
 * question, which takes about a minute, and measures the reference alongside whenever the screen
 * does not pass, with what is left of the time budget. A run that is resumed compares as it did.
 */
async function choosePlan(
  project: Project,
  baselines: readonly Baseline[],
  earlier: Earlier | null,
  environment: Environment,
): Promise<Answers | Screen> {
  const { config, reference, history, isComparisonAsked } = project;
  const { compare, policy, services } = config;
  const isGiven = isComparisonAsked && compare !== "auto";
  const began = isGiven ? undefined : earlier?.samples.run.compare;
  const answers = (by: Answers["compare"]): Answers => ({ kind: "answers", compare: by });
  const limits = screenLimits(policy);
  const screen = (alongside: Answers): Screen => ({ kind: "screen", limits, alongside });
  if (compare !== "auto") return answers(began ?? compare);
  if (reference !== null) return answers(began ?? "base");
  if (began !== undefined) return began === "stored" ? screen(answers("base")) : answers(began);
  const now = environment.clock.wallTime();
  if (!canScreen(config, { baselines, history, now })) return answers("base");
  const resolved = project.measureUnchanged ? null : await resolveAlongside(project, environment);
  const alongside = { ...answers("base"), resolved };
  // Where all is unchanged there is nothing to screen either.
  return resolved?.unchanged.length === services.length ? alongside : screen(alongside);
}

/** Null: there is no reference to find, which a screen does without. */
export async function resolveAlongside(
  project: Project,
  environment: Environment,
): Promise<ResolvedArms | null> {
  const notes: string[] = [];
  const progress = { ...silentProgress, note: (line: string) => void notes.push(line) };
  try {
    const choice = { project, baselines: [], compare: "base" } as const;
    const arms = await resolveArms(choice, { ...environment, progress });
    const names = project.config.services.map(({ name }) => name);
    return { arms, unchanged: await findUnchanged(names, arms, project), notes };
  } catch (error) {
    if (error instanceof UserError && error.kind !== "interrupted") return null;
    throw error;
  }
}

function requireBaseline(project: Project, baselines: readonly Baseline[], compare: string): void {
  if (baselines.length > 0) return;
  // Limits need none.
  const limits = gatedOf(listQuestions(project.config)).some(({ against }) => against === "limit");
  if (compare === "stored" && limits) return;
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
