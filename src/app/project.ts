// The project that a command works on: repository, configuration with the command's own wishes applied, output folder.
import { join, resolve } from "node:path";
import { UserError } from "../base/errors.ts";
import { type Git, openGit } from "../build/git.ts";
import { loadConfig } from "../config/load.ts";
import type { Config } from "../model/config.ts";
import { spreadOverShards } from "../plan/shards.ts";
import { gatingCount, listHypotheses } from "../verdict/hypotheses.ts";
import { serviceNamed } from "./service-named.ts";
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
  options: Pick<MeasureOptions, "config" | "services" | "timeBudgetMs" | "out" | "shard">,
  environment: Environment,
): Promise<Project> {
  const git = await openGit(environment.workingFolder, environment);
  const { root } = git;
  const configPath =
    options.config === null
      ? join(root, CONFIG_FILE)
      : resolve(environment.workingFolder, options.config);
  const loaded = loadConfig(configPath, root, { today: environment.clock.wallTime().slice(0, 10) });
  const wanted = options.services === null ? loaded : onlyServices(loaded, options.services);
  const chosen = options.shard == null ? wanted : onlyShard(wanted, options.shard);
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
  for (const name of names) serviceNamed(config, name);
  return {
    ...config,
    services: config.services.filter(({ name }) => names.includes(name)),
    scenarios: config.scenarios.filter(({ service }) => names.includes(service)),
  };
}

/**
 * The shard's questions keep their share of the whole run's false-alarm chance, so that each is measured until it is answered
 * at the level at which all shards together are judged.
 */
function onlyShard(config: Config, { index, of }: NonNullable<MeasureOptions["shard"]>): Config {
  const spread = spreadOverShards(config, of);
  const names = spread[index - 1];
  if (names === undefined) {
    throw new UserError(`there is no shard ${index} of ${of}`, {
      detail: `${config.services.length} services fill ${spread.length} shards`,
      next: "Use the matrix that `mode: plan` prints: it never has more shards than there are services.",
    });
  }
  const part = onlyServices(config, names);
  const share = gatingCount(listHypotheses(part)) / gatingCount(listHypotheses(config));
  // Without a gated question there is no share to speak of.
  const alpha = config.policy.alpha * (share > 0 ? share : 1);
  return { ...part, policy: { ...part.policy, alpha } };
}
