import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { makeRecipe, makeTestRepository } from "../../../test/support/build.ts";
import type { Recipe } from "../../core/model/config.ts";
import { findInputs, type Inputs, inputsId } from "./inputs.ts";
import { resolveCandidate } from "./source.ts";

/** Files, and why the service's folder is not enough; null: it is. */
type Case = [string, Record<string, string>, string | null, Partial<Recipe>?];

const CASES: Case[] = [
  ["nothing but the folder", {}, null],
  ["the tool's own files at the root", { "package.json": "{}", Makefile: "x" }, null],
  [
    "a cargo package of its own",
    { "a/service/Cargo.toml": '[package]\n[dependencies]\nx = { path = "x" }' },
    null,
  ],
  ["a cargo workspace", { "Cargo.toml": "[workspace]\nmembers = []" }, "Cargo.toml applies"],
  [
    "a cargo workspace half way up",
    { "a/Cargo.toml": "[workspace.package]" },
    "a/Cargo.toml applies",
  ],
  [
    "a sibling crate",
    { "a/service/Cargo.toml": 'shared = { version = "1", path = "../shared" }' },
    "a/service/Cargo.toml names a folder above its own",
  ],
  ["a pinned toolchain", { "rust-toolchain.toml": "[toolchain]" }, "rust-toolchain.toml applies"],
  ["cargo settings", { ".cargo/config.toml": "[build]" }, ".cargo/config.toml applies"],
  ["a go module of its own", { "a/service/go.mod": "module x", "go.mod": "module y" }, null],
  ["the module of a folder above", { "go.mod": "module y" }, "go.mod applies"],
  ["a go workspace", { "a/service/go.mod": "module x", "go.work": "go 1.26" }, "go.work applies"],
  [
    "a replaced go module",
    { "a/service/go.mod": "replace x => ../x" },
    "a/service/go.mod names a folder above its own",
  ],
  [
    "a go workspace of its own that goes up",
    { "a/service/go.work": "use (\n  .\n  ../x\n)" },
    "a/service/go.work names a folder above its own",
  ],
  [
    "versions of packages for a whole .NET repository",
    { "Directory.Packages.props": "<Project/>" },
    "Directory.Packages.props applies",
  ],
  [
    "a sibling .NET project",
    { "a/service/Api.csproj": '<ProjectReference Include="..\\Shared\\Shared.csproj" />' },
    "a/service/Api.csproj names a folder above its own",
  ],
  [
    "a Gradle build that includes a sibling",
    { "a/service/settings.gradle.kts": 'includeBuild("../shared")' },
    "a/service/settings.gradle.kts names a folder above its own",
  ],
  [
    "settings of a compiler that extend shared ones",
    { "a/service/tsconfig.build.json": '{"extends": "../../tsconfig.base.json"}' },
    "a/service/tsconfig.build.json names a folder above its own",
  ],
  [
    "a makefile with headers from elsewhere",
    { "a/service/Makefile": "CFLAGS = -I../include" },
    "a/service/Makefile names a folder above its own",
  ],
  [
    "a source that imports from elsewhere",
    { "a/service/src/api/x.mjs": 'import { a } from "../../../libs/a.mjs";' },
    "a/service/src/api/x.mjs names a folder above its own",
  ],
  [
    "a source that includes a file from elsewhere",
    { "a/service/src/main.rs": 'include_str!("../../shared/x.json")' },
    "a/service/src/main.rs names a folder above its own",
  ],
  [
    "a source that imports the folder above itself",
    { "a/service/src/x.mjs": 'import "../.."' },
    "a/service/src/x.mjs names a folder above its own",
  ],
  [
    "a source that imports from its own folder",
    { "a/service/src/x.mjs": 'import "../a.mjs"' },
    null,
  ],
  ["a source that imports its own folder", { "a/service/src/x/y.mjs": 'import "../.."' }, null],
  ["dots of a comment", { "a/service/x.go": "// see .../x, or ./..." }, null],
  [
    "tests, pages and rules of style that reach out",
    {
      "a/service/internal/x_test.go": '"../../../contract"',
      "a/service/tests/x.py": '"../../shared"',
      "a/service/README.md": "[more](../../docs/x.md)",
      "a/service/.eslintrc.json": '{"extends": "../../.eslintrc.json"}',
    },
    null,
  ],
  [
    "a script further down, which runs in the folder",
    { "a/service/scripts/build.sh": "cp ../shared/x ." },
    "a/service/scripts/build.sh names a folder above its own",
  ],
  ["a makefile that stays", { "a/service/Makefile": "all: ./x\n\tcp a..b x" }, null],
  ["a manifest further down", { "a/service/x/Makefile": "all: ../x" }, null],
  ["npm workspaces", { "package.json": '{"workspaces": ["a/*"]}' }, "package.json applies"],
  [
    "a linked npm package",
    { "a/service/package.json": '{"dependencies": {"x": "file:../x"}}' },
    "a/service/package.json names a folder above its own",
  ],
  [
    "a build command that goes up",
    {},
    "its recipe names a folder above its own",
    { build: ["make", "--directory=../.."] },
  ],
  ...["cp ../shared/x .", "cd .. && make", "cat '../x'", "cd ..;make"].map(
    (script): Case => [
      `a build that goes up in a script: ${script}`,
      {},
      "its recipe names a folder above its own",
      { build: ["sh", "-c", script] },
    ],
  ),
  [
    "an artifact above",
    {},
    "its recipe names a folder above its own",
    { artifact: "../../target/release/x" },
  ],
  ["two dots that are no folder", {}, null, { build: ["cp", "a..b", "...", "./...", "x/...y"] }],
];

