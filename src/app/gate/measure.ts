// `measure`: both arms of every service that differs in them, then the rotation. Writes the samples
// file as rounds end.
import { join } from "node:path";
import { UserError } from "../../core/base/errors.ts";
import { withAutoMargins } from "../../core/calibration/auto-margin.ts";
import { runnerFactsOf } from "../../core/calibration/expect.ts";
import { neededDependencies } from "../../core/config/needed-dependencies.ts";
import type { Baseline } from "../../core/model/baseline.ts";
import type { Config, Recipe } from "../../core/model/config.ts";
import type { Finding, Fingerprint } from "../../core/model/host.ts";
import type { Profile } from "../../core/model/profile.ts";
import { ARMS, type Samples, type Unchanged } from "../../core/model/samples.ts";
import { gatingCount, listQuestions, sharingOf } from "../../core/verdict/hypotheses.ts";
import { judge } from "../../core/verdict/judge.ts";
import { readProfile } from "../documents/profile.ts";
import { placeFor, setAside } from "../documents/reports.ts";
import { writeSamples } from "../documents/samples.ts";
import {
  assertRunnable,
  beginRun,
  lookAtMachine,
  type PreparedRun,
  type RunPlace,
  type RunPlan,
  underLock,
  withPrepared,
  withWorkFolder,
} from "../machine/prepared-run.ts";
import type { Project } from "../project/project.ts";
import type { Environment } from "../settings.ts";
import { type ArmSetups, ownScenarios, resolveArms, servicesOf, targetsOf } from "./arm-setup.ts";
import { askUnchanged } from "./ask-unchanged.ts";
import { measureRounds } from "./measure-rounds.ts";
import { type Beginning, continued, type Earlier, earlierRun, withDependencies } from "./resume.ts";
import type { Goal, ScreenLimits } from "./rotation.ts";
import { blockingOf } from "./time-to-answer.ts";
import { findIrreproducible, findUnchanged } from "./unchanged.ts";

/** What is measured, and until when. */
type Plan = Answers | Screen | Rounds;

/** Until every question is answered. */
export interface Answers {
  kind: "answers";
  compare: Samples["run"]["compare"];
  /** Absent: to be found. */
  resolved?: ResolvedArms | null;
  /** Of the time budget, spent before on a screen of the same change; default 0. */
  spentMs?: number;
}

/** Against stored values; unless these pass the change, the reference is measured alongside. */
export interface Screen {
  kind: "screen";
  limits: ScreenLimits;
  alongside: Answers;
}

/** Of every service, whatever they show. */
type Rounds = Extract<Goal, { kind: "rounds" }> & {
  /**
   * `candidate`: the same build in both arms, to learn how noisy the machine is. Recipes by service:
   * the candidate's commit, built and started by these.
   */
  reference: "none" | "candidate" | "base" | Readonly<Record<string, Recipe>>;
  /** Absent: to be found. */
  resolved?: ResolvedArms;
};

/** What both arms are made from, found before it is known whether they are measured. */
export interface ResolvedArms {
  arms: ArmSetups;
  unchanged: readonly Unchanged[];
  /** What there is to say of them once they are used. */
  notes: readonly string[];
}

export interface MeasureRequest {
  project: Project;
  baselines: readonly Baseline[];
  /** The samples file. */
  path: string;
  /** What is gone on with. */
  earlier: Earlier | null;
  plan: Plan;
  /** What comes after the rounds, while both arms can be launched. */
  after?(samples: Samples, bench: Bench): Promise<void>;
}

/** Both arms, built, with what they need beside them. */
export interface Bench extends Pick<PreparedRun, "artifacts"> {
  arms: ArmSetups;
  place: RunPlace;
  /** What was measured before. Absent: nothing. */
  rounds?: Samples["rounds"];
}

export async function measure(request: MeasureRequest, environment: Environment): Promise<Samples> {
  const samples = await measureWhatDiffers(request, environment);
  const { rounds, unchanged, run } = samples;
  if (rounds.length > 0 || unchanged === undefined || run.state !== "complete") return samples;
  await askUnchanged(request.project, unchanged, environment);
  // Now its pass rests on something.
  if (request.project.resume === "never") setAside(request.path, environment.progress);
  writeSamples(request.path, samples);
  return samples;
}

/** Rounds that are judged by no gate, into a file of their own. */
export async function measureInto(
  file: string,
  plan: Rounds,
  project: Project,
  environment: Environment,
): Promise<{ samples: Samples; path: string }> {
  const path = placeFor(file, project);
  const request = { project, baselines: [], path, earlier: null, plan };
  return { samples: await measure(request, environment), path };
}

