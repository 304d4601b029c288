// The dependencies of a run: what of them is built, and starting and filling them.
import { join } from "node:path";
import { throwIfStopped, UserError } from "../../core/base/errors.ts";
import type { Dependency, Recipe } from "../../core/model/config.ts";
import { ARMS, type Arm } from "../../core/model/samples.ts";
import type { BuildJob, BuiltArtifact } from "../../machine/build/build.ts";
import { type CheckoutPorts, checkOut } from "../../machine/build/checkout.ts";
import { buildEnvironment } from "../../machine/build/environment.ts";
import { leadsOut } from "../../machine/build/inputs.ts";
import { objectAt, type Revision } from "../../machine/build/source.ts";
import type { DataSeed, DataSeeds } from "../../machine/run/dependency/dependency.ts";
import { startPostgresql } from "../../machine/run/dependency/postgresql.ts";
import { startProgram } from "../../machine/run/dependency/program.ts";
import { startRedis } from "../../machine/run/dependency/redis.ts";
import { RunningDependencies } from "../../machine/run/dependency/running-dependencies.ts";
import { findPostgresFolder, findRedis } from "../../machine/run/dependency/server-program.ts";
import { type DependencyStart, secondsSince } from "../../machine/run/dependency/start.ts";
import { launchService, type ServiceTarget } from "../../machine/run/service/launch.ts";

/** What an arm is started from, with the variables that its dependencies give. */
export function targetOf(
  recipe: Recipe,
  { folder, path, facts }: BuiltArtifact,
  dependencies: RunningDependencies,
): ServiceTarget {
  const env = dependencies.fill(recipe.env, facts.arm);
  return { recipe: { ...recipe, env }, folder, artifact: path };
}

/** Before anything is built: a missing server is known at once. */
export function assertServersInstalled(needed: readonly Dependency[], path?: string): void {
  if (needed.some(({ kind }) => kind === "postgresql")) findPostgresFolder(path);
  if (needed.some(({ kind }) => kind === "redis")) findRedis(path);
}

/** What an arm's dependencies are made from. */
interface ArmFiles {
  revision: Revision;
  /** As its own configuration defines them; default: as the candidate's does. */
  dependencies?: readonly Dependency[];
}

export type ArmsFiles = Partial<Record<Arm, ArmFiles>> & { candidate: ArmFiles };

/**
 * Programs are of the candidate's commit, one for both arms; services that fill a database are the
 * reference's. `jobs` are built anyway.
 */
export function dependencyJobs(
  needed: readonly Dependency[],
  arms: ArmsFiles,
  jobs: readonly BuildJob[] = [],
): BuildJob[] {
  const { revision } = arms.candidate;
  const more: BuildJob[] = [];
  for (const dependency of needed) {
    const { name } = dependency;
    if (dependency.kind === "program") {
      more.push({ arm: "candidate", service: name, recipe: dependency.recipe, revision });
      continue;
    }
    const seed = seedJob(dependency, arms);
    const isSame = (job: BuildJob): boolean =>
      job.arm === seed?.arm && job.service === seed.service;
    if (seed !== null && ![...jobs, ...more].some(isSame)) more.push(seed);
  }
  return more;
}

interface DependencyParts {
  needed: readonly Dependency[];
  arms: ArmsFiles;
  /** Where the arms' schemas are laid out. */
  checkout: CheckoutPorts;
  /** Of `dependencyJobs`, and of the jobs that they left out. */
  built: readonly BuiltArtifact[];
  /** What a seeding command inherits. */
  env: NodeJS.ProcessEnv;
  start: DependencyStart;
}

/** All or none, filled: what was started before one fails is stopped. */
export async function startDependencies(parts: DependencyParts): Promise<RunningDependencies> {
  const running = new RunningDependencies();
  const { progress } = parts.start;
  try {
    for (const dependency of parts.needed) {
      progress.status(`starting ${dependency.name}`);
      running.add(await startOne(dependency, parts));
    }
    // A service may need others beside the one that it fills.
    for (const dependency of parts.needed) {
      if (dependency.kind !== "program") await fillByService(dependency, running, parts);
    }
    return running;
  } catch (error) {
    await running.stop();
    throw error;
  }
}

async function startOne(dependency: Dependency, parts: DependencyParts) {
  const { name } = dependency;
  if (dependency.kind === "program") {
    const built = parts.built.find(({ facts }) => facts.service === name);
    if (built === undefined) throw new Error(`${name} was not built`);
    const target = { recipe: dependency.recipe, folder: built.folder, artifact: built.path };
    return startProgram(name, { target, key: built.facts.key }, parts.start);
  }
  const { kind, seed, isolation = "separate" } = dependency;
  const isEmpty = kind === "redis" && seed === undefined;
  const seeds = isEmpty ? {} : await contentsOf(dependency, parts);
  const start = kind === "redis" ? startRedis : startPostgresql;
  return start(name, { seeds, isolation }, parts.start);
}

