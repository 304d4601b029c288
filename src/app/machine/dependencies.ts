// The dependencies of a run: which are needed, what of them is built, and starting them.
import { join } from "node:path";
import { UserError } from "../../core/base/errors.ts";
import type { Dependency } from "../../core/model/config.ts";
import { ARMS, type Arm } from "../../core/model/samples.ts";
import type { BuildJob, BuiltArtifact } from "../../machine/build/build.ts";
import { type CheckoutPorts, checkOut } from "../../machine/build/checkout.ts";
import { objectAt, type Revision } from "../../machine/build/source.ts";
import { startPostgresql } from "../../machine/run/dependency/postgresql.ts";
import type { Schema } from "../../machine/run/dependency/postgresql-plan.ts";
import { startProgram } from "../../machine/run/dependency/program.ts";
import { startRedis } from "../../machine/run/dependency/redis.ts";
import { RunningDependencies } from "../../machine/run/dependency/running-dependencies.ts";
import { findPostgresFolder, findRedis } from "../../machine/run/dependency/server-program.ts";
import type { DependencyStart } from "../../machine/run/dependency/start.ts";

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

/** What an arm's schemas are read from. */
export interface ArmFiles {
  revision: Revision;
  /** As its own configuration defines them; default: as the candidate's does. */
  dependencies?: readonly Dependency[];
}

export interface DependencyParts {
  needed: readonly Dependency[];
  arms: Partial<Record<Arm, ArmFiles>>;
  /** Where the arms' schemas are laid out. */
  checkout: CheckoutPorts;
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
      if (built === undefined) throw new Error(`${name} was not built`);
      const target = { recipe: dependency.recipe, folder: built.folder, artifact: built.path };
      return startProgram(name, { target, key: built.facts.key }, parts.start);
    }
  }
}

type Postgresql = Extract<Dependency, { kind: "postgresql" }>;

/** Each arm's schema as its own commit has it, and as its own configuration lists its files. */
async function schemasOf(
  defined: Postgresql,
  { arms, checkout, start }: DependencyParts,
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
    const tree = await objectAt(checkout.git, files.revision, dir);
    if (tree !== null) {
      // All of the commit: a schema may include files from elsewhere.
      const folder = join((await checkOut(files.revision, checkout)).root, dir);
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
