// `try`: starts each service of a configuration once, and tells what that has shown. Everything that
// is started is stopped.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { throwIfStopped, UserError } from "../../core/base/errors.ts";
import { neededDependencies } from "../../core/config/needed-dependencies.ts";
import type { Config, Dependency, Recipe, Scenario, Service } from "../../core/model/config.ts";
import { splitIntoParts } from "../../core/model/mix.ts";
import { isAsExpected } from "../../core/model/one-answer.ts";
import type { TriedService, TryOptions, TryResult } from "../../core/model/try.ts";
import { Secrets } from "../../core/text/secrets.ts";
import { openGit } from "../../machine/build/git.ts";
import { findOha } from "../../machine/build/oha-tool.ts";
import { resolveCandidate } from "../../machine/build/source.ts";
import {
  type LaunchResult,
  launchService,
  type ServiceTarget,
} from "../../machine/run/service/launch.ts";
import { addressOf, type RunningService } from "../../machine/run/service/running-service.ts";
import { assertPrograms } from "../../machine/sys/programs.ts";
import { targetOf } from "../machine/dependencies.ts";
import { type RunPlace, withMachine, withWorkFolder } from "../machine/prepared-run.ts";
import type { Environment } from "../settings.ts";
import { askService } from "./ask-service.ts";
import { launchAndLearnPort } from "./launch.ts";
import { measureRate } from "./measure-rate.ts";

interface TryPlace {
  /** The repository's. */
  root: string;
  config: Config;
  /** How long to wait for another gate on this machine. */
  lockTimeoutMs: number;
}

/** A service that cannot be built or started is told of like any other. */
export async function tryServices(
  place: TryPlace,
  options: TryOptions,
  environment: Environment,
): Promise<TryResult> {
  const { config } = place;
  if (options.build) assertPrograms(environment.env.PATH);
  const hasOha = options.build && (await findOha(environment)).oha !== null;
  if (options.build && !hasOha) {
    environment.progress.note("no rate is measured: there is no oha; tailgate setup installs it");
  }
  const services: TriedService[] = [];
  for (const service of config.services) {
    environment.progress.stage(`try ${service.name}`);
    const scenarios = config.scenarios.filter((one) => one.service === service.name);
    // Without scenarios no generator is asked for; another one does not time single requests.
    const loaded = hasOha ? scenarios.filter(({ generator }) => generator === "oha") : [];
    const drawn = loaded.filter(hasPattern);
    const trial = { ...place, service, scenarios, loaded, drawn, options, environment };
    services.push(await tryOne({ ...trial, secrets: new Secrets() }));
  }
  return { schema: "tailgate.try.v1", services };
}

/** Built, started and asked for each of its scenarios, without load. */
export function tryAnswers(
  place: TryPlace,
  service: Service,
  environment: Environment,
): Promise<TriedService> {
  const scenarios = place.config.scenarios.filter((one) => one.service === service.name);
  const options = { build: true, paths: [], ports: [], enough: null };
  const drawn = scenarios.filter(hasPattern);
  const trial = { ...place, service, scenarios, loaded: [], drawn, options, environment };
  return tryOne({ ...trial, secrets: new Secrets() });
}

function hasPattern(scenario: Scenario): boolean {
  return splitIntoParts([scenario]).some(({ request }) => request.pathIsPattern);
}

interface Trial extends TryPlace {
  service: Service;
  scenarios: readonly Scenario[];
  /** Those of which a rate is measured. */
  loaded: readonly Scenario[];
  /** Those whose paths a generator draws. */
  drawn: readonly Scenario[];
  options: TryOptions;
  environment: Environment;
  /** What `before` of the service gave. */
  secrets: Secrets;
}

async function tryOne(trial: Trial): Promise<TriedService> {
  try {
    return trial.options.build ? await tryBuilt(trial) : await tryInPlace(trial);
  } catch (error) {
    if (!(error instanceof UserError) || error.kind === "interrupted") throw error;
    return failed(trial, error.message, error);
  }
}

function failed(
  { service: { name, recipe }, secrets: { mask } }: Trial,
  text: string,
  { detail = "", next = null }: { detail?: string | undefined; next?: string | null | undefined },
): TriedService {
  const { dir, run } = recipe;
  const launch = { kind: "failed" as const, text: mask(text), detail: mask(detail), next };
  return { name, dir, run, launch, scenarios: [], asked: [] };
}