/** What keeps data. */
type Database = Extract<Dependency, { kind: "postgresql" | "redis" }>;

/** As the arm's own configuration has it. */
function ownDefinition(defined: Database, files: ArmFiles): Database {
  const own = files.dependencies?.find(
    (one): one is Database => one.kind === defined.kind && one.name === defined.name,
  );
  return own ?? defined;
}

/** Each arm's as its own commit has it, and as its own configuration lists its files. */
async function contentsOf(defined: Database, parts: DependencyParts): Promise<DataSeeds> {
  const { arms } = parts;
  const seed = seedJob(defined, arms);
  if (seed !== null) {
    const made = await contentOf(defined, seed.arm, parts);
    const { facts } = builtFor(seed, parts.built);
    const identity = `${made?.identity ?? ""} by ${seed.service} ${facts.key}`;
    const one = { files: [], folder: "", ...made, identity };
    return { candidate: one, reference: arms.reference === undefined ? undefined : one };
  }
  const contents: DataSeeds = {};
  for (const arm of ARMS) {
    const content = await contentOf(defined, arm, parts);
    if (content !== null) contents[arm] = content;
  }
  const { candidate } = contents;
  return candidate === undefined || arms.reference === undefined
    ? contents
    : { reference: candidate, ...contents };
}

/** Null: the reference has no such folder. */
async function contentOf(
  defined: Database,
  arm: Arm,
  { arms, checkout, start, env }: DependencyParts,
): Promise<DataSeed | null> {
  const { name } = defined;
  const files = arms[arm];
  if (files === undefined) return null;
  const own = ownDefinition(defined, files);
  const { dir = ".", seed } = own;
  const schema = own.kind === "postgresql" ? own.schema : [];
  const tree = await objectAt(checkout.git, files.revision, dir);
  if (tree === null && arm === "candidate") {
    throw new UserError(`${name}: the candidate has no folder ${dir}`, {
      next: "Correct the dependency's `dir`; files that git ignores do not count.",
    });
  }
  if (tree === null) {
    start.progress.note(`${name}: the reference has no ${dir}, and gets the candidate's schema`);
    return null;
  }
  // All of the commit: a schema may include files from elsewhere.
  const folder = join((await checkOut(files.revision, checkout)).root, dir);
  const command = seed?.kind === "command" ? seed.command : [];
  const isAll = (await leadsOut(checkout.git, files.revision, dir, command)) !== null;
  return {
    files: schema,
    folder,
    identity: [isAll ? files.revision.tree : tree, schema.join(" "), ...command].join(" "),
    seed: command.length === 0 ? undefined : { argv: command, env: buildEnvironment(env) },
  };
}

/** Null: no service fills it. The reference's build does where there is one: older code is stricter. */
function seedJob(defined: Database, arms: ArmsFiles): BuildJob | null {
  if (defined.seed?.kind !== "service") return null;
  const arm = arms.reference === undefined ? "candidate" : "reference";
  const files = arms.reference ?? arms.candidate;
  const { seed: own } = ownDefinition(defined, files);
  const { service, recipe } = own?.kind === "service" ? own : defined.seed;
  return { arm, service, recipe, revision: files.revision };
}

function builtFor(job: BuildJob, built: readonly BuiltArtifact[]): BuiltArtifact {
  const found = built.find(({ facts }) => facts.arm === job.arm && facts.service === job.service);
  if (found === undefined) throw new Error(`${job.service} was not built`);
  return found;
}

/** Starts the service beside what it needs until it is ready, which is when it has made its tables. */
async function fillByService(
  defined: Database,
  running: RunningDependencies,
  { arms, built, start }: DependencyParts,
): Promise<void> {
  const job = seedJob(defined, arms);
  if (job === null) return;
  const { name } = defined;
  const { arm, service } = job;
  // What `before` writes is every launch's own: it would be there twice.
  const { before: _, ...recipe } = job.recipe;
  const { folder, path } = builtFor(job, built);
  start.progress.status(`${name}: filling it by ${service} (${arm})`);
  const startedMs = start.clock.nowMs();
  await running.begin(arm);
  const env = running.fill(recipe.env, arm, name);
  const result = await launchService({ recipe: { ...recipe, env }, folder, artifact: path }, start);
  throwIfStopped(start.abort);
  if (result.kind === "failed") {
    const usual = `Leave \`seed\` of ${name} out if ${service} does not make its own tables.`;
    const { text, detail, next = usual } = result;
    throw new UserError(`${name}: ${service} (${arm}), which fills it, ${text}`, { detail, next });
  }
  await result.service.stop();
  await running.settle(name);
  const took = secondsSince(startedMs, start);
  start.progress.note(`${name}: filled by ${service} (${arm}) in ${took}`);
}