/** Alone on this machine from its preparation to its last round, those after a screen included. */
async function measureWhatDiffers(request: MeasureRequest, environment: Environment) {
  const { project, path } = request;
  const first = await planRun(request, environment);
  if (first.plan.jobs.length === 0) {
    const machine = lookAtMachine(project.config, "", []);
    return concluded(begin(first, { ...machine, artifacts: [] }, environment));
  }
  assertRunnable(first.plan, environment);
  return await underLock(project, environment, async () => {
    if (project.resume === "never") setAside(path, environment.progress);
    const samples = await measureAlone(first, environment);
    const next = afterScreen(request, samples, environment);
    if (next === null) return samples;
    return await measureAlone(await planRun(next, environment), environment);
  });
}

/** What is measured next; null: nothing. */
export function afterScreen(
  request: MeasureRequest,
  samples: Samples,
  { progress }: Pick<Environment, "progress">,
): MeasureRequest | null {
  const { project, baselines, plan } = request;
  // What failed is not measured again until it works.
  if (plan.kind !== "screen" || samples.run.state !== "complete") return null;
  const { state, comparisons } = judge({ samples, baselines, history: project.history });
  const isWhole = comparisons.every((one) => one.level !== "gate" || one.state !== "no-baseline");
  if (isWhole && (state === "pass" || state === "improved")) return null;
  progress.note(`the screen is ${state}: measuring the reference alongside`);
  writeSamples(join(project.out, "screen.samples.v1.json"), samples);
  const { measuredMs: spentMs } = samples.run;
  return { ...request, earlier: null, plan: { ...plan.alongside, spentMs } };
}

interface PlannedRun {
  request: MeasureRequest;
  arms: ArmSetups;
  /** Known to be the same in both arms; once the services are built it may be more of them. */
  unchanged: Unchanged[];
  /** What a calibration lets expect of the questions; null: there was none, or no question. */
  profile: Profile | null;
  plan: RunPlan;
}

export async function planRun(
  request: MeasureRequest,
  environment: Environment,
): Promise<PlannedRun> {
  const { progress } = environment;
  progress.stage("prepare");
  const { project, earlier } = request;
  const { config } = project;
  const names = config.services.map(({ name }) => name);
  // A run that is resumed leaves out what it left out.
  const may =
    earlier === null ? names : (earlier.samples.unchanged ?? []).map(({ service }) => service);
  const skippable = project.measureUnchanged ? [] : may;
  const { arms, unchanged: known, notes } = await resolve(request, skippable, environment);
  for (const note of notes) progress.note(note);
  const unchanged = [...known];
  tell(unchanged, environment);
  const left = () => {
    const services = names.filter((name) => unchanged.every(({ service }) => service !== name));
    const jobs = ARMS.flatMap((arm) => {
      const setup = arms[arm];
      const own = setup === undefined ? [] : servicesOf(setup, services);
      return own.map((one) => ({ ...one, arm }));
    });
    const scenarios = config.scenarios.filter(({ service }) => services.includes(service));
    const recipes = jobs.map(({ recipe }) => recipe);
    return { services, jobs, scenarios, needed: neededDependencies(config, recipes) };
  };
  const { services, ...begun } = left();
  const plan: RunPlan = {
    project,
    ...begun,
    arms,
    narrow: async (artifacts) => {
      const differing = await findIrreproducible(services, arms, project, artifacts);
      const findings = differing.map(irreproducible);
      for (const { text } of findings) progress.note(text);
      const may = services.filter((service) => skippable.includes(service));
      const more = await findUnchanged(may, arms, project, artifacts);
      tell(more, environment);
      unchanged.push(...more);
      return { ...left(), findings };
    },
  };
  const profile = request.plan.kind === "rounds" ? null : readProfile(project);
  return { request, arms, unchanged, profile, plan };
}

async function resolve(
  { project, baselines, plan }: MeasureRequest,
  skippable: readonly string[],
  environment: Environment,
): Promise<ResolvedArms> {
  if (plan.kind !== "screen" && plan.resolved != null) return plan.resolved;
  const isAlone = plan.kind === "rounds" && plan.reference !== "base";
  const compare = isAlone ? "stored" : compareOf(plan);
  const found = await resolveArms({ project, baselines, compare }, environment);
  const arms = plan.kind === "rounds" ? besideItself(found, plan.reference) : found;
  const unchanged = await findUnchanged(skippable, arms, project);
  return { arms, unchanged, notes: [] };
}

function besideItself(arms: ArmSetups, wanted: Rounds["reference"]): ArmSetups {
  if (wanted === "none" || wanted === "base") return arms;
  const { candidate } = arms;
  if (wanted === "candidate") return { ...arms, reference: candidate };
  const services = Object.entries(candidate.services).map(([name, own]) => [
    name,
    { ...own, recipe: wanted[name] ?? own.recipe },
  ]);
  return { ...arms, reference: { ...candidate, services: Object.fromEntries(services) } };
}

function compareOf(plan: Plan): Samples["run"]["compare"] {
  if (plan.kind === "answers") return plan.compare;
  return plan.kind === "screen" || plan.reference === "none" ? "stored" : "base";
}

