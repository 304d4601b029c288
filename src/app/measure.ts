// `measure`: sources, builds, machine, then the rotation. Writes the samples file as rounds end.
import { existsSync } from "node:fs";
import { relative } from "node:path";
import { UserError } from "../base/errors.ts";
import { type BuiltArtifact, buildArtifacts } from "../build/build.ts";
import { ensureOha } from "../build/oha-tool.ts";
import { type Revision, readFileAt, resolveCandidate, resolveReference } from "../build/source.ts";
import { configFromText } from "../config/load.ts";
import type { Baseline } from "../model/baseline.ts";
import type { Config, Recipe } from "../model/config.ts";
import type { CpuSets, Host } from "../model/host.ts";
import { ARMS, type Arm, type Samples, type Source } from "../model/samples.ts";
import { planCpuSets } from "../plan/cpu-sets.ts";
import type { RunningDependencies } from "../run/dependency/running-dependencies.ts";
import { readHost } from "../run/host/host.ts";
import { acquireLock } from "../run/host/lock.ts";
import { createOha } from "../run/load/oha.ts";
import { runRound } from "../run/round.ts";
import type { ServiceTarget } from "../run/service/launch.ts";
import { makeTemporaryFolder, memoryFolder } from "../sys/files.ts";
import { janitor } from "../sys/janitor.ts";
import { beginRun, stopIfAborted } from "./begin-run.ts";
import {
  type ArmFiles,
  assertServersInstalled,
  dependencyJobs,
  neededDependencies,
  startDependencies,
} from "./dependencies.ts";
import type { Project } from "./project.ts";
import { rotate } from "./rotation.ts";
import { readSamples, writeSamples } from "./samples-file.ts";
import type { Environment, MeasureOptions } from "./settings.ts";
import { describeTurn } from "./turn.ts";

export interface MeasureRequest {
  project: Project;
  baselines: readonly Baseline[];
  options: MeasureOptions;
  compare: Samples["run"]["compare"];
  /** The samples file. */
  path: string;
}

/** What each arm of a run is made from. */
interface ArmSetup {
  revision: Revision;
  /** Of every service, by name. */
  recipes: Record<string, Recipe>;
}

export async function measure(request: MeasureRequest, environment: Environment): Promise<Samples> {
  const { project, options } = request;
  const { progress, clock, abort } = environment;

  progress.stage("prepare");
  const earlier = options.resume ? readEarlier(request.path) : null;
  const arms = await resolveArms(request, environment);
  const needed = neededDependencies(project.config);
  assertServersInstalled(needed, environment.env.PATH);
  const oha = await ensureOha(environment);
  const host = readHost({ generator: `oha ${oha.version}` });
  const cpuSets = planCpuSets(host, project.config.runner.cpus);

  progress.stage("build");
  const jobs = ARMS.flatMap((arm) => {
    const setup = arms[arm];
    if (setup === undefined) return [];
    return project.config.services.map(({ name }) => ({
      arm,
      service: name,
      revision: setup.revision,
      recipe: recipeOf(setup, name),
    }));
  });
  const programs = dependencyJobs(needed, candidateOf(arms).revision);
  const built = await buildArtifacts([...jobs, ...programs], {
    git: project.git,
    cache: environment.cache,
    env: environment.env,
    abort,
    progress,
    clock,
  });
  stopIfAborted(abort);
  const artifacts = built.slice(0, jobs.length);

  const fresh = freshSamples({ request, environment, arms, host, cpuSets, artifacts });
  const samples = earlier === null ? fresh : continued(earlier, fresh, request.path);

  await using lock = await acquireLock({
    timeoutMs: options.lockTimeoutMs,
    abort,
    onWait: (holder) => progress.status(`waiting for another gate on this machine (${holder})`),
  });
  stopIfAborted(abort);
  void lock;

  const dependencies = await startDependencies({
    needed,
    arms: filesOf(arms, artifacts),
    git: project.git,
    built: built.slice(jobs.length),
    start: { cpus: cpuSets.service, clock, abort, progress },
  });

  progress.stage("measure");
  const folder = makeTemporaryFolder(memoryFolder());
  const startedMs = clock.nowMs() - samples.run.measuredMs;
  const generator = createOha(oha);
  try {
    return await rotate({
      samples,
      baselines: request.baselines,
      abort,
      elapsedMs: () => clock.nowMs() - startedMs,
      keep: (current) => writeSamples(request.path, current),
      onTurn: (state) => progress.note(describeTurn(state, clock.nowMs() - startedMs)),
      runOne: (plan, scenarios) =>
        runRound(plan, {
          targets: targetsOf(plan.service, arms, artifacts, dependencies),
          dependencies,
          scheme: schemeOf(project.config, plan.service),
          scenarios: [...scenarios],
          cpuSets,
          generator,
          clock,
          errorBudget: project.config.policy.errorBudget,
          runStartMs: startedMs,
          folder,
          abort,
          onProgress: (line) => progress.status(line),
        }),
    });
  } finally {
    await dependencies.stop();
    janitor.removePath(folder);
  }
}

