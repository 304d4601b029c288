// What is unchanged: everything that reaches a service's process is in the key, and nothing else
// is.
import { chmodSync, symlinkSync } from "node:fs";
import { join, relative } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { makeRecipe, makeTestRepository } from "../../../test/support/build.ts";
import { makeConfig } from "../../../test/support/samples.ts";
import type { Dependency, Scenario } from "../../core/model/config.ts";
import type { BuiltArtifact } from "../../machine/build/build.ts";
import { resolveCandidate, revisionOf } from "../../machine/build/source.ts";
import type { ArmSetup } from "./arm-setup.ts";
import {
  findIrreproducible,
  findUnchanged,
  type Identity,
  keyOf,
  type UnchangedPorts,
} from "./unchanged.ts";

const FILES: Readonly<Record<string, string>> = {
  "tailgate.yml": "version: 1\n",
  "README.md": "words\n",
  "package.json": "{}\n",
  "other/main.go": "package other\n",
  "api/main.go": "package main\n",
  "api/main_test.go": "package main\n",
  "api/README.md": "words\n",
  "api/template.html": "<p>\n",
  "bodies/echo.json": "{}\n",
  "schema/1.sql": "create table t (a int);\n",
  "mock/main.go": "package mock\n",
  "keys/fill.sh": "true\n",
};

const DEPENDENCIES: Dependency[] = [
  { kind: "postgresql", name: "db", dir: "schema", schema: ["1.sql"] },
  { kind: "redis", name: "cache", dir: "keys", seed: { kind: "command", command: ["./fill.sh"] } },
  { kind: "postgresql", name: "empty", dir: "schema", schema: [] },
  { kind: "program", name: "mock", recipe: makeRecipe({ dir: "mock" }) },
];

const [first] = makeConfig().scenarios;
const scenario = (parts: Partial<Scenario["request"]> = {}): Scenario => ({
  ...(first as Scenario),
  request: {
    ...(first as Scenario).request,
    body: { path: "bodies/echo.json", sha256: "", bytes: 0, repeat: null },
    ...parts,
  },
});

const artifact = (arm: "candidate" | "reference", sha256: string): BuiltArtifact => ({
  facts: {
    arm,
    service: "api",
    key: "",
    sha256,
    binaryBytes: 1,
    strippedBytes: 1,
    buildMs: 1,
    cached: false,
    toolchain: "",
  },
  path: "/x",
  folder: "/",
});

interface Case {
  /** Symbolic links of both arms: place and where each leads. */
  links?: Readonly<Record<string, string>>;
  /** Written over the reference's. Null: removed. */
  files?: Readonly<Record<string, string | null>>;
  /** A file that may be executed in the candidate alone. */
  executable?: string;
  setup?: Partial<Pick<ArmSetup, "dependencies" | "scenarios">>;
  recipe?: Parameters<typeof makeRecipe>[0];
  /** Of both arms. */
  both?: Parameters<typeof makeRecipe>[0];
  /** Hashes of the artifacts; absent: nothing is built yet. */
  built?: [string, string];
}

/** Does `work` with the arms of a case. */
async function withArms<T>(
  { links = {}, files = {}, executable, setup = {}, recipe = {}, both = {}, built }: Case,
  work: (
    arms: { candidate: ArmSetup; reference: ArmSetup },
    ports: UnchangedPorts,
    built?: BuiltArtifact[],
  ) => Promise<T>,
): Promise<T> {
  using repository = makeTestRepository();
  for (const [path, text] of Object.entries(FILES)) repository.write(path, text);
  for (const [path, target] of Object.entries(links)) {
    symlinkSync(target, join(repository.path, path));
  }
  const base = repository.commit("reference");
  for (const [path, text] of Object.entries(files)) {
    if (text === null) repository.git("rm", "--quiet", path);
    else repository.write(path, text);
  }
  if (executable !== undefined) chmodSync(join(repository.path, executable), 0o755);
  const git = await repository.open();
  const needs = DEPENDENCIES.map(({ name }) => name);
  const usual = { dir: "api", needs, ...both };
  const reference: ArmSetup = {
    revision: await revisionOf(git, base, "reference"),
    recipes: { api: makeRecipe(usual) },
    dependencies: DEPENDENCIES,
    scenarios: [scenario()],
  };
  const candidate: ArmSetup = {
    ...reference,
    ...setup,
    revision: await resolveCandidate(git),
    recipes: { api: makeRecipe({ ...usual, ...recipe }) },
  };
  const arms = { candidate, reference };
  const ports = { git, configPath: relative("/r", "/r/tailgate.yml") };
  const artifacts = built?.map((sha256, i) =>
    artifact(i === 0 ? "candidate" : "reference", sha256),
  );
  return await work(arms, ports, artifacts);
}

