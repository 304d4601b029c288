// What each arm of a run is made from: its commit, and how its own configuration says that it is
// built, started and what it needs.
import { relative } from "node:path";
import { UserError } from "../../core/base/errors.ts";
import type { Baseline } from "../../core/model/baseline.ts";
import type { Config, Dependency, Recipe, Scenario } from "../../core/model/config.ts";
import { ARMS, type Arm, type Samples, type Source } from "../../core/model/samples.ts";
import type { BuiltArtifact } from "../../machine/build/build.ts";
import { type Revision, readFileAt, resolveReference } from "../../machine/build/source.ts";
import type { RunningDependencies } from "../../machine/run/dependency/running-dependencies.ts";
import type { ServiceTarget } from "../../machine/run/service/launch.ts";
import { configFromText } from "../config/load.ts";
import { targetOf } from "../machine/dependencies.ts";
import type { Project } from "../project/project.ts";
import type { Environment } from "../settings.ts";

/** What each arm of a run is made from. */
export interface ArmSetup {
  /** Of every service that `revisions` does not name, and of what the services need. */
  revision: Revision;
  /** Of services that are of another commit, by name. Absent: none is. */
  revisions?: Readonly<Record<string, Revision>>;
  /** Of every service, by name. */
  recipes: Record<string, Recipe>;
  dependencies: readonly Dependency[];
  /** As its own configuration has them: none where that cannot be read. */
  scenarios: readonly Scenario[];
}

export type ArmSetups = Partial<Record<Arm, ArmSetup>>;

/** What the choice of the arms follows from. */
interface ArmChoice {
  project: Project;
  baselines: readonly Baseline[];
  /** `stored`: the candidate alone. */
  compare: Samples["run"]["compare"];
}

/**
 * A recipe belongs to a commit, like the code: a pull request that changes GOGC or a build flag
 * changes what it ships. So the reference is built and started as its own tailgate.yml says;
 * scenarios and policy are the candidate's.
 */
export async function resolveArms(
  { project, compare, baselines }: ArmChoice,
  environment: Environment,
): Promise<ArmSetups> {
  const { git, config } = project;
  const candidate: ArmSetup = {
    revision: await project.candidate(),
    recipes: recipesOf(config),
    dependencies: config.dependencies,
    scenarios: config.scenarios,
  };
  environment.progress.note(`candidate: ${describeSource(candidate.revision.source)}`);
  if (compare === "stored") return { candidate };
  const { commit, others } =
    compare === "replay"
      ? commitsOf(baselines, config)
      : { commit: project.reference ?? project.base, others: {} };
  const resolve = async (spec: string | null): Promise<Revision> => {
    const found = await resolveReference(git, spec, candidate.revision);
    return compare === "replay"
      ? { ...found, source: { ...found.source, label: "commit of the stored baseline" } }
      : found;
  };
  const ports = { project, environment };
  const usual = await ownSetup(await resolve(commit), candidate, ports);
  const reference = { ...usual, revisions: {} as Record<string, Revision> };
  for (const [other, services] of Object.entries(others)) {
    const setup = await ownSetup(await resolve(other), candidate, { ...ports, services });
    for (const name of services) {
      reference.revisions[name] = setup.revision;
      reference.recipes[name] = recipeOf(setup, name);
      reference.scenarios = [
        ...reference.scenarios.filter(({ service }) => service !== name),
        ...setup.scenarios.filter(({ service }) => service === name),
      ];
    }
  }
  return { candidate, reference };
}

interface SetupPorts {
  project: Project;
  environment: Environment;
  /** Whose recipes are looked for; absent: everybody's. */
  services?: readonly string[];
}

/** As the revision's own configuration says. */
async function ownSetup(
  revision: Revision,
  candidate: ArmSetup,
  { project, environment, services }: SetupPorts,
): Promise<ArmSetup> {
  const { git, config } = project;
  const whose = services === undefined ? "" : ` of ${services.join(", ")}`;
  environment.progress.note(`reference${whose}: ${describeSource(revision.source)}`);
  const text = await readFileAt(git, revision, relative(project.root, project.configPath));
  const own = text === null ? null : tryConfig(text, project, environment);
  const recipes = { ...candidate.recipes };
  for (const name of services ?? config.services.map((service) => service.name)) {
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
  return { revision, recipes, dependencies, scenarios: own?.scenarios ?? [] };
}

/**
 * An old commit's configuration may be written for an older tailgate: then the candidate's recipes
 * serve.
 */
function tryConfig(text: string, project: Project, environment: Environment): Config | null {
  try {
    return configFromText(text, project.configPath);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    environment.progress.note(`the reference's configuration is not valid: ${error.message}`);
    return null;
  }
}

function recipesOf(config: Config): Record<string, Recipe> {
  return Object.fromEntries(config.services.map(({ name, recipe }) => [name, recipe]));
}

/**
 * Updates renew only what moved, so that baselines are of different commits: each service is held
 * against its own. The newest one's stands for what has no baseline, and for what services need.
 */
function commitsOf(
  baselines: readonly Baseline[],
  config: Config,
): { commit: string; others: Record<string, string[]> } {
  const own = baselines
    .filter(({ service }) => config.services.some(({ name }) => name === service))
    .sort((a, b) => (a.recordedAt < b.recordedAt ? 1 : -1));
  const [newest] = own;
  if (newest === undefined) {
    throw new UserError("compare: replay needs a stored baseline of a service that is measured", {
      detail: `services: ${config.services.map(({ name }) => name).join(", ")}`,
      next: "Record one: tailgate baseline record. Or compare with the merge base: --compare base.",
    });
  }
  const { commit } = newest.source;
  const others: Record<string, string[]> = {};
  for (const { service, source } of own) {
    if (source.commit !== commit)
      others[source.commit] = [...(others[source.commit] ?? []), service];
  }
  return { commit, others };
}

function describeSource({ commit, label, dirty, subject }: Source): string {
  return `${commit.slice(0, 10)} (${label}${dirty ? ", with uncommitted changes" : ""}) ${subject}`;
}

export function candidateOf(arms: ArmSetups): ArmSetup {
  const { candidate } = arms;
  if (candidate === undefined) throw new Error("a run without a candidate");
  return candidate;
}

/** Of what the service is built. */
export function revisionFor({ revision, revisions }: ArmSetup, service: string): Revision {
  return revisions?.[service] ?? revision;
}

export function recipeOf(setup: ArmSetup, service: string): Recipe {
  const recipe = setup.recipes[service];
  if (recipe === undefined) throw new Error(`no recipe for ${service}`);
  return recipe;
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
    targets[arm] = targetOf(recipeOf(setup, service), built, dependencies);
  }
  return targets;
}
