// What every use case is given: where we are, what the person asked for, and the few ports to the outside.
import type { CompareMode } from "../model/config.ts";
import type { Clock } from "../sys/clock.ts";
import type { Progress } from "./progress.ts";

export interface Environment {
  version: string;
  /** Where the command was given. */
  workingFolder: string;
  env: NodeJS.ProcessEnv;
  /** Built artifacts and tools. */
  cache: string;
  clock: Clock;
  progress: Progress;
  /** Aborted by SIGINT or SIGTERM. */
  abort: AbortSignal;
}

export interface MeasureOptions {
  /** Configuration file, relative to the working folder; null: tailgate.yml at the repository's root. */
  config: string | null;
  /** Null: as the configuration says. */
  compare: CompareMode | null;
  /** A git revision; null: the merge base with the default branch. */
  reference: string | null;
  /** What stands in for that merge base where the caller knows better; unlike a reference it does not rule out a screen. */
  base?: string | null;
  seed: number | null;
  timeBudgetMs: number | null;
  /** Only these services; null: all. */
  services: readonly string[] | null;
  /** Measure one shard of the run, which is then judged with the others; `index` counts from 1. */
  shard?: { index: number; of: number } | null;
  /** Folder for samples and reports, relative to the working folder; null: .tailgate at the repository's root. */
  out: string | null;
  /** Continue the samples file in `out`. */
  resume: boolean;
  lockTimeoutMs: number;
}
