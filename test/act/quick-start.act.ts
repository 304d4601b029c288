// docs/quick-start.md as somebody follows it: its server, its configuration and the smallest example in an empty repository,
// then a pull request that makes the server slower. Only the time is cut short.
import { cpSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { beforeEach, expect, type TestContext, test } from "vitest";
import { parse, stringify } from "yaml";
import type { Project } from "../support/project.ts";
import { needsAct } from "./act.ts";
import { World } from "./world.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const SHORT = { looks: [6, 9], alpha: "20%", beta: "20%", maxVoid: "40%", timeBudget: "3m" };

beforeEach((context: TestContext) => needsAct(context));

/** The fenced block of the document whose first line ends in this. */
function block(title: string): string {
  const text = readFileSync(join(ROOT, "docs/quick-start.md"), "utf8");
  for (const [, content = ""] of text.matchAll(/^```\w+\n(.*?)^```$/gms)) {
    if (content.split("\n", 1)[0]?.endsWith(title)) return content;
  }
  throw new Error(`docs/quick-start.md has no block ${title}`);
}

async function repository(server: string, configuration: string): Promise<World> {
  return World.create((project: Project) => {
    project.write(server, block(server));
    const { scenarios, ...rest } = parse(configuration);
    for (const scenario of Object.values<Record<string, unknown>>(scenarios)) {
      scenario.slice = { duration: "300ms", pairs: 2 };
    }
    project.write("tailgate.yml", stringify({ ...rest, scenarios, policy: SHORT }));
    cpSync(
      join(ROOT, "examples/smallest.yml"),
      join(project.root, ".github/workflows/perf-gate.yml"),
    );
  });
}

async function expectRed(world: World, files: Readonly<Record<string, string>>): Promise<void> {
  const { outcome } = await world.gatePullRequest(await world.propose(1, { files }), "comment");
  expect(outcome.jobs, outcome.log).toEqual({ gate: "failure" });
  const [comment, ...more] = world.github.world.comments;
  expect(more).toEqual([]);
  expect(comment?.body, outcome.log).toContain("Tailgate: REGRESSED");
  expect(world.github.problems()).toEqual([]);
}

test("the server in JavaScript, and what the pull request adds to it", async () => {
  const world = await repository("server.mjs", block("# tailgate.yml"));
  world.project.write(".git/slower.patch", block("--- a/server.mjs"));
  world.project.git("apply", ".git/slower.patch");
  await expectRed(world, {});
});

test("the server in Python, made slower", async () => {
  const world = await repository("server.py", block("# tailgate.yml, for Python"));
  const slower = block("server.py").replace(
    "        body =",
    "        time.sleep(0.005)\n        body =",
  );
  expect(slower).not.toBe(block("server.py"));
  await expectRed(world, { "server.py": slower });
});
