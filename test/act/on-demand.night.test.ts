// docs/examples/on-demand.yml under act: asked for by a comment, of a fork's commit and of one of two
// services; by a label; and by somebody who may not.
import { cpSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { beforeEach, expect, type TestContext, test } from "vitest";
import { needsAct } from "./act.ts";
import { checkCalls, checkRead } from "./steady.ts";
import { World } from "./world.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const SERVICE = join(import.meta.dirname, "service");

beforeEach((context: TestContext) => needsAct(context));

async function demandWorld(): Promise<World> {
  const world = await World.create((project) => {
    cpSync(join(SERVICE, "server.mjs"), join(project.root, "server.mjs"));
    const configuration = readFileSync(join(SERVICE, "tailgate.yml"), "utf8");
    project.write(
      "tailgate.yml",
      configuration.replace("\nscenarios:", "\n  hola: { variantOf: hello }\nscenarios:"),
    );
    project.write(".gitignore", "/.tailgate/\n/tailgate-output/\n");
    const workflow = readFileSync(join(ROOT, "docs/examples/on-demand.yml"), "utf8");
    project.write(".github/workflows/perf-on-demand.yml", workflow);
  });
  world.github.world.collaborators.set("ada", "write");
  return world;
}

const comment = (number: number, body: string, login = "ada") => ({
  action: "created",
  issue: { number, pull_request: {} },
  comment: { body },
  sender: { login },
});

test("a service of a fork's commit is measured when it is asked for, and published", async () => {
  const world = await demandWorld();
  const slow = await world.propose(21, { files: world.slowed(40), fork: "mallory/app" });
  world.project.git("checkout", "--quiet", "main");
  const payload = comment(21, `/tailgate hello --commit ${slow.head}\r\n\r\nIs it slower?`);
  const { outcome, calls } = await world.run("perf-on-demand", "issue_comment", { payload });
  expect(outcome.jobs, outcome.log).toEqual({
    request: "success",
    gate: "failure",
    report: "success",
  });
  await checkCalls("on-demand", calls);
  const { comments, statuses } = world.github.world;
  expect(comments).toHaveLength(2);
  await checkRead("comment-asked", comments[0]?.body);
  await checkRead("comment-on-demand", comments[1]?.body);
  expect(comments[1]?.body, outcome.log).toMatch(/REGRESSED[\s\S]*hello\/hello/);
  expect(comments[1]?.body).not.toContain("hola");
  expect(statuses).toEqual([]);
  expect(world.github.problems()).toEqual([]);
});

test("what may not be asked for starts no gate", async () => {
  const world = await demandWorld();
  const slow = await world.propose(22, { files: world.slowed(40), fork: "mallory/app" });
  const ask = async (payload: object) => {
    const { outcome } = await world.run("perf-on-demand", "issue_comment", { payload });
    expect(outcome.jobs.gate ?? "skipped", outcome.log).toBe("skipped");
    expect(outcome.jobs.report ?? "skipped", outcome.log).toBe("skipped");
    return outcome.jobs.request ?? "skipped";
  };
  expect(await ask(comment(22, `/tailgate --commit ${slow.head}`, "mallory"))).toBe("success");
  expect(await ask(comment(22, "> /tailgate"))).toBe("skipped");
  expect(world.github.world.comments).toEqual([]);
  expect(await ask(comment(22, "/tailgate"))).toBe("failure");
  expect(world.github.world.comments).toMatchObject([{ issue: 22, author: "github-actions[bot]" }]);
  await checkRead("comment-not-asked", world.github.world.comments[0]?.body);
  expect(world.github.problems()).toEqual([]);
});

test("a label asks for all services of a branch", async () => {
  const world = await demandWorld();
  const words = await world.propose(23, { files: { "README.md": "A service.\n" } });
  const repo = { full_name: "acme/app" };
  const payload = {
    action: "labeled",
    label: { name: "tailgate" },
    number: 23,
    pull_request: {
      title: "Words",
      head: { sha: words.head, ref: words.branch, repo },
      base: { sha: words.base, ref: "main", repo },
    },
    sender: { login: "ada" },
  };
  const { outcome } = await world.run("perf-on-demand", "pull_request", { payload });
  expect(outcome.jobs, outcome.log).toEqual({
    request: "success",
    gate: "success",
    report: "success",
  });
  const [asked, result, ...more] = world.github.world.comments;
  expect(more).toEqual([]);
  expect(asked?.body).toContain("all services of commit");
  expect(result?.body).toMatch(/hello.*hola.* unchanged: the same build before and after/);
});
