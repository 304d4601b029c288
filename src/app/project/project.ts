// The project that a command works on: repository, configuration with what the command was asked
// for applied, output folder.
import { realpathSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import { UserError } from "../../core/base/errors.ts";
import { type Config, onlyServices } from "../../core/model/config.ts";
import type { HistoryRecord } from "../../core/model/history.ts";
import type { Samples } from "../../core/model/samples.ts";
import { spreadOverShards } from "../../core/plan/shards.ts";
import { gatingCount, listQuestions } from "../../core/verdict/hypotheses.ts";
import { type Git, openGit } from "../../machine/build/git.ts";
import { type Revision, resolveCandidate } from "../../machine/build/source.ts";
import { loadConfig } from "../config/load.ts";
import type { Environment, ProjectOptions } from "../settings.ts";

export interface Project {
  git: Git;
  /** Root of the repository. */
  root: string;
  /** Absolute path of the configuration file. */
  configPath: string;
  /** The file's, with services, shard, seed, comparison and time budget as asked for. */
  config: Config;
  /** Ids of all scenarios of the file, whatever services are asked for. */
  listed: ReadonlySet<string>;
  /** Whether the comparison was asked for: else a run that is resumed compares as it did. */
  isComparisonAsked: boolean;
  /** Null: the merge base with the default branch. */
  reference: string | null;
  /**
   * What stands in for that merge base where the caller knows better; unlike a reference it does
   * not rule out a screen.
   */
  base: string | null;
  /** Of the default branch, in any order. */
  history: readonly HistoryRecord[];
  /** Absolute path of the output folder. */
  out: string;
  /** Whether the samples file in `out` is continued. */
  resume: Resume;
  /** Services that are the same in both arms are measured like the others. */
  measureUnchanged: boolean;
  /** Which of several that are judged together; null: the run is judged alone. */
  shard: NonNullable<Samples["run"]["shard"]> | null;
  lockTimeoutMs: number;
  /** The working tree as it was when this was first asked. */
  candidate(): Promise<Revision>;
}

/** `always`: what cannot be continued is an error. `if-it-fits`: it is said, and measured anew. */
export type Resume = "never" | "always" | "if-it-fits";

export const CONFIG_FILE = "tailgate.yml";
const OUTPUT_FOLDER = ".tailgate";
export const LOCK_TIMEOUT_MS = 30 * 60 * 1000;

export async function openProject(
  options: ProjectOptions,
  environment: Environment,
): Promise<Project> {
  const { workingFolder, clock, progress } = environment;
  const git = await openGit(workingFolder, environment);
  const { root } = git;
  const at = (asked: string | null | undefined, usual: string): string =>
    asked == null ? join(root, usual) : resolve(workingFolder, asked);
  const configPath = at(options.config, CONFIG_FILE);
  const today = clock.wallTime().slice(0, 10);
  const loaded = loadConfig(configPath, root, today, progress.note);
  refuseOutside(configPath, root);
  let candidate: Promise<Revision> | null = null;
  const { config, shard } = asAsked(loaded, options);
  return {
    git,
    root,
    configPath,
    config,
    listed: new Set(loaded.scenarios.map(({ id }) => id)),
    isComparisonAsked: options.compare != null,
    reference: options.reference ?? null,
    base: null,
    history: options.history ?? [],
    out: at(options.out, OUTPUT_FOLDER),
    resume: options.resume === true ? "always" : "never",
    measureUnchanged: options.measureUnchanged ?? false,
    shard,
    lockTimeoutMs: options.lockTimeoutMs ?? LOCK_TIMEOUT_MS,
    candidate: () => {
      candidate ??= resolveCandidate(git);
      return candidate;
    },
  };
}

/** Each arm is built by its own commit's configuration, so that the file is one of them. */
function refuseOutside(configPath: string, root: string): void {
  const path = relative(realpathSync(root), realpathSync(configPath));
  if (path !== ".." && !path.startsWith(`..${sep}`)) return;
  throw new UserError(`--config: ${configPath} is not in the repository ${root}`, {
    next: `Move it into the repository, or name one that is: --config ${CONFIG_FILE}.`,
  });
}

/** The configuration with what was asked for in the place of what it says. */
function asAsked(loaded: Config, options: ProjectOptions): Pick<Project, "config" | "shard"> {
  const wanted = options.services == null ? loaded : onlyServices(loaded, options.services);
  const { config, shard } =
    options.shard == null ? { config: wanted, shard: null } : onlyShard(wanted, options.shard);
  const compare = options.compare ?? config.compare;
  const { policy } = config;
  const timeBudgetMs = options.timeBudgetMs ?? policy.timeBudgetMs;
  const answerAll = options.answerAll === true || policy.answerAll;
  return {
    shard,
    config: {
      ...config,
      seed: options.seed ?? config.seed,
      // Each shard would screen by itself, and what they compare with could differ.
      compare: shard !== null && compare === "auto" ? "base" : compare,
      policy: { ...policy, timeBudgetMs, answerAll },
      runner: { ...config.runner, explain: options.noExplain !== true && config.runner.explain },
    },
  };
}

/**
 * The shard's questions keep their share of the whole run's false-alarm chance, so that each is
 * measured until it is answered at the level at which all shards together are judged.
 */
function onlyShard(config: Config, { index, of }: NonNullable<ProjectOptions["shard"]>) {
  const spread = spreadOverShards(config, of);
  const planned = spread[index - 1];
  if (planned === undefined) {
    throw new UserError(`there is no shard ${index} of ${of}`, {
      detail: `the run is divided into ${spread.length}: at most three measure the same service`,
      next: "Leave this shard out.",
    });
  }
  const { services, ...part } = planned;
  const own = onlyServices(config, services);
  const share = gatingCount(listQuestions(own)) / gatingCount(listQuestions(config));
  // Without a gated question there is no share to speak of.
  const alpha = config.policy.alpha * (share > 0 ? share : 1);
  const shard = { index, of: spread.length, ...part };
  return { config: { ...own, policy: { ...own.policy, alpha } }, shard };
}
