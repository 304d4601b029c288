// docs/quick-start.md as somebody follows it: its server in an empty repository, the configuration that `tailgate init` proposes for
// it, the smallest example, then a pull request that makes the server slower. Only the time is cut short.
import { execFileSync } from "node:child_process";
import { cpSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { beforeEach, expect, type TestContext, test } from "vitest";
import { parse, stringify } from "yaml";
import type { Project } from "../support/project.ts";
import { needsAct } from "./act.ts";
import { World } from "./world.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const CLI = join(process.env.TAILGATE_DIST ?? join(ROOT, "dist"), "cli.cjs");
/** As the service of the other tests has it, and why. */
const SHORT = {
  looks: [6, 10],
  alpha: "20%",
  beta: "20%",
  maxVoid: "100%",
  timeBudget: "150s",
};

beforeEach((context: TestContext) => needsAct(context));

const DOCUMENT = readFileSync(join(ROOT, "docs/quick-start.md"), "utf8");

/** The fenced block of the document whose first line ends in this; of several the one that has `text` in it. */
function block(title: string, text = ""): string {
  for (const [, content = ""] of DOCUMENT.matchAll(/^```\w+\n(.*?)^```$/gms)) {
    if (content.split("\n", 1)[0]?.endsWith(title) && content.includes(text)) return content;
  }
  throw new Error(`docs/quick-start.md has no block ${title}`);
}

/** A repository after step 3; what `init` writes there is what the document shows. */
async function repository(context: TestContext, server: string): Promise<World> {
  return World.create(context, (project: Project) => {
    project.write(server, block(server));
    execFileSync(process.execPath, [CLI, "init"], { cwd: project.root });
    const proposed = project.read("tailgate.yml");
    expect(proposed).toBe(block("that has a comment.", server));
    const { scenarios, ...rest } = parse(proposed);
    for (const scenario of Object.values<Record<string, unknown>>(scenarios)) {
      scenario.slice = { duration: "600ms", pairs: 1 };
    }
    project.write("tailgate.yml", stringify({ ...rest, scenarios, policy: SHORT }));
    cpSync(
      join(ROOT, "examples/smallest.yml"),
      join(project.root, ".github/workflows/perf-gate.yml"),
    );
  });
}

async function expectRed(world: World, files: Readonly<Record<string, string>>): Promise<void> {
  const change = await world.propose(1, { files });
  const { outcome } = await world.gatePullRequest(change, "regressed");
  expect(outcome.jobs, outcome.log).toEqual({ gate: "failure" });
  const [comment, ...more] = world.github.world.comments;
  expect(more).toEqual([]);
  expect(comment?.body, outcome.log).toContain("Tailgate: REGRESSED");
  expect(world.github.problems()).toEqual([]);
}

test("the server in JavaScript, and what the pull request adds to it", async (context) => {
  const world = await repository(context, "server.mjs");
  world.project.write(".git/slower.patch", block("--- a/server.mjs"));
  world.project.git("apply", ".git/slower.patch");
  await expectRed(world, {});
});

test("the server in Python, made slower", async (context) => {
  const world = await repository(context, "server.py");
  const slower = block("server.py").replace(
    "        body =",
    "        time.sleep(0.02)\n        body =",
  );
  expect(slower).not.toBe(block("server.py"));
  await expectRed(world, { "server.py": slower });
});
