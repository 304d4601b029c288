// What a replay is held against: each service against the commit of its own baseline, however many
// commits the baselines name.
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeTestRepository, type TestRepository } from "../../../test/support/build.ts";
import { makeEnvironment } from "../../../test/support/environment.ts";
import type { Baseline } from "../../core/model/baseline.ts";
import { silentProgress } from "../progress.ts";
import { openProject } from "../project/project.ts";
import { oneArmOf, resolveArms, serviceOf } from "./arm-setup.ts";
import { findUnchanged } from "./unchanged.ts";

let repository: TestRepository;
const commits: Record<string, string> = {};

const configuration = (level: Record<string, number>) => `version: 1
services:
${["api", "web", "job"]
  .map(
    (name) =>
      `  ${name}: { dir: ${name}, run: "node server.mjs {port}", env: { LEVEL: ${level[name]} }, ready: /healthz }`,
  )
  .join("\n")}
scenarios:
  echo: { services: [api, web, job], request: GET /echo, rate: 1000/s }
`;

beforeAll(() => {
  repository = makeTestRepository();
  const commit = (name: string, level: number): void => {
    const all = { api: 1, web: 1, job: 1, [name]: level };
    repository.write("tailgate.yml", configuration(all));
    for (const service of ["api", "web", "job"]) {
      repository.write(`${service}/server.mjs`, `// of ${service} at ${name} ${level}\n`);
    }
    commits[name] = repository.commit(name);
  };
  commit("api", 2);
  commit("web", 3);
  commit("tip", 4);
});
afterAll(() => repository[Symbol.dispose]());

const baselineOf = (service: string, commit: string, day: number): Baseline =>
  ({
    service,
    runnerClass: "default",
    recordedAt: `2026-11-0${day}T00:00:00.000Z`,
    source: { commit, subject: "" },
  }) as Baseline;

async function opened() {
  const notes: string[] = [];
  const environment = makeEnvironment(repository.path, {
    progress: { ...silentProgress, note: (line) => void notes.push(line) },
  });
  return { project: await openProject({}, environment), environment, notes };
}

test("each service is built from its own baseline's commit, by that commit's recipe", async () => {
  const { project, environment, notes } = await opened();
  const baselines = [
    baselineOf("api", commits.api ?? "", 1),
    baselineOf("web", commits.web ?? "", 5),
  ];
  const arms = await resolveArms({ project, baselines, compare: "replay" }, environment);
  const { reference } = arms;
  if (reference === undefined) throw new Error("no reference");
  const found = ["api", "web", "job"].map((name) => [
    name,
    serviceOf(reference, name).revision.source.commit,
    serviceOf(reference, name).recipe.env.LEVEL,
  ]);
  expect(found).toEqual([
    ["api", commits.api, "2"],
    ["web", commits.web, "3"],
    // Without a baseline: the newest one's commit.
    ["job", commits.web, "1"],
  ]);
  expect(notes.filter((line) => line.startsWith("reference"))).toEqual([
    expect.stringMatching(`^reference: ${commits.web?.slice(0, 10)}`),
    expect.stringMatching(`^reference of api: ${commits.api?.slice(0, 10)}`),
  ]);
  expect(await findUnchanged(["api", "web", "job"], arms, project)).toEqual([]);
});

test("baselines of one commit are one reference, and none at all is said", async () => {
  const { project, environment } = await opened();
  const one = ["api", "web"].map((name) => baselineOf(name, commits.web ?? "", 3));
  const { reference } = await resolveArms(
    { project, baselines: one, compare: "replay" },
    environment,
  );
  const revisions = Object.values(reference?.services ?? {}).map(({ revision }) => revision);
  expect(new Set(revisions)).toEqual(new Set([reference?.revision]));
  await expect(
    resolveArms({ project, baselines: [], compare: "replay" }, environment),
  ).rejects.toThrow("compare: replay needs a stored baseline of a service that is measured");
});

test("of a service's baselines on several machines the newest one's commit is the reference", async () => {
  const { project, environment } = await opened();
  const baselines = [
    baselineOf("api", commits.api ?? "", 1),
    baselineOf("api", commits.web ?? "", 5),
    baselineOf("api", commits.api ?? "", 3),
  ];
  const arms = await resolveArms({ project, baselines, compare: "replay" }, environment);
  const { commit } = serviceOf(arms.reference ?? arms.candidate, "api").revision.source;
  expect(commit).toBe(commits.web);
});

test("dependencies that one arm alone has, or has otherwise, are told", async () => {
  using changed = makeTestRepository();
  const needing = (lines: string): string =>
    configuration({ api: 1, web: 1, job: 1 }).replace(
      "scenarios:",
      `dependencies:\n${lines}\nscenarios:`,
    );
  const database = (name: string, schema: string): string =>
    `  ${name}: { kind: postgresql, dir: sql, schema: [${schema}] }`;
  for (const name of ["api", "web", "job"]) changed.write(`${name}/server.mjs`, "");
  changed.write("sql/1.sql", "");
  changed.write("sql/2.sql", "");
  changed.write(
    "tailgate.yml",
    needing([database("db", "1.sql"), database("old", "1.sql")].join("\n")),
  );
  const before = changed.commit("before");
  changed.write(
    "tailgate.yml",
    needing([database("db", "2.sql"), database("more", "1.sql")].join("\n")),
  );
  changed.commit("after");
  const environment = makeEnvironment(changed.path);
  const project = await openProject({ reference: before }, environment);
  const { reference } = await resolveArms({ project, baselines: [], compare: "base" }, environment);
  expect(reference?.oneArm).toEqual({ new: ["more"], changed: ["db"], gone: ["old"] });
});

test.each([
  ["bodyFile: a.json", []],
  ["bodyFile: b.json", ["api/echo"]],
  ["bodiesFile: a.json", ["api/echo"]],
])("`bodyFile: a.json` before and `%s` after is another request: %j", async (after, changed) => {
  using one = makeTestRepository();
  const sending = (body: string): string =>
    `version: 1
services: { api: { dir: api, run: "node server.mjs {port}", ready: /healthz } }
scenarios: { echo: { request: { method: POST, path: /echo, ${body} }, rate: 1000/s } }
`;
  for (const file of ["api/server.mjs", "a.json", "b.json"]) one.write(file, "[1]");
  one.write("tailgate.yml", sending("bodyFile: a.json"));
  const before = one.commit("before");
  one.write("tailgate.yml", sending(after));
  one.write("api/server.mjs", "[2]");
  one.commit("after");
  const environment = makeEnvironment(one.path);
  const project = await openProject({ reference: before }, environment);
  const arms = await resolveArms({ project, baselines: [], compare: "base" }, environment);
  expect(oneArmOf(arms)).toEqual({ new: [], changed, gone: [] });
});
