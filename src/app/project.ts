// The project that a command works on: repository, configuration with the command's own wishes applied, output folder.
import { join, resolve } from "node:path";
import { UserError } from "../base/errors.ts";
import { nearest } from "../base/nearest.ts";
import { type Git, openGit } from "../build/git.ts";
import { loadConfig } from "../config/load.ts";
import type { Config } from "../model/config.ts";
import type { Environment, MeasureOptions } from "./settings.ts";

export interface Project {
  git: Git;
  /** Root of the repository. */
  root: string;
  /** Absolute path of the configuration file. */
  configPath: string;
  config: Config;
  /** Absolute path of the output folder. */
  out: string;
}

export const CONFIG_FILE = "tailgate.yml";
const OUTPUT_FOLDER = ".tailgate";

export async function openProject(
  options: Pick<MeasureOptions, "config" | "services" | "timeBudgetMs" | "out">,
  environment: Environment,
): Promise<Project> {
  const git = await openGit(environment.workingFolder, environment);
  const { root } = git;
  const configPath =
    options.config === null
      ? join(root, CONFIG_FILE)
      : resolve(environment.workingFolder, options.config);
  const loaded = loadConfig(configPath, root, { today: environment.clock.wallTime().slice(0, 10) });
  const chosen = options.services === null ? loaded : onlyServices(loaded, options.services);
  const config: Config =
    options.timeBudgetMs === null
      ? chosen
      : { ...chosen, policy: { ...chosen.policy, timeBudgetMs: options.timeBudgetMs } };
  const out =
    options.out === null
      ? join(root, OUTPUT_FOLDER)
      : resolve(environment.workingFolder, options.out);
  return { git, root, configPath, config, out };
}

function onlyServices(config: Config, names: readonly string[]): Config {
  const known = config.services.map(({ name }) => name);
  for (const name of names) {
    if (known.includes(name)) continue;
    const near = nearest(name, known);
    throw new UserError(`--service ${name}: the configuration has no such service`, {
      next: `${near === null ? "" : `Did you mean ${near}? `}There are: ${known.join(", ")}.`,
    });
  }
  return {
    ...config,
    services: config.services.filter(({ name }) => names.includes(name)),
    scenarios: config.scenarios.filter(({ service }) => names.includes(service)),
  };
}
