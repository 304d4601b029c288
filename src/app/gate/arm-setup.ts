// What each arm of a run is made from: its commit, and how its own configuration says that it is
// built, started and what it needs.
import { relative } from "node:path";
import { UserError } from "../../core/base/errors.ts";
import type { Baseline } from "../../core/model/baseline.ts";
import type { Config, Dependency, Recipe, Scenario } from "../../core/model/config.ts";
import {
  ARMS,
  type Arm,
  type OneArm,
  type Samples,
  type Source,
} from "../../core/model/samples.ts";
import { differing, joined, needsOf } from "../../core/model/workload.ts";
import { limitOf, listQuestions } from "../../core/verdict/hypotheses.ts";
import { baselinesFor } from "../../core/verdict/stored.ts";
import type { BuiltArtifact } from "../../machine/build/build.ts";
import {
  objectAt,
  type Revision,
  readFileAt,
  resolveReference,
} from "../../machine/build/source.ts";
import type { RunningDependencies } from "../../machine/run/dependency/running-dependencies.ts";
import type { ServiceTarget } from "../../machine/run/service/launch.ts";
import { configFromText } from "../config/load.ts";
import { targetOf } from "../machine/dependencies.ts";
import type { Project } from "../project/project.ts";
import type { Environment } from "../settings.ts";

/** What an arm of a run is made from. */
export interface ArmSetup {
  /** Of what the services need. */
  revision: Revision;
  dependencies: readonly Dependency[];
  /** By name. The reference's: without those that it does not have. */
  services: Readonly<Record<string, ServiceSetup>>;
  /** The reference's, as Samples has it. */
  oneArm?: Samples["oneArm"];
}

interface ServiceSetup {
  revision: Revision;
  recipe: Recipe;
  /** As its own configuration has them: none where that cannot be read. */
  scenarios: readonly Scenario[];
  /** Its absolute limits by question, as its own configuration has them. Absent: not known. */
  maxima?: ReadonlyMap<string, number>;
}

export interface ArmSetups {
  candidate: ArmSetup;
  reference?: ArmSetup;
}

/** What the choice of the arms follows from. */
interface ArmChoice {
  project: Project;
  baselines: readonly Baseline[];
  /** `stored`: the candidate alone. */
  compare: Samples["run"]["compare"];
}

/**
 * A recipe belongs to a commit, like the code: a pull request that changes GOGC or a build flag
 * changes what it ships. So the reference is built and started as its own tailgate.yml says; policy
 * and scenarios are the candidate's, but for requests that the reference alone answers otherwise.
 */
export async function resolveArms(
  { project, compare, baselines }: ArmChoice,
  environment: Environment,
): Promise<ArmSetups> {
  const { git, config } = project;
  const revision = await project.candidate();
  const candidate: ArmSetup = {
    revision,
    dependencies: config.dependencies,
    services: Object.fromEntries(
      config.services.map(({ name, recipe }) => [
        name,
        { revision, recipe, ...askedOf(config, name) },
      ]),
    ),
  };
  environment.progress.note(`candidate: ${describeSource(revision.source)}`);
  if (compare === "stored") return { candidate };

  const { commit, others } =
    compare === "replay"
      ? commitsOf(baselines, config)
      : { commit: project.reference ?? project.base, others: new Map<string, Baseline[]>() };
  const referenceOf = async (spec: string | null, services?: readonly string[]) => {
    const found = await resolveReference(git, spec, revision);
    const label = compare === "replay" ? "commit of the stored baseline" : found.source.label;
    const own = { ...found, source: { ...found.source, label } };
    return await ownSetup(own, candidate, { project, environment, services });
  };
  const usual = await referenceOf(commit);
  const services = { ...usual.services };
  for (const [other, own] of others) {
    const names = own.map(({ service }) => service);
    Object.assign(services, (await referenceOf(other, names)).services);
  }
  return { candidate, reference: { ...usual, services } };
}

/** What a configuration asks of a service. */
function askedOf(config: Config, wanted: string) {
  const isIts = ({ service }: { service: string }) => service === wanted;
  const questions = listQuestions(config).filter(isIts);
  const maxima = new Map(questions.map((one) => [one.id, limitOf(one) ?? Infinity]));
  return { scenarios: config.scenarios.filter(isIts), maxima };
}

