// The dependencies of a run: which are needed, what of them is built, and starting them.
import { UserError } from "../base/errors.ts";
import type { BuildJob, BuiltArtifact } from "../build/build.ts";
import type { Git } from "../build/git.ts";
import { objectAt, type Revision } from "../build/source.ts";
import type { Config, Dependency, Recipe } from "../model/config.ts";
import { ARMS, type Arm } from "../model/samples.ts";
import { startPostgresql } from "../run/dependency/postgresql.ts";
import type { Schema } from "../run/dependency/postgresql-plan.ts";
import { startProgram } from "../run/dependency/program.ts";
import { startRedis } from "../run/dependency/redis.ts";
import { RunningDependencies } from "../run/dependency/running-dependencies.ts";
import { findPostgresFolder, findRedis } from "../run/dependency/server-program.ts";
import type { DependencyStart } from "../run/dependency/start.ts";

/** Those that any service of this run needs, in the configuration's order; `recipes` are those of both arms. */
export function neededDependencies(
  config: Config,
  recipes: readonly Recipe[] = config.services.map(({ recipe }) => recipe),
): Dependency[] {
  const names = new Set(recipes.flatMap(({ needs }) => needs));
  const missing = [...names].find((name) => !config.dependencies.some((one) => one.name === name));
  if (missing !== undefined) {
    throw new UserError(
      `the reference needs ${missing}, which the candidate's configuration does not define`,
      { next: "Leave its definition under `dependencies` until the change is merged." },
    );
  }
  return config.dependencies.filter(({ name }) => names.has(name));
}

/** Before anything is built: a missing server is known at once. */
export function assertServersInstalled(needed: readonly Dependency[], path?: string): void {
  if (needed.some(({ kind }) => kind === "postgresql")) findPostgresFolder(path);
  if (needed.some(({ kind }) => kind === "redis")) findRedis(path);
}

/** Programs are of the candidate's commit, one for both arms. */
export function dependencyJobs(needed: readonly Dependency[], candidate: Revision): BuildJob[] {
  return needed.flatMap((dependency) =>
    dependency.kind === "program"
      ? [
          {
            arm: "candidate" as const,
            service: dependency.name,
            recipe: dependency.recipe,
            revision: candidate,
          },
        ]
      : [],
  );
}

/** Where an arm's own files are. */
export interface ArmFiles {
  revision: Revision;
  /** Root of its checkout. */
  root: string;
  /** As its own configuration defines them; default: as the candidate's does. */
  dependencies?: readonly Dependency[];
}

export interface DependencyParts {
  needed: readonly Dependency[];
  arms: Partial<Record<Arm, ArmFiles>>;
  git: Git;
  /** Of `dependencyJobs`, in their order. */
  built: readonly BuiltArtifact[];
  start: DependencyStart;
}

/** All or none: what was started before one fails is stopped. */
export async function startDependencies(parts: DependencyParts): Promise<RunningDependencies> {
  const running = new RunningDependencies();
  const { progress } = parts.start;
  try {
    for (const dependency of parts.needed) {
      progress.status(`starting ${dependency.name}`);
      running.add(await startOne(dependency, parts));
    }
    return running;
  } catch (error) {
    await running.stop();
    throw error;
  }
}

async function startOne(dependency: Dependency, parts: DependencyParts) {
  const { name } = dependency;
  switch (dependency.kind) {
    case "postgresql":
      return startPostgresql(name, await schemasOf(dependency, parts), parts.start);
    case "redis":
      return startRedis(name, parts.start);
    case "program": {
      const built = parts.built.find(({ facts }) => facts.service === name);
      if (built === undefined) throw new Error(`bug in tailgate: ${name} was not built`);
      const target = { recipe: dependency.recipe, folder: built.folder, artifact: built.path };
      return startProgram(name, { target, key: built.facts.key }, parts.start);
    }
  }
}

type Postgresql = Extract<Dependency, { kind: "postgresql" }>;

/** Each arm's schema as its own commit has it, and as its own configuration lists its files. */
async function schemasOf(
  defined: Postgresql,
  { arms, git, start }: DependencyParts,
): Promise<Partial<Record<Arm, Schema>>> {
  const { name } = defined;
  const schemas: Partial<Record<Arm, Schema>> = {};
  for (const arm of ARMS) {
    const files = arms[arm];
    if (files === undefined) continue;
    const own = files.dependencies?.find(
      (one): one is Postgresql => one.kind === "postgresql" && one.name === name,
    );
    const { dir, schema } = own ?? defined;
    const tree = await objectAt(git, files.revision, dir);
    if (tree !== null) {
      const folder = `${files.root}/${dir}`;
      schemas[arm] = { files: schema, folder, identity: `${tree} ${schema.join(" ")}` };
    } else if (arm === "candidate") {
      throw new UserError(`${name}: the candidate has no folder ${dir}`, {
        next: "Correct the dependency's `dir`; files that git ignores do not count.",
      });
    } else {
      start.progress.note(`${name}: the reference has no ${dir}, and gets the candidate's schema`);
    }
  }
  const { candidate } = schemas;
  return candidate === undefined ? schemas : { reference: candidate, ...schemas };
}
