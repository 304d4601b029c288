// What commands have in common: what one consists of, flags that several have, and how they read
// what is typed.
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { Project } from "../app/project/project.ts";
import type { Environment, ProjectOptions } from "../app/settings.ts";
import { UserError } from "../core/base/errors.ts";
import type { HistoryRecord } from "../core/model/history.ts";
import { parseShard } from "../core/plan/shards.ts";
import { aSwitch, count, duration, type Flags, list, type Typed, text } from "./flags.ts";

/** What was typed of a command. */
export interface Given<F extends Flags = Flags> {
  name: string;
  flags: Typed<F>;
  positionals: readonly string[];
}

export interface Command {
  summary: string;
  /** As shown in help; absent: none is taken. */
  positionals?: string;
  /** Default: 1 where any is taken. */
  maxPositionals?: number;
  flags: Flags;
  /** What can have no effect, and is refused: with a flag or a first word, and without a flag. */
  idle?: {
    with?: Readonly<Record<string, readonly string[]>>;
    without?: Readonly<Record<string, readonly string[]>>;
  };
  /** What each line does. */
  examples: Readonly<Record<string, string>>;
  /** Returns the exit code. What it does is loaded when it runs: help must not wait for it. */
  run(given: Given, environment: Environment): Promise<number>;
}

/** Whose `run` is given what its own flags come to. */
interface CommandOf<F extends Flags> extends Omit<Command, "run"> {
  flags: F;
  run(given: Given<F>, environment: Environment): Promise<number>;
}

export function command<F extends Flags>(spec: CommandOf<F>): Command {
  return spec;
}

export const json = aSwitch("json", "print the result as one JSON document on standard output");
export const config = text(
  "config",
  "<file>",
  "configuration file (default: tailgate.yml at the repository's root)",
);
export const reference = text(
  "reference",
  "<revision>",
  "commit to compare with (default: merge base with the default branch)",
);
export const out = text(
  "out",
  "<folder>",
  "where samples and reports go (default: .tailgate at the repository's root)",
);
export const output = text("output", "<file>", "write to a file (default: standard output)");
export const services = list("service", "<name>", "only this service; may be given several times");
export const seed = count(
  "seed",
  "fixes every random choice of the run (default: a fresh one, shown in the report)",
  0,
  0xffffffff,
);
export const shard = {
  ...text("shard", "<i/n>", "measure the i-th part of n, to be judged together: tailgate merge"),
  read: (typed: string) => {
    const parsed = parseShard(typed);
    if (parsed !== null) return parsed;
    throw new UserError(`--shard ${typed}: expected a part and the number of parts, such as 1/3`);
  },
};
export const resume = aSwitch("resume", "go on with the samples file in --out");
export const lockTimeoutMs = duration(
  "wait",
  "how long to wait for another gate on this machine (default: 30m)",
);
const timeBudgetMs = duration(
  "time-budget",
  "stop measuring after this long, such as 10m (default: as configured)",
);
/** Of every command that starts services; and of those that measure rounds. */
export const STARTING = { config, lockTimeoutMs, json };
export const MEASURING = { timeBudgetMs, seed, out, ...STARTING };
export const historyFolder = text(
  "history",
  "<folder>",
  "records of the default branch's runs, from which drift is learned (default: none)",
);

/** What its help shows as the first of its words. */
export function positional({ name, positionals: [value] }: Given, what: string): string {
  if (value !== undefined) return value;
  throw new UserError(`tailgate ${name}: name ${what}`, {
    next: `tailgate ${name} --help shows an example.`,
  });
}

/** The project that the flags ask for, with the history that `--history` names. */
export async function projectOf(
  flags: ProjectOptions & { historyFolder?: string | null },
  environment: Environment,
): Promise<Project> {
  const { openProject } = await import("../app/project/project.ts");
  const history = await historyOf(flags, environment);
  return await openProject({ ...flags, history }, environment);
}

export async function historyOf(
  { historyFolder = null }: { historyFolder?: string | null },
  { workingFolder }: Environment,
  onDamage?: (damage: UserError) => void,
): Promise<HistoryRecord[]> {
  if (historyFolder === null) return [];
  const folder = resolve(workingFolder, historyFolder);
  const { readFolder } = await import("../app/history/folder-store.ts");
  if (existsSync(folder)) return readFolder(folder, null, onDamage);
  throw new UserError(`there is no folder ${folder} with a history`, {
    next: "Fetch it: git worktree add history origin/tailgate-history. Or name it: --history <folder>.",
  });
}