const unchanged = (given: Case) =>
  withArms(given, async (arms, ports, built) =>
    (await findUnchanged(["api"], arms, ports, built)).map(({ by }) => by),
  );
const irreproducible = (given: Case) =>
  withArms(given, (arms, ports, built = []) => findIrreproducible(["api"], arms, ports, built));

const EQUAL: [string, "sources" | "artifact", Case][] = [
  ["nothing", "sources", {}],
  ["the repository's README", "sources", { files: { "README.md": "more words\n" } }],
  ["another service", "sources", { files: { "other/main.go": "package changed\n" } }],
  ["limits in the configuration", "sources", { files: { "tailgate.yml": "version: 1 # same\n" } }],
  [
    "an in-place service's README",
    "sources",
    { files: { "api/README.md": "more\n" }, both: { build: [], artifact: null } },
  ],
  ["a page beside a schema", "sources", { files: { "schema/README.md": "x\n" } }],
  ["a page beside what seeds its Redis", "sources", { files: { "keys/README.md": "x\n" } }],
  [
    "a file beside no schema and no seed",
    "sources",
    {
      files: { "schema/2.sql": "x\n" },
      both: { needs: ["empty"] },
    },
  ],
  [
    "a test beside the source, and the same bytes",
    "artifact",
    { files: { "api/main_test.go": "package other\n" }, built: ["a", "a"] },
  ],
  [
    "what is outside the inputs, of a service that is the whole repository",
    "sources",
    {
      files: { "package.json": '{"type":"module"}\n', "other/main.go": "package changed\n" },
      both: { dir: ".", inputs: ["api"], needs: [] },
    },
  ],
  [
    "pages that the inputs leave out of the whole repository",
    "sources",
    {
      files: { "README.md": "more words\n", "api/docs/new.md": "words\n" },
      both: { dir: ".", inputs: ["**", "!**/*.md"], needs: [] },
    },
  ],
  [
    "what is outside the inputs, though the command leaves the folder and a link leads out",
    "sources",
    {
      links: { "api/link": "../other" },
      files: { "other/main.go": "package changed\n" },
      both: { inputs: ["api"], needs: [], run: ["{artifact}", "../other"] },
    },
  ],
  [
    "a test among the inputs, and the same bytes",
    "artifact",
    {
      files: { "api/main_test.go": "package other\n" },
      both: { dir: ".", inputs: ["api"] },
      built: ["a", "a"],
    },
  ],
  [
    "a file that was moved, and the same bytes",
    "artifact",
    { files: { "api/main.go": null, "api/moved.go": "package main\n" }, built: ["a", "a"] },
  ],
];
test.each(EQUAL)("unchanged: %s", async (_, by, given) => {
  expect(await unchanged(given)).toEqual([by]);
});

