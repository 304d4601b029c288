// When the program is ended in the middle of a build, nothing of it stays.
import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { makeRecipe } from "../../../test/support/build.ts";
import { edit, makeProject } from "../../../test/support/build-project.ts";

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
    expect(await until(() => /^\d+\n/.test(printed))).toBe(true);
    const pid = Number.parseInt(printed, 10);
    expect(isRunning(pid)).toBe(true);
    expect(readdirSync(builds)).toHaveLength(1);
    expect(readdirSync(records)).toHaveLength(1);

    child.kill(signal);
    expect(await until(() => !isRunning(pid) && readdirSync(builds).length === 0)).toBe(true);
    expect(await until(() => !existsSync(records) || readdirSync(records).length === 0)).toBe(true);
    expect(readdirSync(join(project.cache.path, "artifacts"))).toEqual([]);
    expect(project.repository.git("worktree", "list").split("\n")).toHaveLength(1);
    if (signal === "SIGINT") {
      expect(await until(() => printed.includes("interrupted: the build of api"))).toBe(true);
    }
  });

  function isRunning(pid: number): boolean {
    try {
      return !/^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
    } catch {
      return false;
    }
  }

  async function until(what: () => boolean): Promise<boolean> {
    for (let waited = 0; waited < 10_000; waited += 20) {
      if (what()) return true;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return what();
  }
});
