// What is unchanged: everything that reaches a service's process is in the key, and nothing else
// is.
import { chmodSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import {
  makeRecipe,
  makeTestRepository,
  type TestRepository,
} from "../../../test/support/build.ts";
import { makeConfig } from "../../../test/support/samples.ts";
import type { Dependency, Scenario } from "../../core/model/config.ts";
import type { Arm } from "../../core/model/samples.ts";
import type { BuiltArtifact } from "../../machine/build/build.ts";
import type { Git } from "../../machine/build/git.ts";
import { type Revision, resolveCandidate, revisionOf } from "../../machine/build/source.ts";
import { janitor } from "../../machine/sys/janitor.ts";
import type { Project } from "../project/project.ts";
import { type ArmSetup, serviceOf } from "./arm-setup.ts";
import { findIrreproducible, findUnchanged, type Identity, keyOf } from "./unchanged.ts";

// Indices of trees that are not committed.
afterAll(() => janitor.cleanUp());

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
  "including/1.sql": "\\i ../other/2.sql\n",
};

const DEPENDENCIES: Dependency[] = [
  { kind: "postgresql", name: "db", dir: "schema", schema: ["1.sql"] },
  { kind: "redis", name: "cache", dir: "keys", seed: { kind: "command", command: ["./fill.sh"] } },
  { kind: "postgresql", name: "empty", dir: "schema", schema: [] },
  {
    ...{ kind: "redis", name: "outside", dir: "keys" },
    seed: { kind: "command", command: ["../mock/fill.sh"] },
  },
  { kind: "postgresql", name: "including", dir: "including", schema: ["1.sql"] },
  { kind: "program", name: "mock", recipe: makeRecipe({ dir: "mock" }) },
];

const NEEDS = ["db", "cache", "empty", "mock"];

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

type Maxima = ArmSetup["services"][string]["maxima"];
const maxima = (candidate: Record<string, number>, reference?: Record<string, number>) => ({
  candidate: new Map(Object.entries(candidate)),
  reference: reference && new Map(Object.entries(reference)),
});

interface Case {
  /** Symbolic links of both arms: place and where each leads. */
  links?: Readonly<Record<string, string>>;
  /** Written over the reference's. Null: removed. */
  files?: Readonly<Record<string, string | null>>;
  /** A file that may be executed in the candidate alone. */
  executable?: string;
  dependencies?: Dependency[];
  scenarios?: Scenario[];
  recipe?: Parameters<typeof makeRecipe>[0];
  /** Of both arms. */
  both?: Parameters<typeof makeRecipe>[0];
  /** Absolute limits of each arm. */
  held?: Partial<Record<Arm, Maxima>>;
  /** Hashes of the artifacts; absent: nothing is built yet. */
  built?: [string, string];
}

type Own = Pick<Case, "dependencies" | "scenarios"> & { held?: Maxima };
function setupOf(
  revision: Revision,
  changed: Parameters<typeof makeRecipe>[0],
  { dependencies = DEPENDENCIES, scenarios = [scenario()], held: maxima }: Own = {},
): ArmSetup {
  const recipe = makeRecipe({ dir: "api", needs: NEEDS, ...changed });
  return { revision, dependencies, services: { api: { revision, recipe, scenarios, maxima } } };
}

