// What each arm of a run is made from: its commit, and how its own configuration says that it is built, started and what it needs.
import { relative } from "node:path";
import { UserError } from "../base/errors.ts";
import type { BuiltArtifact } from "../build/build.ts";
import { type Revision, readFileAt, resolveCandidate, resolveReference } from "../build/source.ts";
import { configFromText } from "../config/load.ts";
import type { Baseline } from "../model/baseline.ts";
import type { Config, Dependency, Recipe } from "../model/config.ts";
import { ARMS, type Arm, type Samples, type Source } from "../model/samples.ts";
import type { RunningDependencies } from "../run/dependency/running-dependencies.ts";
import type { ServiceTarget } from "../run/service/launch.ts";
import type { ArmFiles } from "./dependencies.ts";
import type { Project } from "./project.ts";
import type { Environment, MeasureOptions } from "./settings.ts";

/** What each arm of a run is made from. */
export interface ArmSetup {
  revision: Revision;
  /** Of every service, by name. */
  recipes: Record<string, Recipe>;
  dependencies: readonly Dependency[];
}

export type ArmSetups = Partial<Record<Arm, ArmSetup>>;

/** What the choice of the arms follows from. */
export interface ArmChoice {
  project: Project;
  baselines: readonly Baseline[];
  options: Pick<MeasureOptions, "reference" | "base">;
  compare: Samples["run"]["compare"];
  /** `same`: the candidate's code in both arms, to learn how noisy the machine is. Absent: as the rest says. */
  arms?: "same";
}

/**
 * A recipe belongs to a commit, like the code: a pull request that changes GOGC or a build flag changes what it ships. So
 * the reference is built and started as its own tailgate.yml says; scenarios and policy are the candidate's.
 */
export async function resolveArms(
  { project, options, compare, baselines, arms }: ArmChoice,
  environment: Environment,
): Promise<ArmSetups> {
  const { git, config } = project;
  const candidate: ArmSetup = {
    revision: await resolveCandidate(git),
    recipes: recipesOf(config),
    dependencies: config.dependencies,
  };
  environment.progress.note(`candidate: ${describeSource(candidate.revision.source)}`);
  if (compare === "stored") return { candidate };
  if (arms === "same") return { candidate, reference: candidate };

  const spec =
    compare === "replay"
      ? commitOf(baselines, config)
      : (options.reference ?? options.base ?? null);
  const found = await resolveReference(git, spec, candidate.revision);
  const revision: Revision =
    compare === "replay"
      ? { ...found, source: { ...found.source, label: "commit of the stored baseline" } }
      : found;
  environment.progress.note(`reference: ${describeSource(revision.source)}`);
  const text = await readFileAt(git, revision, relative(project.root, project.configPath));
  const own = text === null ? null : tryConfig(text, project, environment);
  const recipes = { ...candidate.recipes };
  for (const { name } of config.services) {
    const recipe = own?.services.find((service) => service.name === name)?.recipe;
    if (recipe === undefined) {
      environment.progress.note(
        `the reference's configuration does not have ${name}: its recipe is the candidate's`,
      );
    } else {
      recipes[name] = recipe;
    }
  }
  const dependencies = own?.dependencies ?? candidate.dependencies;
  return { candidate, reference: { revision, recipes, dependencies } };
}

/** An old commit's configuration may be written for an older tailgate: then the candidate's recipes serve. */
function tryConfig(text: string, project: Project, environment: Environment): Config | null {
  try {
    return configFromText(text, { path: project.configPath, root: null });
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    environment.progress.note(`the reference's configuration is not valid: ${error.message}`);
    return null;
  }
}

function recipesOf(config: Config): Record<string, Recipe> {
  return Object.fromEntries(config.services.map(({ name, recipe }) => [name, recipe]));
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

export function candidateOf(arms: ArmSetups): ArmSetup {
  const { candidate } = arms;
  if (candidate === undefined) throw new Error("bug in tailgate: a run without a candidate");
  return candidate;
}

export function recipeOf(setup: ArmSetup, service: string): Recipe {
  const recipe = setup.recipes[service];
  if (recipe === undefined) throw new Error(`bug in tailgate: no recipe for ${service}`);
  return recipe;
}

export function filesOf(
  arms: ArmSetups,
  artifacts: readonly BuiltArtifact[],
): Partial<Record<Arm, ArmFiles>> {
  const files: Partial<Record<Arm, ArmFiles>> = {};
  for (const arm of ARMS) {
    const root = artifacts.find(({ facts }) => facts.arm === arm)?.root;
    const setup = arms[arm];
    if (setup === undefined || root === undefined) continue;
    files[arm] = { revision: setup.revision, root, dependencies: setup.dependencies };
  }
  return files;
}

export function targetsOf(
  service: string,
  arms: ArmSetups,
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