test.each(CASES)("%s", async (_, files, reason, recipe) => {
  using repository = makeTestRepository();
  repository.write("a/service/source.txt", "");
  for (const [path, text] of Object.entries(files)) repository.write(path, text);
  repository.commit("first");
  const git = await repository.open();
  const inputs = await findInputs(
    git,
    await resolveCandidate(git),
    makeRecipe({ dir: "a/service", ...recipe }),
  );
  expect(inputs).toEqual({ path: reason === null ? "a/service" : ".", reason, listed: null });
});

test.each<[string, string, string]>([
  ["a/service", "link", "../x"],
  ["a/service", "x/link", "y/../../../x"],
  ["a/service", "link", "/a/service/source.txt"],
  ["a/linked", "", "service"],
])("in %s the link '%s' to %s leads out", async (dir, name, target) => {
  const link = name === "" ? dir : `${dir}/${name}`;
  expect(await inputsBeside(link, target, dir)).toEqual({
    path: ".",
    reason: `the link ${link} leads out of its folder`,
    listed: null,
  });
});

test.each([
  ["link", "source.txt"],
  ["x/link", "../source.txt"],
  ["link", "."],
  ["link", "not/there"],
])("the link %s to %s stays in its folder", async (name, target) => {
  const inputs = await inputsBeside(`a/service/${name}`, target, "a/service");
  expect(inputs).toEqual({ path: "a/service", reason: null, listed: null });
});

async function inputsBeside(link: string, target: string, dir: string): Promise<Inputs> {
  using repository = makeTestRepository();
  repository.write("a/service/source.txt", "");
  repository.write("a/service/x/y/file", "");
  symlinkSync(target, join(repository.path, link));
  repository.commit("first");
  const git = await repository.open();
  return await findInputs(git, await resolveCandidate(git), makeRecipe({ dir }));
}

test("a service that is the whole repository", async () => {
  using repository = makeTestRepository();
  repository.commit("first");
  const git = await repository.open();
  const inputs = await findInputs(git, await resolveCandidate(git), makeRecipe({ dir: "." }));
  expect(inputs).toEqual({ path: ".", reason: null, listed: null });
});

describe("listed inputs", () => {
  async function idOf(files: Record<string, string>, inputs: string[]): Promise<string | null> {
    using repository = makeTestRepository();
    for (const [path, text] of Object.entries(files)) repository.write(path, text);
    repository.commit("first");
    const git = await repository.open();
    const revision = await resolveCandidate(git);
    return inputsId(git, revision, await findInputs(git, revision, makeRecipe({ inputs })));
  }
  const FILES = { "go.mod": "module x", "src/a.go": "one", "README.md": "words" };

  test("are known by their names and contents, and by nothing else", async () => {
    const id = await idOf(FILES, ["go.mod", "src"]);
    expect(id).toMatch(/^listed [0-9a-f]{64}$/);
    const other = { ...FILES, "README.md": "more", "docs/x.md": "new" };
    expect(await idOf(other, ["go.mod", "src"])).toBe(id);
    expect(await idOf({ ...FILES, "src/a.go": "two" }, ["go.mod", "src"])).not.toBe(id);
    expect(await idOf({ ...FILES, "src/b.go": "" }, ["go.mod", "src"])).not.toBe(id);
    expect(await idOf(FILES, ["**"])).not.toBe(id);
  });

  test("that name no file have no id", async () => {
    expect(await idOf(FILES, ["nowhere"])).toBeNull();
  });
});