function candidateOf(arms: Partial<Record<Arm, ArmSetup>>): ArmSetup {
  const { candidate } = arms;
  if (candidate === undefined) throw new Error("bug in tailgate: a run without a candidate");
  return candidate;
}

function filesOf(
  arms: Partial<Record<Arm, ArmSetup>>,
  artifacts: readonly BuiltArtifact[],
): Partial<Record<Arm, ArmFiles>> {
  const files: Partial<Record<Arm, ArmFiles>> = {};
  for (const arm of ARMS) {
    const root = artifacts.find(({ facts }) => facts.arm === arm)?.root;
    const setup = arms[arm];
    if (setup !== undefined && root !== undefined) files[arm] = { revision: setup.revision, root };
  }
  return files;
}

function readEarlier(path: string): Samples {
  if (!existsSync(path)) {
    throw new UserError(`--resume: there is no ${path}`, {
      next: "Start a run without --resume.",
    });
  }
  const earlier = readSamples(path);
  if (earlier.run.state === "complete") {
    throw new UserError(`--resume: the run in ${path} is complete (${earlier.run.ended})`, {
      next: "Judge it: tailgate judge. Or start a new run without --resume.",
    });
  }
  return earlier;
}

/**
 * A recipe belongs to a commit, like the code: a pull request that changes GOGC or a build flag changes what it ships. So
 * the reference is built and started as its own tailgate.yml says; scenarios and policy are the candidate's.
 */
async function resolveArms(
  { project, options, compare, baselines }: MeasureRequest,
  environment: Environment,
): Promise<Partial<Record<Arm, ArmSetup>>> {
  const { git, config } = project;
  const candidate: ArmSetup = {
    revision: await resolveCandidate(git),
    recipes: recipesOf(config),
  };
  environment.progress.note(`candidate: ${describeSource(candidate.revision.source)}`);
  if (compare === "stored") return { candidate };

  const spec = compare === "replay" ? commitOf(baselines, config) : options.reference;
  const found = await resolveReference(git, spec, candidate.revision);
  const revision: Revision =
    compare === "replay"
      ? { ...found, source: { ...found.source, label: "commit of the stored baseline" } }
      : found;
  environment.progress.note(`reference: ${describeSource(revision.source)}`);
  const text = await readFileAt(git, revision, relative(project.root, project.configPath));
  const own = text === null ? null : tryRecipes(text, project, environment);
  const recipes = { ...candidate.recipes };
  for (const { name } of config.services) {
    const recipe = own?.[name];
    if (recipe === undefined) {
      environment.progress.note(
        `the reference's configuration does not have ${name}: its recipe is the candidate's`,
      );
    } else {
      recipes[name] = recipe;
    }
  }
  return { candidate, reference: { revision, recipes } };
}

/** An old commit's configuration may be written for an older tailgate: then the candidate's recipes serve. */
function tryRecipes(
  text: string,
  project: Project,
  environment: Environment,
): Record<string, Recipe> | null {
  try {
    return recipesOf(configFromText(text, { path: project.configPath, root: null }));
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    environment.progress.note(`the reference's configuration is not valid: ${error.message}`);
    return null;
  }
}

