// What is the same in both arms is not measured, and the gate answers all the same. The load is a
// fake oha's.
import { chmodSync, existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Project } from "../support/project.ts";
import { gatedIn } from "../support/project.ts";
import { samplesOf, tinyProject } from "./tiny.ts";

/** Enough for some rounds. */
const SHORT = ["--time-budget", "5s"];

/** As `init` writes it where it finds nothing. */
const STAND_IN = `version: 1
services:
  api:
    run: "./api --port {port}"
    ready: { tcp: true }
scenarios:
  home: { request: GET /, rate: 500/s }
`;

/** Calls of the load generator, its version aside. */
function isLoaded(project: Project): boolean {
  return existsSync(join(project.root, ".git/fake-oha-calls"));
}

test("a change of the README alone is answered without load", async () => {
  const project = tinyProject();
  project.write("README.md", "Better words.\n");
  const { code, stdout, stderr } = await project.run("gate", "--json");
  expect(code, stdout + stderr).toBe(0);
  const { verdict } = project.report();
  expect(verdict).toMatchObject({
    state: "pass",
    headline: "nothing to measure: api unchanged: the same build before and after",
    comparisons: [],
    unchanged: [{ service: "api", by: "sources" }],
  });
  expect(isLoaded(project)).toBe(false);
  expect(samplesOf(project)).toMatchObject({ rounds: [], run: { ended: "answered" } });
  expect(project.files(".tailgate")).toContain("report.md");

  const again = await project.run("judge", ".tailgate/samples.v1.json", "--json");
  expect(again.code).toBe(0);
  expect(JSON.parse(again.stdout)).toEqual(JSON.parse(stdout));
});

test.each<[string, (project: Project) => void, RegExp]>([
  [
    "the stand-in that init writes",
    (project) => project.write("tailgate.yml", STAND_IN),
    /api is unchanged, and it could not be started.*\nCorrect/,
  ],
  [
    "a service that ends",
    (project) =>
      project.write("tailgate.yml", project.read("tailgate.yml").replace("good", "exits")),
    /api is unchanged, and it ended with code 3.*\n[\s\S]*no configuration found/,
  ],
  [
    "a wrong answer",
    (project) =>
      project.write("tailgate.yml", project.read("tailgate.yml").replace("good", "errors")),
    /api is unchanged, and GET \/hello got 500 .*, expected 200/,
  ],
])("%s is no green, and leaves no verdict, however unchanged", async (_name, spoil, seen) => {
  const project = tinyProject();
  spoil(project);
  project.commit("as it is");
  project.write("README.md", "Better words.\n");
  for (const _ of ["the first time", "again"]) {
    const { code, stdout, stderr } = await project.run("gate");
    expect(code, stdout + stderr).toBe(2);
    expect(stderr).toMatch(seen);
  }
  expect(project.files(".tailgate").filter((name) => name.endsWith(".json"))).toEqual([]);
});

test("what was answered once is not started again", async () => {
  const project = tinyProject();
  project.write("README.md", "Better words.\n");
  const asked = /api is started and asked once/;
  expect((await project.run("gate")).stderr).toMatch(asked);
  project.write("README.md", "The best words.\n");
  const { code, stderr } = await project.run("gate");
  expect(code).toBe(0);
  expect(stderr).not.toMatch(asked);
});

test("of one commit on both sides there is nothing to compare, which is no pass", async () => {
  const project = tinyProject();
  const { code, stdout, stderr } = await project.run("gate");
  expect(code, stdout + stderr).toBe(2);
  expect(stderr).toMatch(/nothing to compare: both sides are commit /);
  expect(stderr).toContain("--reference HEAD --measure-unchanged");
  expect(isLoaded(project)).toBe(false);

  project.write("README.md", "Better words.\n");
  project.commit("words");
  const second = await project.run("gate");
  expect(second.code, second.stdout + second.stderr).toBe(0);
});

