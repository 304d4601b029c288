// `with`: a command of the person's own, beside the dependencies of a service: for tests, and for a desk.
import { UserError } from "../base/errors.ts";
import { buildArtifacts } from "../build/build.ts";
import { checkOut } from "../build/checkout.ts";
import { resolveCandidate } from "../build/source.ts";
import { referencesIn } from "../run/dependency/fill.ts";
import { runInherited } from "../sys/process.ts";
import {
  assertServersInstalled,
  dependencyJobs,
  neededDependencies,
  startDependencies,
} from "./dependencies.ts";
import { openProject } from "./project.ts";
import { serviceNamed } from "./service-named.ts";
import type { Environment } from "./settings.ts";

export interface WithOptions {
  config: string | null;
  service: string;
  /** Program and arguments, run in the working folder. */
  command: readonly string[];
}

/**
 * Runs the command with those of the service's variables that speak of a dependency. Returns its exit code, 128 and the signal's
 * number when a signal ended it, as shells do.
 */
export async function runWithDependencies(
  { config: configPath, service, command }: WithOptions,
  environment: Environment,
): Promise<number> {
  const { progress, clock, abort, env } = environment;
  const only = { config: configPath, services: null, timeBudgetMs: null, out: null };
  const { git, config } = await openProject(only, environment);
  const chosen = serviceNamed(config, service);
  const needed = neededDependencies({ ...config, services: [chosen] });
  assertServersInstalled(needed, env.PATH);

  const revision = await resolveCandidate(git);
  const ports = { git, cache: environment.cache, env, abort, progress, clock };
  const checkout = await checkOut(revision, ports);
  const built = await buildArtifacts(dependencyJobs(needed, revision), ports);
  // No measurement: any CPU will do.
  const cpus = config.runner.cpus === null ? undefined : config.runner.cpus.service;
  const dependencies = await startDependencies({
    needed,
    arms: { candidate: { revision, root: checkout.root } },
    git,
    built,
    start: { clock, abort, progress, ...(cpus === undefined ? {} : { cpus }) },
  });
  try {
    const about = Object.entries(chosen.recipe.env).filter(
      ([, text]) => referencesIn(text).length > 0,
    );
    const own = dependencies.fill(Object.fromEntries(about), "candidate");
    const exit = await runInherited(command, { env: { ...env, ...own }, abort });
    if (exit.startError !== null) {
      throw new UserError(`cannot start ${command[0]}: ${exit.startError.message}`);
    }
    return exit.code ?? 128 + (exit.signalNumber ?? 0);
  } finally {
    await dependencies.stop();
    checkout.remove();
  }
}