function tell(unchanged: readonly Unchanged[], { progress }: Environment): void {
  for (const { service } of unchanged) {
    progress.note(`${service} is the same build before and after (see --measure-unchanged)`);
  }
}

function irreproducible(service: string): Finding {
  const text = `${service} is built from equal sources, yet the artifacts differ: builds are not reproducible, so that it is measured whatever a change touches; timestamps, absolute paths and commit ids are the usual causes`;
  return { id: "builds", level: "note", text, fix: null };
}

/** With every service unchanged no question is open, if there is anything to compare. */
function concluded({ begun }: Beginning): Samples {
  const { candidate, reference } = begun.sources;
  if (!candidate.dirty && candidate.commit === reference?.commit) {
    throw new UserError(`nothing to compare: both sides are commit ${reference.commit}`, {
      next: "Commit a change, or name the commit to compare with: --reference. To see a measurement of this one: --reference HEAD --measure-unchanged.",
    });
  }
  return { ...begun, run: { ...begun.run, measuredMs: 0, state: "complete", ended: "answered" } };
}

async function measureAlone(planned: PlannedRun, environment: Environment): Promise<Samples> {
  const { arms, plan } = planned;
  const { project, baselines, path, plan: goal, after } = planned.request;
  return await withPrepared(plan, environment, async (prepared) => {
    const beginning = begin(planned, prepared, environment);
    if (prepared.scenarios.length === 0) return concluded(beginning);
    return await withWorkFolder(prepared, environment, async (place) => {
      const { dependencies } = place;
      const samples = await measureRounds(
        {
          goal,
          samples: withDependencies(beginning, dependencies.facts()),
          baselines,
          history: project.history,
          place,
          targets: (service) => targetsOf(service, arms, prepared.artifacts, dependencies),
          own: ownScenarios(arms),
          keep: (samples) => writeSamples(path, samples),
        },
        environment,
      );
      await after?.(samples, { ...prepared, arms, place, rounds: samples.rounds });
      return samples;
    });
  });
}

/** The samples without a round, or as an earlier session left them. */
function begin(
  { request, arms, unchanged, profile }: PlannedRun,
  { host, cpuSets, artifacts }: Pick<PreparedRun, "host" | "cpuSets" | "artifacts">,
  environment: Environment,
): Beginning {
  const { project, plan, path } = request;
  // As it is now that nobody else measures.
  const earlier = request.earlier && earlierRun(project.resume, path, environment.progress.note);
  const sources = { candidate: arms.candidate.revision.source, ...referencesOf(arms) };
  const mayBeNew = [...ownScenarios(arms)].flatMap(([id, own]) => (own === null ? id : []));
  const machine = { profile, fingerprint: host.fingerprint };
  const config = configFor(project, { unchanged, sources, mayBeNew }, machine);
  const fresh: Samples = {
    schema: "tailgate.samples.v1",
    tool: `tailgate ${environment.version}`,
    run: {
      ...beginRun(environment.clock.wallTime(), config.seed),
      compare: compareOf(plan),
      shard: project.shard ?? undefined,
      measuredMs: plan.kind === "answers" ? (plan.spentMs ?? 0) : 0,
    },
    host,
    cpuSets,
    config,
    sources,
    artifacts: artifacts.map(({ facts }) => facts),
    unchanged: unchanged.length === 0 ? undefined : unchanged,
    oneArm: arms.reference?.oneArm,
    runner: profile === null ? undefined : runnerFactsOf(profile, config, host.fingerprint),
    rounds: [],
  };
  return { begun: earlier === null ? fresh : continued(earlier, fresh), fresh, earlier };
}

function referencesOf({ candidate, reference }: ArmSetups): Omit<Samples["sources"], "candidate"> {
  if (reference === undefined) return { reference: null };
  const others = Object.keys(candidate.services).flatMap((service) => {
    const own = reference.services[service];
    return own?.revision === reference.revision ? [] : [[service, own?.revision.source ?? null]];
  });
  const references = others.length === 0 ? undefined : Object.fromEntries(others);
  return { reference: reference.revision.source, references };
}

/**
 * A shard does not know what the others leave out: each of its questions keeps its share of the
 * false-alarm chance, so that what is answered in it is answered when all are judged together. What
 * may turn out to be new brings no share, since then the others would have it.
 */
export function configFor(
  { config: written, shard }: Pick<Project, "config" | "shard">,
  { unchanged = [], sources, mayBeNew = [] }: Partial<Samples> & { mayBeNew?: readonly string[] },
  { profile, fingerprint }: { profile: Profile | null; fingerprint: Fingerprint },
): Config {
  const config = withAutoMargins(written, profile, fingerprint);
  const known = sharingOf({ config, sources, unchanged });
  const asked = blockingOf(config, new Set(mayBeNew), known).length;
  if (shard === null || asked === 0) return config;
  const { policy } = config;
  const alpha = (policy.alpha * asked) / gatingCount(listQuestions(config));
  return { ...config, policy: { ...policy, alpha } };
}