/** As the revision's own configuration says. `services`: which are looked for; absent: all. */
async function ownSetup(
  revision: Revision,
  candidate: ArmSetup,
  ports: { project: Project; environment: Environment; services?: readonly string[] },
): Promise<ArmSetup> {
  const { project, environment, services } = ports;
  const { note } = environment.progress;
  const whose = services === undefined ? "" : ` of ${services.join(", ")}`;
  note(`reference${whose}: ${describeSource(revision.source)}`);
  const path = relative(project.root, project.configPath);
  const text = await readFileAt(project.git, revision, path);
  const own = text === null ? null : tryConfig(text, project, environment);
  const setups: [string, ServiceSetup][] = [];
  for (const name of services ?? Object.keys(candidate.services)) {
    const known = own?.services.find((service) => service.name === name);
    const { recipe } = known ?? serviceOf(candidate, name);
    // Whoever has no configuration yet may have the service all the same.
    const isBorrowed = own === null && (await objectAt(project.git, revision, recipe.dir)) !== null;
    if (known === undefined) {
      const so = isBorrowed ? "its recipe is the candidate's" : "it is new, and measured alone";
      note(`the reference's configuration does not have ${name}: ${so}`);
    }
    const asked = own === null ? { scenarios: [] } : askedOf(own, name);
    if (known !== undefined || isBorrowed) setups.push([name, { revision, recipe, ...asked }]);
  }
  const dependencies = own?.dependencies ?? candidate.dependencies;
  const told = differing(needsOf(own ?? project.config), needsOf(project.config));
  const gone = own?.scenarios.flatMap(({ id }) => (project.listed.has(id) ? [] : id)) ?? [];
  const oneArm = { ...told, gone: [...gone, ...told.gone] };
  return { revision, dependencies, services: Object.fromEntries(setups), oneArm };
}

/** What the reference's own configuration has otherwise, by id; null: nothing that can be asked. */
export function ownScenarios({ candidate, reference }: ArmSetups): Map<string, Scenario | null> {
  const own = new Map<string, Scenario | null>();
  for (const [name, { scenarios }] of Object.entries(candidate.services)) {
    for (const scenario of scenarios) {
      const theirs = reference?.services[name]?.scenarios.find(({ id }) => id === scenario.id);
      if (theirs === undefined || sent(theirs) !== sent(scenario)) {
        own.set(scenario.id, theirs === undefined ? null : otherwise(scenario, theirs));
      }
    }
  }
  return own;
}

/** By the configurations: what the reference answers nobody knows yet. */
export function oneArmOf({ candidate, reference }: Partial<ArmSetups>): OneArm {
  const told = reference?.oneArm ?? joined([]);
  if (candidate === undefined || reference === undefined) return told;
  const kindOf = (id: string): "new" | "changed" | null => {
    const theirs = reference.services[id.slice(0, id.indexOf("/"))]?.scenarios;
    if (theirs?.some((one) => one.id === id)) return "changed";
    // Without a configuration it may have them all.
    return theirs?.length === 0 ? null : "new";
  };
  const own = Map.groupBy(ownScenarios({ candidate, reference }).keys(), kindOf);
  const withOwn = (kind: "new" | "changed") => [...(own.get(kind) ?? []), ...told[kind]];
  return { ...told, new: withOwn("new"), changed: withOwn("changed") };
}

/** What a file holds is known of the checkout alone. */
const sent = ({ request, mix, expectStatus }: Scenario): string =>
  JSON.stringify([request, mix, expectStatus], (_, value) =>
    typeof value?.bytes === "number" ? [value.path, value.repeat, value.lines] : value,
  );

/** Null: its files are not those that are laid out for the generator, or its parts are others. */
function otherwise(scenario: Scenario, { request, mix, expectStatus }: Scenario): Scenario | null {
  const isText = request.body === null || typeof request.body === "string";
  const isPlain = isText && request.paths === undefined && (mix ?? scenario.mix) === undefined;
  return isPlain ? { ...scenario, request, expectStatus } : null;
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

/**
 * Updates renew only what moved, so that baselines are of different commits: each service is held
 * against that of its own newest one, of whatever machine. The newest of all stands for what has no
 * baseline, and for what services need.
 */
function commitsOf(
  baselines: readonly Baseline[],
  config: Config,
): { commit: string; others: ReadonlyMap<string, readonly Baseline[]> } {
  const own = config.services
    .flatMap(({ name }) => baselinesFor(name, baselines, { config }).slice(0, 1))
    .sort((a, b) => (a.recordedAt < b.recordedAt ? 1 : -1));
  const [newest] = own;
  if (newest === undefined) {
    throw new UserError("compare: replay needs a stored baseline of a service that is measured", {
      detail: `services: ${config.services.map(({ name }) => name).join(", ")}`,
      next: "Record one: tailgate baseline record. Or compare with the merge base: --compare base.",
    });
  }
  const { commit } = newest.source;
  const byCommit = Map.groupBy(own, ({ source }) => source.commit);
  byCommit.delete(commit);
  return { commit, others: byCommit };
}

function describeSource({ commit, label, dirty, subject }: Source): string {
  return `${commit.slice(0, 10)} (${label}${dirty ? ", with uncommitted changes" : ""}) ${subject}`;
}

export function serviceOf({ services }: ArmSetup, name: string): ServiceSetup {
  const setup = services[name];
  if (setup === undefined) throw new Error(`nothing is known of ${name}`);
  return setup;
}

/** Those of the named that it has. */
export function servicesOf({ services }: ArmSetup, names: readonly string[]) {
  const own = Object.entries(services).filter(([name]) => names.includes(name));
  return own.map(([service, { revision, recipe }]) => ({ service, revision, recipe }));
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
    targets[arm] = targetOf(serviceOf(setup, service).recipe, built, dependencies);
  }
  return targets;
}
