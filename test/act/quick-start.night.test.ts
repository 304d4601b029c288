// docs/quick-start.md as somebody follows it: its server in an empty repository, the configuration
// that `tailgate init` proposes for it, the smallest example, then a pull request that makes the
// server slower. The load is real, and so are the defaults.
import { execFileSync } from "node:child_process";
import { cpSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { beforeEach, expect, type TestContext, test } from "vitest";
import type { Project } from "../support/project.ts";
import { needsAct } from "./act.ts";
import { World } from "./world.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const CLI = join(process.env.TAILGATE_DIST ?? join(ROOT, "dist"), "cli.cjs");

beforeEach((context: TestContext) => needsAct(context));

const DOCUMENT = readFileSync(join(ROOT, "docs/quick-start.md"), "utf8");

/**
 * The fenced block of the document whose first line ends in this; of several the one that has
 * `text` in it.
 */
function block(title: string, text = ""): string {
  for (const [, content = ""] of DOCUMENT.matchAll(/^```\w+\n(.*?)^```$/gms)) {
    if (content.split("\n", 1)[0]?.endsWith(title) && content.includes(text)) return content;
  }
  throw new Error(`docs/quick-start.md has no block ${title}`);
}

/** A repository after step 3; what `init` writes there is what the document shows. */
async function repository(server: string, prepare?: (project: Project) => void): Promise<World> {
  return World.create((project: Project) => {
    project.write(server, block(server));
    prepare?.(project);
    execFileSync(process.execPath, [CLI, "init"], { cwd: project.root });
    expect(project.read("tailgate.yml")).toBe(block("that has a comment.", server));
    cpSync(
      join(ROOT, "docs/examples/smallest.yml"),
      join(project.root, ".github/workflows/perf-gate.yml"),
    );
  }, "real");
}

async function expectRed(world: World, files: Readonly<Record<string, string>>): Promise<void> {
  const change = await world.propose(1, { files });
  const { outcome } = await world.gatePullRequest(change);
  expect(outcome.jobs, outcome.log).toEqual({ gate: "failure" });
  const [comment, ...more] = world.github.world.comments;
  expect(more).toEqual([]);
  expect(comment?.body, outcome.log).toContain("Tailgate: REGRESSED");
  expect(world.github.problems()).toEqual([]);
}

test("the server in JavaScript, and what the pull request adds to it", async () => {
  const world = await repository("server.mjs");
  world.project.write(".git/slower.patch", block("--- a/server.mjs"));
  world.project.git("apply", ".git/slower.patch");
  await expectRed(world, {});
});

test("the server in Python, made slower", async () => {
  const world = await repository("server.py");
  const slower = block("server.py").replace(
    "        body =",
    "        time.sleep(0.02)\n        body =",
  );
  expect(slower).not.toBe(block("server.py"));
  await expectRed(world, { "server.py": slower });
});

test("the server in Go, made slower", async () => {
  const world = await repository("main.go", ({ root }) => {
    execFileSync("go", ["mod", "init", "greeter"], { cwd: root, stdio: "ignore" });
  });
  const slower = block("main.go").replace(
    "\tw.Header()",
    "\ttime.Sleep(5 * time.Millisecond)\n\tw.Header()",
  );
  expect(slower).not.toBe(block("main.go"));
  await expectRed(world, { "main.go": slower });
});
