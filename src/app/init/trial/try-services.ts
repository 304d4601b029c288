// Builds and runs what is proposed, as a gate would, and proposes what was seen. Everything that is
// started is stopped.
import { join } from "node:path";
import { UserError } from "../../../core/base/errors.ts";
import { neededDependencies } from "../../../core/config/needed-dependencies.ts";
import type { Config, Dependency, Recipe } from "../../../core/model/config.ts";
import { openGit } from "../../../machine/build/git.ts";
import { findOha } from "../../../machine/build/oha-tool.ts";
import { resolveCandidate } from "../../../machine/build/source.ts";
import type { ServiceTarget } from "../../../machine/run/service/launch.ts";
import { stopIfAborted } from "../../machine/begin-run.ts";
import {
  type PreparedRun,
  type RunPlace,
  withMachine,
  withWorkFolder,
} from "../../machine/prepared-run.ts";
import { LOCK_TIMEOUT_MS } from "../../project/project.ts";
import type { Environment } from "../../settings.ts";
import type { RequestProposal, ServiceProposal } from "../proposal.ts";
import { measureRate } from "./measure-rate.ts";
import { startAndLearnPort } from "./try-launch.ts";
import { tryRequests } from "./try-requests.ts";

export interface TryOptions {
  /** The repository's. */
  root: string;
  /** What a proposal means as a configuration. */
  configOf(services: readonly ServiceProposal[]): Config;
}

/** Without a build, packages and servers beside it, starting it takes a second. */
export function takesLittle({ program, needs }: ServiceProposal): boolean {
  const isAlone = needs.servers.length === 0 && needs.others.length === 0;
  return program.build === null && program.serves && isAlone && program.packages.length === 0;
}

/** Starts it where it lies, and asks; measures nothing. */
export async function tryInPlace(
  service: ServiceProposal,
  { root, configOf }: TryOptions,
  environment: Environment,
): Promise<ServiceProposal> {
  const { recipe } = onlyServiceOf(configOf([service]));
  const target = { recipe, folder: join(root, recipe.dir), artifact: null };
  return (await tried(service, target, environment)).service;
}

/** Builds the checkout, starts it beside what it needs, asks, and measures a rate. */
export async function tryWithBuild(
  service: ServiceProposal,
  options: TryOptions,
  environment: Environment,
): Promise<ServiceProposal> {
  try {
    return await buildAndTry(service, options, environment);
  } catch (error) {
    if (!(error instanceof UserError) || error.kind === "interrupted") throw error;
    return failed(service, { text: error.message, detail: error.detail }, environment);
  }
}

/** The proposal says what went wrong; what was printed is for whoever looks on. */
function failed(
  service: ServiceProposal,
  { text, detail = "" }: { text: string; detail?: string | undefined },
  { progress }: Environment,
): ServiceProposal {
  progress.note(`tried in vain: ${text}`);
  for (const printed of detail.split("\n").filter((one) => one !== ""))
    progress.note(`  ${printed}`);
  return { ...service, trial: { kind: "failed", text } };
}

async function buildAndTry(
  service: ServiceProposal,
  { root, configOf }: TryOptions,
  environment: Environment,
): Promise<ServiceProposal> {
  const config = configOf([service]);
  const { name, recipe } = onlyServiceOf(config);
  const git = await openGit(root, environment);
  const revision = await resolveCandidate(git);
  const hasGenerator = (await findOha(environment)).oha !== null;
  if (!hasGenerator) {
    environment.progress.note("no rate is measured: there is no oha; tailgate setup installs it");
  }
  const plan = {
    project: { git, root, config },
    // Without scenarios no generator is asked for.
    scenarios: hasGenerator ? config.scenarios : [],
    needed: neededDependencies(config).map(unfilled),
    jobs: [{ arm: "candidate" as const, service: name, revision, recipe }],
    arms: { candidate: { revision } },
  };
  const lock = { lockTimeoutMs: LOCK_TIMEOUT_MS };
  return await withMachine(plan, lock, environment, (prepared) =>
    withWorkFolder(prepared, environment, async (place) => {
      const [built] = prepared.artifacts;
      if (built === undefined) throw new Error("nothing was built");
      const target: ServiceTarget = {
        recipe: { ...recipe, env: place.dependencies.fill(recipe.env, "candidate") },
        folder: built.folder,
        artifact: built.path,
      };
      const cpus = prepared.cpuSets.service;
      const { service: seen, recipe: learnt } = await tried(service, target, environment, cpus);
      if (!hasGenerator || seen.trial?.kind !== "ran") return seen;
      return await withRates(
        seen,
        { ...target, recipe: learnt },
        { config: configOf([seen]), prepared, place },
        environment,
      );
    }),
  );
}

/** A service that makes its own tables makes them in the trial: how it is ready is not known before. */
function unfilled(dependency: Dependency): Dependency {
  if (dependency.kind === "program" || dependency.seed?.kind !== "service") return dependency;
  const { seed: _seed, ...rest } = dependency;
  return rest;
}

/** What was proposed, with what starting it and asking it have shown; and how it was started. */
async function tried(
  service: ServiceProposal,
  target: ServiceTarget,
  environment: Environment,
  cpus?: readonly number[],
): Promise<{ service: ServiceProposal; recipe: Recipe }> {
  const { clock, abort } = environment;
  const options = { clock, abort, ...(cpus === undefined ? {} : { cpus }) };
  const started = await startAndLearnPort(target, service.port, options);
  stopIfAborted(abort);
  if (started.kind === "failed") {
    const { text, detail } = started;
    const seen = failed(service, { text: `it ${text}`, detail }, environment);
    return { service: seen, recipe: target.recipe };
  }
  try {
    const { refused, ...seen } = await tryRequests(service, { port: started.service.port, abort });
    stopIfAborted(abort);
    return {
      service: { ...service, ...seen, port: started.port, trial: { kind: "ran", refused } },
      recipe: started.recipe,
    };
  } finally {
    await started.service.stop();
  }
}

async function withRates(
  service: ServiceProposal,
  target: ServiceTarget,
  { config, ...run }: { config: Config; prepared: PreparedRun; place: RunPlace },
  environment: Environment,
): Promise<ServiceProposal> {
  const requests: RequestProposal[] = [];
  for (const [i, request] of service.requests.entries()) {
    const scenario = config.scenarios[i];
    if (scenario === undefined || !request.isConfirmed) {
      requests.push(request);
      continue;
    }
    const rate = await measureRate(target, scenario, run, environment);
    stopIfAborted(environment.abort);
    const unsettled = { kind: "unsettled" as const, rps: request.rate.rps };
    requests.push({ ...request, rate: rate ?? unsettled });
  }
  return { ...service, requests };
}

function onlyServiceOf({ services }: Config) {
  const [only] = services;
  if (only === undefined) throw new Error("a proposal without a service");
  return only;
}
