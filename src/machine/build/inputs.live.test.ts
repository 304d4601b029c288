import { describe, expect, test } from "vitest";
import { makeRecipe, makeTestRepository } from "../../../test/support/build.ts";
import type { Recipe } from "../../core/model/config.ts";
import { findInputs, inputsId } from "./inputs.ts";
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
