import { describe, expect, test } from "vitest";
import { makeRecipe, makeTestRepository } from "../../../test/support/build.ts";
import type { Recipe } from "../../core/model/config.ts";
import { findInputs, inputsId } from "./inputs.ts";
import { resolveCandidate } from "./source.ts";

interface Case {
  name: string;
  files: Record<string, string>;
  recipe?: Partial<Recipe>;
  /** Null: the service's folder is enough. */
  reason: string | null;
}

const CASES: Case[] = [
  { name: "nothing but the folder", files: {}, reason: null },
  {
    name: "the tool's own files at the root",
    files: { "package.json": "{}", Makefile: "x" },
    reason: null,
  },
  {
    name: "a cargo package of its own",
    files: { "a/service/Cargo.toml": '[package]\n[dependencies]\nx = { path = "x" }' },
    reason: null,
  },
  {
    name: "a cargo workspace",
    files: { "Cargo.toml": "[workspace]\nmembers = []" },
    reason: "Cargo.toml applies",
  },
  {
    name: "a cargo workspace half way up",
    files: { "a/Cargo.toml": "[workspace.package]" },
    reason: "a/Cargo.toml applies",
  },
  {
    name: "a sibling crate",
    files: { "a/service/Cargo.toml": 'shared = { version = "1", path = "../shared" }' },
    reason: "a/service/Cargo.toml names a folder above its own",
  },
  {
    name: "a pinned toolchain",
    files: { "rust-toolchain.toml": "[toolchain]" },
    reason: "rust-toolchain.toml applies",
  },
  {
    name: "cargo settings",
    files: { ".cargo/config.toml": "[build]" },
    reason: ".cargo/config.toml applies",
  },
  {
    name: "a go module of its own",
    files: { "a/service/go.mod": "module x", "go.mod": "module y" },
    reason: null,
  },
  {
    name: "the module of a folder above",
    files: { "go.mod": "module y" },
    reason: "go.mod applies",
  },
  {
    name: "a go workspace",
    files: { "a/service/go.mod": "module x", "go.work": "go 1.26" },
    reason: "go.work applies",
  },
  {
    name: "a replaced go module",
    files: { "a/service/go.mod": "replace x => ../x" },
    reason: "a/service/go.mod names a folder above its own",
  },
  {
    name: "npm workspaces",
    files: { "package.json": '{"workspaces": ["a/*"]}' },
    reason: "package.json applies",
  },
  {
    name: "a linked npm package",
    files: { "a/service/package.json": '{"dependencies": {"x": "file:../x"}}' },
    reason: "a/service/package.json names a folder above its own",
  },
  {
    name: "a build command that goes up",
    files: {},
    recipe: { build: ["make", "--directory=../.."] },
    reason: "its recipe names a folder above its own",
  },
  {
    name: "an artifact above",
    files: {},
    recipe: { artifact: "../../target/release/x" },
    reason: "its recipe names a folder above its own",
  },
  {
    name: "two dots that are no folder",
    files: {},
    recipe: { build: ["cp", "a..b", "..."] },
    reason: null,
  },
];

test.each(CASES)("$name", async ({ files, recipe, reason }) => {
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
