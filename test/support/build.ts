// What the tests of this room share: real repositories in temporary folders, and ports that
// remember what they were told.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import type { Recipe } from "../../src/core/model/config.ts";
import type { BuildPorts } from "../../src/machine/build/build.ts";
import { type Git, openGit } from "../../src/machine/build/git.ts";
import { systemClock } from "../../src/machine/sys/clock.ts";
import { makeRecipe as usualRecipe } from "./samples.ts";

export interface TestFolder extends Disposable {
  readonly path: string;
  /** Writes a file and the folders it needs; returns its path. */
  write(name: string, text: string, options?: { mode: number }): string;
}

export function makeTestFolder(): TestFolder {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "tailgate test-")));
  return {
    path,
    write(name, text, { mode } = { mode: 0o644 }) {
      const file = join(path, name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text, { mode });
      return file;
    },
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
  };
}

/** Nothing of the machine's own configuration counts in the tests' repositories. */
const IDENTITY = {
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_SYSTEM: "/dev/null",
  GIT_AUTHOR_NAME: "A",
  GIT_AUTHOR_EMAIL: "a@example.com",
  GIT_COMMITTER_NAME: "A",
  GIT_COMMITTER_EMAIL: "a@example.com",
};

export interface TestRepository extends TestFolder {
  git(...args: string[]): string;
  /** Commits everything; returns the commit's id. */
  commit(message: string): string;
  /** Of the repository, or of one in a folder of it. */
  open(folder?: string, patienceMs?: number): Promise<Git>;
}

export function makeTestRepository(): TestRepository {
  const folder = makeTestFolder();
  const git = (...args: string[]): string =>
    execFileSync("git", args, {
      cwd: folder.path,
      encoding: "utf8",
      env: { ...process.env, ...IDENTITY },
      stdio: ["ignore", "pipe", "pipe"],
    }).trim();
  git("init", "--quiet", "--initial-branch=main");
  return {
    ...folder,
    git,
    commit(message) {
      git("add", "--all");
      git("commit", "--quiet", "--allow-empty", `--message=${message}`);
      return git("rev-parse", "HEAD");
    },
    open: (below = ".", patienceMs) =>
      openGit(join(folder.path, below), {
        env: { ...process.env, ...IDENTITY },
        abort: new AbortController().signal,
        patienceMs,
      }),
  };
}

/** A repository of one commit, gone after the test; returns its path. */
export function makeCommitted(files: Readonly<Record<string, string>>, subject = "first"): string {
  const repository = makeTestRepository();
  onTestFinished(() => repository[Symbol.dispose]());
  for (const [path, text] of Object.entries(files)) repository.write(path, text);
  repository.commit(subject);
  return repository.path;
}

export function makeRecipe(parts: Partial<Recipe>): Recipe {
  return usualRecipe({
    dir: "service",
    build: ["cp", "source.txt", "artifact"],
    artifact: "artifact",
    run: ["{artifact}"],
    ready: { kind: "tcp", timeoutMs: 1000 },
    stop: { signal: "SIGTERM", graceMs: 1000 },
    ...parts,
  });
}

export interface TestPorts extends BuildPorts {
  notes: string[];
  statuses: string[];
}

export function makePorts(git: Git, cache: string, parts: Partial<BuildPorts> = {}): TestPorts {
  const notes: string[] = [];
  const statuses: string[] = [];
  return {
    git,
    cache,
    env: process.env,
    clock: systemClock,
    abort: new AbortController().signal,
    progress: { note: (line) => notes.push(line), status: (line) => statuses.push(line) },
    ...parts,
    notes,
    statuses,
  };
}