const IN_PLACE = { build: [], artifact: null };
const DIFFERENT: [string, Case][] = [
  ["the source, before the build", { files: { "api/main.go": "package x\n" } }],
  ["its README, before the build, which may include it", { files: { "api/README.md": "x\n" } }],
  ["the artifact", { built: ["a", "b"] }],
  ["a file beside a schema, which may include it", { files: { "schema/2.sql": "x\n" } }],
  ["what seeds its Redis", { files: { "keys/fill.sh": "x\n" }, built: ["a", "a"] }],
  ["the source of a service in place", { files: { "api/main.go": "x\n" }, both: IN_PLACE }],
  ["a file that it may open", { files: { "api/template.html": "<b>\n" }, built: ["a", "a"] }],
  ["a new file that it may open", { files: { "api/new.json": "{}\n" }, built: ["a", "a"] }],
  ["a file that is gone", { files: { "api/template.html": null }, built: ["a", "a"] }],
  ["a file above it", { files: { "package.json": '{"type":"module"}\n' }, built: ["a", "a"] }],
  ["an input", { files: { "api/main.go": "x\n" }, both: { dir: ".", inputs: ["api"] } }],
  ["a new input", { files: { "api/new.go": "x\n" }, both: { dir: ".", inputs: ["api/*.go"] } }],
  ["the list of inputs", { recipe: { inputs: ["**"] }, both: { dir: ".", inputs: ["api"] } }],
  [
    "an input that it may open",
    {
      files: { "api/template.html": "<b>\n" },
      both: { dir: ".", inputs: ["api"] },
      built: ["a", "a"],
    },
  ],
  [
    "a file elsewhere, where a link leads out of the folder",
    {
      links: { "api/link": "../other" },
      files: { "other/main.txt": "x\n" },
      both: { needs: [] },
      built: ["a", "a"],
    },
  ],
  [
    "a file elsewhere, where its command leaves the folder",
    {
      files: { "mock/x.json": "{}\n" },
      both: { needs: [], run: ["{artifact}", "../mock"] },
      built: ["a", "a"],
    },
  ],
  [
    "a file elsewhere, where its environment leaves the folder",
    {
      files: { "mock/x.json": "{}\n" },
      both: { needs: [], env: { DATA: "../mock" } },
      built: ["a", "a"],
    },
  ],
  ["who may execute a file", { executable: "api/template.html", built: ["a", "a"] }],
  ["the build command", { recipe: { build: ["make", "-O2"] }, built: ["a", "a"] }],
  ["the artifact's place", { recipe: { artifact: "bin/other" }, built: ["a", "a"] }],
  ["the command that runs it", { recipe: { run: ["{artifact}", "-v"] }, built: ["a", "a"] }],
  ["its environment", { recipe: { env: { GOGC: "50" } }, built: ["a", "a"] }],
  ["how it is ready", { recipe: { ready: { kind: "tcp", timeoutMs: 2000 } }, built: ["a", "a"] }],
  [
    "how it is stopped",
    { recipe: { stop: { signal: "SIGINT", graceMs: 1000 } }, built: ["a", "a"] },
  ],
  ["its port", { recipe: { port: 8080 }, built: ["a", "a"] }],
  ["what it needs", { recipe: { needs: ["db"] }, built: ["a", "a"] }],
  ["a scenario's header", { setup: { scenarios: [scenario({ headers: { a: "b" } })] } }],
  ["a scenario's body", { setup: { scenarios: [scenario({ body: "x" })] } }],
  ["the content of a body", { files: { "bodies/echo.json": "[]\n" } }],
  ["a new scenario", { setup: { scenarios: [scenario(), scenario({ path: "/new" })] } }],
  ["no scenario that is known of it", { setup: { scenarios: [] } }],
  ["a schema", { files: { "schema/1.sql": "create table t (a text);\n" } }],
  ["a schema's folder that is gone", { files: { "schema/1.sql": null } }],
  ["a program that it needs", { files: { "mock/main.go": "package changed\n" } }],
  [
    "how a dependency is set up",
    {
      setup: {
        dependencies: DEPENDENCIES.with(0, {
          ...(DEPENDENCIES[0] as Dependency),
          schema: [],
        } as Dependency),
      },
    },
  ],
  ["a dependency that neither defines", { both: { needs: ["unknown"] } }],
  ["a dependency that is not defined", { setup: { dependencies: DEPENDENCIES.slice(1) } }],
];
test.each(DIFFERENT)("changed: %s", async (_, given) => {
  expect(await unchanged(given)).toEqual([]);
});

test("builds that differ without a reason are told", async () => {
  const readme = { files: { "README.md": "more\n" } };
  expect(await irreproducible({ ...readme, built: ["a", "b"] })).toEqual(["api"]);
  expect(await irreproducible({ ...readme, built: ["a", "a"] })).toEqual([]);
  const source = { files: { "api/main.go": "package x\n" } };
  expect(await irreproducible({ ...source, built: ["a", "b"] })).toEqual([]);
});

const IDENTITY: Identity = {
  recipe: makeRecipe({ dir: "api", env: { A: "1" }, needs: ["db"], port: 80, prometheus: "/m" }),
  scenarios: [scenario({ headers: { a: "b" } })],
  dependencies: [
    [DEPENDENCIES[0], "tree"],
    [DEPENDENCIES[2], "tree"],
  ],
  artifact: "abc",
  files: ["100644 aa api/a", "100755 bb api/b"],
};

/** Paths of everything in a value that is no object or array. */
function leaves(value: unknown, path: string[] = []): string[][] {
  if (typeof value !== "object" || value === null) return [path];
  return Object.entries(value).flatMap(([key, inner]) => leaves(inner, [...path, key]));
}

function withLeaf(value: unknown, [key, ...rest]: readonly string[], leaf: unknown): unknown {
  if (key === undefined) return leaf;
  const copy = Array.isArray(value) ? [...value] : { ...(value as object) };
  const inner = (copy as Record<string, unknown>)[key];
  (copy as Record<string, unknown>)[key] = withLeaf(inner, rest, leaf);
  return copy;
}

test("of 1,000 identities that differ in one place none has the same key", () => {
  const places = leaves(IDENTITY);
  expect(places.length).toBeGreaterThan(40);
  const value = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null));
  fc.assert(
    fc.property(fc.constantFrom(...places), value, (place, leaf) => {
      const changed = withLeaf(IDENTITY, place, leaf) as Identity;
      fc.pre(JSON.stringify(changed) !== JSON.stringify(IDENTITY));
      expect(keyOf(changed)).not.toBe(keyOf(IDENTITY));
    }),
    { numRuns: 1000, seed: 15 },
  );
});