function recipesOf(config: Config): Record<string, Recipe> {
  return Object.fromEntries(config.services.map(({ name, recipe }) => [name, recipe]));
}

function recipeOf(setup: ArmSetup, service: string): Recipe {
  const recipe = setup.recipes[service];
  if (recipe === undefined) throw new Error(`bug in tailgate: no recipe for ${service}`);
  return recipe;
}

function commitOf(baselines: readonly Baseline[], config: Config): string {
  const commits = new Set(
    baselines
      .filter(({ service }) => config.services.some(({ name }) => name === service))
      .map(({ source }) => source.commit),
  );
  const [commit, ...others] = commits;
  if (commit === undefined || others.length > 0) {
    throw new UserError(
      `compare: replay needs one commit, and the baselines name ${commits.size}`,
      {
        next: "Replay one service at a time (--service), or record all baselines from one commit.",
      },
    );
  }
  return commit;
}

function describeSource({ commit, label, dirty, subject }: Source): string {
  return `${commit.slice(0, 10)} (${label}${dirty ? ", with uncommitted changes" : ""}) ${subject}`;
}

function freshSamples(input: {
  request: MeasureRequest;
  environment: Environment;
  arms: Partial<Record<Arm, ArmSetup>>;
  host: Host;
  cpuSets: CpuSets;
  artifacts: readonly BuiltArtifact[];
}): Samples {
  const { request, environment, arms } = input;
  const { config } = request.project;
  const candidate = candidateOf(arms).revision.source;
  return {
    schema: "tailgate.samples.v1",
    tool: `tailgate ${environment.version}`,
    run: {
      ...beginRun(environment.clock.wallTime(), request.options.seed ?? config.seed),
      compare: request.compare,
    },
    host: input.host,
    cpuSets: input.cpuSets,
    config,
    sources: { candidate, reference: arms.reference?.revision.source ?? null },
    artifacts: input.artifacts.map(({ facts }) => facts),
    rounds: [],
  };
}

/** The earlier rounds with this session's facts, if they are of the same things. */
function continued(earlier: Samples, fresh: Samples, path: string): Samples {
  const builds = (samples: Samples): string =>
    samples.artifacts
      .map(({ arm, service, key }) => `${arm} ${service} ${key}`)
      .sort()
      .join("\n");
  const measured = ({ config }: Samples): string =>
    JSON.stringify([config.services, config.scenarios]);
  const different =
    builds(earlier) !== builds(fresh)
      ? "the builds differ"
      : measured(earlier) !== measured(fresh)
        ? "services or scenarios differ"
        : JSON.stringify(earlier.host.fingerprint) !== JSON.stringify(fresh.host.fingerprint)
          ? "it is another machine"
          : earlier.run.compare !== fresh.run.compare
            ? "it compared with something else"
            : null;
  if (different !== null) {
    throw new UserError(`--resume: ${path} cannot be continued: ${different}`, {
      next: "Start a new run without --resume.",
    });
  }
  return {
    ...earlier,
    config: fresh.config,
    run: { ...earlier.run, state: "running", ended: "" },
    // A round that a signal cut short measured nothing that counts.
    rounds: earlier.rounds.filter(({ failure }) => failure === null),
  };
}

function targetsOf(
  service: string,
  arms: Partial<Record<Arm, ArmSetup>>,
  artifacts: readonly BuiltArtifact[],
  dependencies: RunningDependencies,
): Partial<Record<Arm, ServiceTarget>> {
  const targets: Partial<Record<Arm, ServiceTarget>> = {};
  for (const arm of ARMS) {
    const setup = arms[arm];
    const built = artifacts.find(({ facts }) => facts.arm === arm && facts.service === service);
    if (setup === undefined || built === undefined) continue;
    const recipe = recipeOf(setup, service);
    targets[arm] = {
      recipe: { ...recipe, env: dependencies.fill(recipe.env, arm) },
      folder: built.folder,
      artifact: built.path,
    };
  }
  return targets;
}

function schemeOf(config: Config, service: string): "sliced" | "alternate" {
  return config.services.find(({ name }) => name === service)?.scheme ?? "sliced";
}
