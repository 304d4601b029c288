// `with`: a command of the person's own, beside the dependencies of a service: for tests, and for a
// desk.

import { constants } from "node:os";
import { UserError } from "../core/base/errors.ts";
import { referencesIn } from "../core/config/fill-places.ts";
import { neededDependencies } from "../core/config/needed-dependencies.ts";
import { serviceNamed } from "../core/model/config.ts";
import { missingProgram } from "../machine/sys/find-program.ts";
import { runInherited } from "../machine/sys/process.ts";
import { buildBeside } from "./machine/build-dependencies.ts";
import {
  assertServersInstalled,
  dependencyJobs,
  startDependencies,
} from "./machine/dependencies.ts";
import { openProject } from "./project/project.ts";
import type { Environment } from "./settings.ts";

interface WithOptions {
  config: string | null;
  service: string;
  /** Program and arguments, run in the working folder. */
  command: readonly string[];
}

/**
 * Runs the command with those of the service's variables that speak of a dependency. Returns its
 * exit code, 128 and the signal's number when a signal ended it, as shells do.
 */
export async function runWithDependencies(
  { config: configPath, service, command }: WithOptions,
  environment: Environment,
): Promise<number> {
  const { abort, env } = environment;
  const project = await openProject({ config: configPath }, environment);
  const { git, config } = project;
  const chosen = serviceNamed(config, service);
  const needed = neededDependencies({ ...config, services: [chosen] });
  assertServersInstalled(needed, env.PATH);

  const arms = { candidate: { revision: await project.candidate() } };
  const ports = { ...environment, git, arms };
  const built = await buildBeside(dependencyJobs(needed, arms), {
    ...ports,
    dependencies: config.dependencies,
  });
  // No measurement: any CPU will do.
  const start = { ...environment, cpus: config.runner.cpus?.service };
  const dependencies = await startDependencies({ ...ports, needed, built, checkout: ports, start });
  try {
    await dependencies.begin("candidate");
    const about = Object.entries(chosen.recipe.env).filter(
      ([, text]) => referencesIn(text).length > 0,
    );
    const own = dependencies.fill(Object.fromEntries(about), "candidate");
    const missing = missingProgram(command[0] ?? "", environment.workingFolder, env.PATH);
    if (missing !== null) {
      const { why, detail } = missing;
      throw new UserError(`the command after -- could not be started: ${why}`, { detail });
    }
    const exit = await runInherited(command, { env: { ...env, ...own }, abort });
    if (exit.startError !== null) {
      throw new UserError(`cannot start ${command[0]}: ${exit.startError.message}`);
    }
    return exit.code ?? 128 + (exit.signal === null ? 0 : constants.signals[exit.signal]);
  } finally {
    await dependencies.stop();
  }
}