/** Does `work` with the arms of a case. */
async function withArms<T>(
  { links = {}, files = {}, executable, recipe = {}, both = {}, built, held = {}, ...setup }: Case,
  work: (
    arms: { candidate: ArmSetup; reference: ArmSetup },
    ports: Pick<Project, "git" | "root" | "configPath">,
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
  const reference = setupOf(await revisionOf(git, base, "reference"), both, {
    held: held.reference,
  });
  const candidate = setupOf(
    await resolveCandidate(git),
    { ...both, ...recipe },
    { ...setup, held: held.candidate },
  );
  const arms = { candidate, reference };
  const ports = { git, root: "/r", configPath: "/r/tailgate.yml" };
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
    "an absolute limit that was raised, and one that is gone",
    "sources",
    { held: maxima({ a: 2 }, { a: 1, b: 1 }) },
  ],
  [
    "absolute limits where the reference has no configuration",
    "sources",
    { held: maxima({ a: 2 }) },
  ],
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
  ["an absolute limit that is new", { held: maxima({ a: 1, b: 1 }, { a: 1 }) }],
  ["an absolute limit that was lowered", { held: maxima({ a: 1 }, { a: 2 }) }],
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
  [
    "a file elsewhere, where its login leaves the folder",
    {
      files: { "mock/x.json": "{}\n" },
      both: { needs: [], before: ["../mock/login"] },
      built: ["a", "a"],
    },
  ],
  [
    "a file elsewhere, where a schema is a link",
    {
      links: { "schema/2.sql": "../other/2.sql" },
      files: { "other/2.sql": "x\n" },
      both: { needs: ["db"] },
      built: ["a", "a"],
    },
  ],
  [
    "a file elsewhere, where a schema includes it",
    {
      files: { "other/2.sql": "x\n" },
      both: { needs: ["including"] },
      built: ["a", "a"],
    },
  ],
  [
    "a file elsewhere, where what seeds its database leaves the folder",
    {
      files: { "mock/x.json": "{}\n" },
      both: { needs: ["outside"] },
      built: ["a", "a"],
    },
  ],
  ["code named as a page is", { files: { "api/security.js": "x\n" }, both: IN_PLACE }],
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
  ["a scenario's header", { scenarios: [scenario({ headers: { a: "b" } })] }],
  ["a scenario's body", { scenarios: [scenario({ body: "x" })] }],
  ["the content of a body", { files: { "bodies/echo.json": "[]\n" } }],
  ["a new scenario", { scenarios: [scenario(), scenario({ path: "/new" })] }],
  ["no scenario that is known of it", { scenarios: [] }],
  ["a schema", { files: { "schema/1.sql": "create table t (a text);\n" } }],
  ["a schema's folder that is gone", { files: { "schema/1.sql": null } }],
  ["a program that it needs", { files: { "mock/main.go": "package changed\n" } }],
  [
    "how a dependency is set up",
    {
      dependencies: DEPENDENCIES.with(0, {
        ...(DEPENDENCIES[0] as Dependency),
        schema: [],
      } as Dependency),
    },
  ],
  ["a dependency that neither defines", { both: { needs: ["unknown"] } }],
  ["a dependency that is not defined", { dependencies: DEPENDENCIES.slice(1) }],
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

/** A service as it may be described. */
interface Shape {
  recipe: Parameters<typeof makeRecipe>[0];
  /** What its build or its process can open, beside `READ`. */
  read: string[];
  /** The same as long as the artifacts' bytes do not say it all. */
  source: string[];
}

const SOURCES = ["api/main.go", "api/main_test.go"];
const ABOVE = ["package.json", "new.json"];
const SHAPES: Readonly<Record<string, Shape>> = {
  built: {
    recipe: { env: { A: "1" }, buildBeside: { needs: ["db"], env: { B: "2" } } },
    read: ABOVE,
    source: [...SOURCES, "api/README.md"],
  },
  "in place": {
    recipe: { ...IN_PLACE, before: ["login"], prometheus: "/metrics" },
    read: [...ABOVE, ...SOURCES],
    source: [],
  },
  listed: { recipe: { dir: ".", inputs: ["api", "!**/*.md"] }, read: [], source: SOURCES },
};
const READ = [
  ...["api/template.html", "api/new.json", "api/security.js", "bodies/echo.json"],
  ...["schema/1.sql", "schema/2.sql", "keys/fill.sh", "mock/main.go"],
];
const UNREAD = ["README.md", "LICENSE", ".github/ci.yml", "schema/README.md", "other/new.go"];
const PATHS = [...Object.keys(FILES), ...READ, ...UNREAD, ...ABOVE];

/** git, asked once for what its objects hold. */
function remembering(git: Git): Git {
  const once = <T>(ask: Git["read"] | Git["tryRead"]) => {
    const answers = new Map<string, Promise<T>>();
    return (...[args, command]: Parameters<Git["read"]>): Promise<T> => {
      const key = JSON.stringify(args);
      const answer = answers.get(key) ?? (ask.call(git, args, command) as Promise<T>);
      answers.set(key, answer);
      return answer;
    };
  };
  return Object.assign(Object.create(git), { read: once(git.read), tryRead: once(git.tryRead) });
}

async function openReference(repository: TestRepository) {
  for (const [path, text] of Object.entries(FILES)) repository.write(path, text);
  const base = repository.commit("reference");
  const git = await repository.open();
  const ports = { git: remembering(git), root: "/r", configPath: "/r/tailgate.yml" };
  return { git, ports, revision: await revisionOf(git, base, "reference") };
}

test.each(Object.entries(SHAPES))(
  "no setting of a service can change unseen: %s",
  async (_, { recipe }) => {
    using repository = makeTestRepository();
    const { ports, revision } = await openReference(repository);
    const paths = { path: "bodies/echo.json", sha256: "", bytes: 0, repeat: null, lines: "paths" };
    const scenarios = [scenario({ paths } as Partial<Scenario["request"]>)];
    const known = serviceOf(setupOf(revision, recipe), "api");
    const dependencies = DEPENDENCIES.filter(({ name }) => NEEDS.includes(name));
    const settings = { recipe: known.recipe, dependencies, scenarios };
    const armOf = ({ dependencies, ...own }: typeof settings): ArmSetup => ({
      revision,
      dependencies,
      services: { api: { revision, ...own } },
    });
    // What is known of a body's file is known from the file.
    const places = leaves(settings).filter((place) => !/sha256|bytes/.test(place.join()));
    expect(places.length).toBeGreaterThan(55);
    const unseen: string[] = [];
    for (const place of places) {
      const changed = withLeaf(settings, place, "other") as typeof settings;
      const usual = { ...settings, dependencies: DEPENDENCIES };
      const arms = { candidate: armOf(changed), reference: armOf(usual) };
      if ((await findUnchanged(["api"], arms, ports)).length > 0) unseen.push(place.join("."));
    }
    expect(unseen).toEqual([]);
  },
);

test("whatever a build or a process can open makes a service changed, and nothing else does", async () => {
  using repository = makeTestRepository();
  const { git, ports, revision } = await openReference(repository);
  const edit = fc.constantFrom("write", "remove", "execute");
  const edits = fc.dictionary(fc.constantFrom(...PATHS), edit, { minKeys: 1, maxKeys: 2 });
  await fc.assert(
    fc.asyncProperty(edits, async (drawn) => {
      repository.git("reset", "--quiet", "--hard");
      repository.git("clean", "--quiet", "--force", "-d");
      for (const [path, how] of Object.entries(drawn)) {
        const place = join(repository.path, path);
        // A new file can only be written, and nobody executes a body.
        if (how === "write" || !(path in FILES) || path.startsWith("bodies/"))
          repository.write(path, "other\n");
        else if (how === "remove") rmSync(place);
        else chmodSync(place, 0o755);
      }
      const candidate = await resolveCandidate(git);
      for (const [name, { recipe, read, source }] of Object.entries(SHAPES)) {
        const arms = {
          candidate: setupOf(candidate, recipe),
          reference: setupOf(revision, recipe),
        };
        const isRead = (more: string[]): boolean =>
          Object.keys(drawn).some((path) => [...READ, ...read, ...more].includes(path));
        const check = async (expected: boolean, built?: BuiltArtifact[]): Promise<void> => {
          const found = await findUnchanged(["api"], arms, ports, built);
          expect(found.length, `${name}${built === undefined ? "" : ", built"}`).toBe(
            expected ? 0 : 1,
          );
        };
        await check(isRead(source));
        if (recipe.artifact === null) continue;
        await check(isRead([]), [artifact("candidate", "a"), artifact("reference", "a")]);
      }
    }),
    { numRuns: 30 },
  );
});