test("of two services the one that changed is measured, with the whole chance of a false alarm", async () => {
  const project = tinyProject({
    reference: { api: "good", web: "good" },
    candidate: { web: "heavy" },
  });
  const { code, stdout, stderr } = await project.run("gate", "--seed", "1");
  expect(code, stdout + stderr).toBe(1);
  const { verdict } = project.report();
  expect(gatedIn(project.report(), "regressed")).toEqual(["web rss"]);
  expect(verdict.unchanged).toMatchObject([{ service: "api", by: "sources" }]);
  expect(stdout).toContain("api unchanged: the same build before and after");
  expect(new Set(samplesOf(project).rounds.map(({ service }) => service))).toEqual(
    new Set(["web"]),
  );
  // Before any round evidence is alpha over the questions: three of the one service.
  const first = verdict.comparisons[0]?.trail[0]?.regress ?? 0;
  expect(first).toBeGreaterThan((0.05 * 0.2) / 3);
  expect(verdict.comparisons).toHaveLength(
    verdict.comparisons.filter(({ service }) => service === "web").length,
  );
});

/** A service whose artifact is made of a source file by `build`. */
function compiled(build: string): Project {
  const project = tinyProject();
  project.write("build.sh", `#!/bin/sh\n${build}\n`);
  chmodSync(join(project.root, "build.sh"), 0o755);
  project.write(
    "tailgate.yml",
    project
      .read("tailgate.yml")
      .replace("ready: /healthz", "build: [./build.sh], artifact: api, ready: /healthz"),
  );
  project.write("main.go", "package main\n");
  project.commit("compiled");
  return project;
}

test("two builds of the same bytes are not measured, and need no load generator", async () => {
  const project = compiled("cp server.mjs api");
  project.write("main_test.go", "package main\n");
  const { code, stdout, stderr } = await project.run("gate");
  expect(code, stdout + stderr).toBe(0);
  const { artifacts, unchanged } = samplesOf(project);
  expect(artifacts.map(({ sha256 }) => sha256)).toEqual([
    artifacts[0]?.sha256,
    artifacts[0]?.sha256,
  ]);
  expect(unchanged).toMatchObject([{ service: "api", by: "artifact" }]);
  expect(isLoaded(project)).toBe(false);
});

test("what is outside a service's inputs is answered without a build of its own, and its process runs on them alone", async () => {
  const project = compiled("cp server.mjs api");
  const listing = project
    .read("tailgate.yml")
    .replace("build:", "inputs: [build.sh, server.mjs], build:");
  project.write("tailgate.yml", listing);
  project.commit("inputs");
  project.write("package.json", '{"type":"module"}\n');
  project.write("docs/new.md", "words\n");
  await project.run("gate");
  const { code, stdout, stderr } = await project.run("gate");
  expect(code, stdout + stderr).toBe(0);
  expect(samplesOf(project)).toMatchObject({
    artifacts: [],
    unchanged: [{ service: "api", by: "sources" }],
  });
  expect(stderr).not.toContain("building");

  const measured = await project.run("measure", "--measure-unchanged", ...SHORT);
  expect(measured.code, measured.stdout + measured.stderr).toBe(0);
  const { rounds } = samplesOf(project);
  expect(rounds.length).toBeGreaterThan(0);
  expect(rounds.flatMap(({ failure }) => failure ?? [])).toEqual([]);
});

test("builds of equal sources that differ are measured, and told of", async () => {
  const project = compiled(
    "cp server.mjs api; pwd >> api.stamp; cat api.stamp >> api; date +%N >> api",
  );
  project.write("README.md", "Better words.\n");
  const { stdout, stderr } = await project.run("measure", ...SHORT);
  expect(stderr).toContain("api is built from equal sources, yet the artifacts differ");
  const { rounds, host } = samplesOf(project);
  expect(rounds.length, stdout).toBeGreaterThan(0);
  expect(host.findings.map(({ id }) => id)).toContain("builds");
});
