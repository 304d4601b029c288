// When the program is ended in the middle of a build, nothing of it stays.
import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { makeRecipe } from "../../../test/support/build.ts";
import { edit, jobOf, makeProject } from "../../../test/support/build-project.ts";
import { isRunning, leaveDaemon, until } from "../../../test/support/processes.ts";
import { janitor } from "../sys/janitor.ts";
import { buildArtifacts } from "./build.ts";

/** A build of a process of ours may take seconds to begin. */
const soon = (what: () => boolean) => until(what, 10_000);
const node = (script: string): string[] => [process.execPath, "--eval", script];

describe("when we are ended in the middle of a build", () => {
  /** Builds for a minute; an abort by SIGINT goes the way that the command line takes. */
  const OWNER = `
const url = process.env.SRC;
const { openGit } = await import(url + "build/git.ts");
const { resolveCandidate } = await import(url + "build/source.ts");
const { buildArtifacts } = await import(url + "build/build.ts");
const { systemClock } = await import(url + "sys/clock.ts");
const { janitor } = await import(url + "sys/janitor.ts");
const controller = new AbortController();
process.on("SIGINT", () => controller.abort());
const [repository, cache, recipe] = process.argv.slice(1);
const abort = controller.signal;
const git = await openGit(repository, { env: process.env, abort });
const revision = await resolveCandidate(git);
await buildArtifacts([{ arm: "candidate", service: "api", recipe: JSON.parse(recipe), revision }], {
  git, cache, env: process.env, clock: systemClock, abort,
  progress: { note() {}, status: (line) => console.log(/pid (\\d+)/.exec(line)[1]) },
}).catch((error) => console.log(error.kind + ": " + error.message));
janitor.cleanUp();
`;

  test.each(["SIGKILL", "SIGINT", "SIGTERM"] as const)("by %s, nothing is left", async (signal) => {
    using project = await makeProject(edit);
    const recipe = makeRecipe({
      build: node("console.log('pid', process.pid); setInterval(() => {}, 1000)"),
    });
    const child = spawn(
      process.execPath,
      [
        "--input-type=module",
        "--eval",
        OWNER,
        project.repository.path,
        project.cache.path,
        JSON.stringify(recipe),
      ],
      {
        env: { ...process.env, SRC: new URL("../", import.meta.url).href },
        stdio: ["ignore", "pipe", "inherit"],
      },
    );
    let printed = "";
    child.stdout.on("data", (chunk: Buffer) => (printed += chunk.toString()));
    const builds = join(project.cache.path, "build");
    const records = join(project.repository.path, ".git/worktrees");
    expect(await soon(() => /^\d+\n/.test(printed))).toBe(true);
    const pid = Number.parseInt(printed, 10);
    expect(isRunning(pid)).toBe(true);
    expect(readdirSync(builds)).toHaveLength(1);
    expect(readdirSync(records)).toHaveLength(1);

    child.kill(signal);
    expect(await soon(() => !isRunning(pid) && readdirSync(builds).length === 0)).toBe(true);
    expect(await soon(() => !existsSync(records) || readdirSync(records).length === 0)).toBe(true);
    expect(readdirSync(join(project.cache.path, "artifacts"))).toEqual([]);
    expect(project.repository.git("worktree", "list").split("\n")).toHaveLength(1);
    if (signal === "SIGINT") {
      expect(await soon(() => printed.includes("interrupted: the build of api"))).toBe(true);
    }
  });
});

test("a daemon that a build leaves may serve the next, and ends with us", async () => {
  using project = await makeProject(edit);
  const build = ["/bin/sh", "-c", '"$0" --eval "$1" > artifact', process.execPath, leaveDaemon()];
  const [built] = await buildArtifacts([jobOf(project, "candidate", { build })], project.ports);
  const pid = Number(readFileSync(built?.path ?? "", "utf8"));
  expect(isRunning(pid)).toBe(true);
  janitor.cleanUp();
  expect(await soon(() => !isRunning(pid))).toBe(true);
});