/** From the files that lie there, alone. */
async function tryInPlace(trial: Trial): Promise<TriedService> {
  const { recipe } = trial.service;
  const { dir, artifact: made, needs } = recipe;
  const folder = join(trial.root, dir);
  const artifact = made === null ? null : join(folder, made);
  const refuse = (text: string, next: string): TriedService => failed(trial, text, { next });
  if (needs.length > 0)
    return refuse(`it needs ${needs.join(", ")}`, "tailgate try --build starts what it needs.");
  if (artifact !== null && !existsSync(artifact))
    return refuse(`there is no ${artifact}`, "Build it, or have it built: tailgate try --build.");
  return await startAndAsk({ recipe, folder, artifact }, trial, null);
}

/** As a gate would, beside what it needs. */
async function tryBuilt(trial: Trial): Promise<TriedService> {
  const { root, config, lockTimeoutMs, service, environment } = trial;
  const { name, recipe } = service;
  const git = await openGit(root, environment);
  const revision = await resolveCandidate(git);
  const plan = {
    project: { git, root, config },
    scenarios: [...new Set([...trial.loaded, ...trial.drawn])],
    needed: neededDependencies({ ...config, services: [service] }).map(ofItsOwn),
    jobs: [{ arm: "candidate" as const, service: name, revision, recipe }],
    arms: { candidate: { revision } },
  };
  return await withMachine(plan, { lockTimeoutMs }, environment, (prepared) =>
    withWorkFolder(
      prepared,
      environment,
      async (place) => {
        const [built] = prepared.artifacts;
        if (built === undefined) throw new Error("nothing was built");
        const target = targetOf(recipe, built, place.dependencies);
        return await startAndAsk(target, trial, place);
      },
      trial.secrets,
    ),
  );
}

/**
 * One that a service fills is filled by its trial: how it is ready is not known before. Nobody else
 * is there to share it.
 */
function ofItsOwn(dependency: Dependency): Dependency {
  if (dependency.kind === "program") return dependency;
  const { seed, ...rest } = dependency;
  const isFilledBefore = seed?.kind === "command";
  return { ...rest, seed: isFilledBefore ? seed : undefined, isolation: "separate" };
}

async function startAndAsk(
  target: ServiceTarget,
  trial: Trial,
  place: RunPlace | null,
): Promise<TriedService> {
  const { options, scenarios, loaded, root, secrets, environment } = trial;
  const { abort, clock } = environment;
  const start = (recipe: Recipe, cpus: readonly number[] | undefined = place?.cpuSets.service) =>
    launch({ ...target, recipe }, cpus, trial, place);
  const launched = await launchAndLearnPort(target.recipe, options.ports, start);
  if (launched.kind === "failed") return failed(trial, `it ${launched.text}`, launched);
  const { service, told, recipe } = launched;
  const readyAtMs = clock.nowMs() + recipe.ready.timeoutMs;
  const load = place !== null && trial.drawn.length > 0 ? loadOnce(service, place) : null;
  const plan = { ...options, scenarios, load, root, secrets, abort, readyAtMs, clock };
  const answers = await askService(service, plan).finally(() => service.stop());
  throwIfStopped(abort);
  const rated: TriedService["scenarios"] = [];
  for (const one of answers.scenarios) {
    const scenario = loaded.find(({ name }) => name === one.name);
    if (place === null || scenario === undefined) {
      rated.push(one);
      continue;
    }
    const rate = isAsExpected(one)
      ? await measureRate((cpus) => start(recipe, cpus), scenario, place, environment)
      : null;
    throwIfStopped(abort);
    rated.push({ ...one, rate: rate ?? { kind: "unsettled" } });
  }
  const { name, recipe: configured } = trial.service;
  return {
    ...{ name, dir: configured.dir, run: configured.run },
    launch: { kind: "ready", told, port: service.port, startupMs: Math.round(service.startupMs) },
    ...{ ...answers, scenarios: rated },
  };
}

function loadOnce(service: RunningService, { cpuSets, folder, generator, abort }: RunPlace) {
  const rest = { ...addressOf(service), requests: 1, cpus: cpuSets.generator, folder, abort };
  return (scenario: Scenario) => generator.run({ scenario, ...rest });
}

/** What it needs is as it is before any launch. */
async function launch(
  target: ServiceTarget,
  cpus: readonly number[] | undefined,
  { secrets, environment: { clock, abort, progress } }: Trial,
  place: RunPlace | null,
): Promise<LaunchResult> {
  await place?.dependencies.begin("candidate");
  const onSecret = (value: string): void => progress.secret(value);
  const result = await launchService(target, { cpus, clock, abort, secrets, onSecret });
  if (abort.aborted && result.kind === "running") await result.service.stop();
  throwIfStopped(abort);
  return result;
}
