// Submodules in checkouts as runners make them, with real git: what each version has of them, or what
// is told.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  makePorts,
  makeRecipe,
  makeTestFolder,
  makeTestRepository,
  type TestRepository,
} from "../../../test/support/build.ts";
import { builtFrom, configure, failureOf } from "../../../test/support/build-project.ts";
import { buildArtifacts } from "./build.ts";
import { resolveCandidate } from "./source.ts";

/** Of a remote that is a folder, which git refuses by default. */
const submodule = ({ git }: TestRepository, ...words: string[]): string =>
  git("-c", "protocol.file.allow=always", "submodule", "--quiet", ...words);

/** A service with a submodule, which has one itself: each version has another commit of it. */
function makeWithSubmodules(): Disposable & {
  repository: TestRepository;
  library: TestRepository;
} {
  const [deep, library, repository] = [
    makeTestRepository(),
    makeTestRepository(),
    makeTestRepository(),
  ];
  deep.write("file", "deep");
  deep.commit("first");
  library.write("file", "one ");
  submodule(library, "add", deep.path, "deep");
  library.commit("first");
  repository.write("service/source.txt", "");
  submodule(repository, "add", library.path, "service/lib");
  submodule(repository, "update", "--init", "--recursive");
  repository.commit("first");
  repository.git("switch", "--quiet", "--create=change");
  library.write("file", "two ");
  library.commit("second");
  repository.git("-C", "service/lib", "pull", "--quiet", "origin", "main");
  repository.commit("second");
  const all = [deep, library, repository];
  return {
    repository,
    library,
    [Symbol.dispose]() {
      for (const one of all) one[Symbol.dispose]();
    },
  };
}
const READ_LIBRARY = ["sh", "-c", "cat lib/file lib/deep/file > artifact || echo empty > artifact"];

test.each<[string, string[] | undefined]>([
  ["all files", undefined],
  ["files that are listed", ["service"]],
])("each version has its own commits of submodules, among %s", async (_, inputs) => {
  using project = makeWithSubmodules();
  configure(project.repository, { "submodule.recurse": "true" });
  const { says, notes } = await builtFrom(project.repository, { inputs, build: READ_LIBRARY });
  expect(says).toEqual({ candidate: "two deep", reference: "one deep" });
  expect(notes.filter((note) => note.includes("submodules"))).toEqual([]);
});

/** What is of the submodule, wherever it lies, and what else is told of it. */
async function builtOfLibrary({ repository }: { repository: TestRepository }) {
  const build = [
    "sh",
    "-c",
    "cat */file */deep/file > artifact 2> /dev/null || echo empty > artifact",
  ];
  const { says, notes } = await builtFrom(repository, { build });
  return { says, told: notes.filter((note) => note.includes("submodules")) };
}

test("a submodule that a version has elsewhere is in both versions, or empty in both", async () => {
  using project = makeWithSubmodules();
  project.repository.git("mv", "service/lib", "service/moved");
  project.repository.commit("third");
  const says = { candidate: "two deep", reference: "one deep" };
  expect(await builtOfLibrary(project)).toEqual({ says, told: [] });
  project.repository.git("submodule", "--quiet", "deinit", "--all", "--force");
  const none = { candidate: "empty\n", reference: "empty\n" };
  expect(await builtOfLibrary(project)).toEqual({
    says: none,
    told: [expect.stringContaining("empty in both versions")],
  });
});

test("a submodule whose files a version has itself is had, or told", async () => {
  using project = makeWithSubmodules();
  const { repository, library } = project;
  const old = library.git("rev-parse", "HEAD^");
  repository.git("rm", "--quiet", "-r", "--force", "service/lib");
  repository.write("service/lib/file", "own ");
  repository.write("service/lib/deep/file", "files");
  repository.commit("third");
  const says = { candidate: "own files", reference: "one deep" };
  expect(await builtOfLibrary(project)).toEqual({ says, told: [] });
  const modules = join(repository.path, ".git/modules");
  rmSync(modules, { recursive: true });
  const lacking = await failureOf(builtOfLibrary(project));
  expect(lacking.message).toMatch(new RegExp(`/service/lib lacks commit ${old.slice(0, 12)},`));
  const [, words = ""] = /`git (clone --bare .*)`/.exec(lacking.next ?? "") ?? [];
  expect(words).toContain(`'${modules}/service/lib'`);
  repository.git("clone", "--quiet", "--bare", library.path, join(modules, "service/lib"));
  const deep = await failureOf(builtOfLibrary(project));
  expect(deep.message).toContain("/service/lib/deep lacks commit");
});

test("somebody's clone in a folder is no submodule", async () => {
  using project = makeWithSubmodules();
  using library = makeTestRepository();
  const { repository } = project;
  library.write("file", "");
  library.commit("first");
  repository.git("clone", "--quiet", library.path, "service/clone");
  writeFileSync(join(repository.path, "service/clone/file"), "changed");
  expect(await builtOfLibrary(project)).toEqual({
    says: { candidate: "two deep", reference: "one deep" },
    told: [],
  });
});

test("submodules that are empty are told, and a build without them is not one with them", async () => {
  using project = makeWithSubmodules();
  using cache = makeTestFolder();
  const { repository } = project;
  const build = async () => {
    const git = await repository.open();
    const revision = await resolveCandidate(git);
    const ports = makePorts(git, cache.path);
    const recipe = makeRecipe({ build: READ_LIBRARY });
    const [built] = await buildArtifacts(
      [{ arm: "candidate", service: "api", recipe, revision }],
      ports,
    );
    const told = ports.notes.filter((note) => note.includes("submodules"));
    return { says: readFileSync(built?.path ?? "", "utf8"), told };
  };
  submodule(repository, "deinit", "--all", "--force");
  const told = [expect.stringContaining("`submodules: true` of actions/checkout")];
  expect(await build()).toEqual({ says: "empty\n", told });
  submodule(repository, "update", "--init", "--recursive");
  expect(await build()).toEqual({ says: "two deep", told: [] });
});

test("what a submodule lacks of a version is told, and what is uncommitted in one", async () => {
  using project = makeWithSubmodules();
  const { repository, library } = project;
  const old = library.git("rev-parse", "HEAD^");
  submodule(repository, "deinit", "--all", "--force");
  rmSync(join(repository.path, ".git/modules"), { recursive: true });
  configure(repository, { "submodule.service/lib.url": `file://${library.path}` });
  submodule(repository, "update", "--init", "--depth=1");
  const lacking = await failureOf(builtFrom(repository));
  expect(lacking.message).toMatch(new RegExp(`service/lib lacks commit ${old.slice(0, 12)},`));
  expect(lacking.next).toContain(`fetch origin ${old}`);
  repository.write("service/lib/file", "three ");
  const changed = await failureOf(builtFrom(repository));
  expect(changed.message).toBe("submodules have uncommitted changes: service/lib");
});
