import { expect, test } from "vitest";
import { makeTestFolder, makeTestRepository } from "../../../test/support/build.ts";
import { UserError } from "../../core/base/errors.ts";
import { explainGitFailure, openGit } from "./git.ts";

const ports = { env: process.env, abort: new AbortController().signal };

test("finds the root from a folder below it", async () => {
  using repository = makeTestRepository();
  repository.write("a/b/file", "");
  const git = await openGit(`${repository.path}/a/b`, ports);
  expect(git.root).toBe(repository.path);
  expect(git.commonFolder).toBe(`${repository.path}/.git`);
});

test("looks at the repository it stands in, whatever a hook's environment says", async () => {
  using repository = makeTestRepository();
  using other = makeTestRepository();
  const env = { ...process.env, GIT_DIR: `${other.path}/.git`, GIT_WORK_TREE: other.path };
  expect((await openGit(repository.path, { ...ports, env })).root).toBe(repository.path);
});

test("a folder outside any repository, or none at all", async () => {
  using folder = makeTestFolder();
  await expect(openGit(folder.path, ports)).rejects.toThrow(
    `${folder.path} is not in a git repository`,
  );
  await expect(openGit(`${folder.path}/none`, ports)).rejects.toThrow("does not exist");
});

test("a bare repository", async () => {
  using repository = makeTestRepository();
  repository.git("init", "--quiet", "--bare", "bare.git");
  await expect(openGit(`${repository.path}/bare.git`, ports)).rejects.toThrow(
    /without a working tree/,
  );
});

test("no git on PATH", async () => {
  using folder = makeTestFolder();
  const env = { ...process.env, PATH: folder.path };
  await expect(openGit(folder.path, { ...ports, env })).rejects.toThrow("git is not on PATH");
});

test("an aborted question is an interruption, not a failure of git", async () => {
  using repository = makeTestRepository();
  const error: unknown = await openGit(repository.path, {
    ...ports,
    abort: AbortSignal.abort(),
  }).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(UserError);
  expect((error as UserError).kind).toBe("interrupted");
});

test("exit code 1 is an answer, anything else an error with git's words", async () => {
  using repository = makeTestRepository();
  const git = await repository.open();
  expect(await git.tryRead(["rev-parse", "--verify", "--quiet", "nothing"])).toBeNull();
  const error = await git.read(["cat-file", "-t", "nothing"]).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({
    message: `git cat-file exited with code 128 in ${repository.path}`,
    detail: expect.stringContaining("nothing"),
  });
});

test("a repository that belongs to somebody else", () => {
  const failure = explainGitFailure(["rev-parse"], "/repo/service", {
    code: 128,
    signal: null,
    startError: null,
    stderr: "fatal: detected dubious ownership in repository at '/repo'\nTo add an exception …",
  });
  expect(failure.message).toBe("git refuses /repo: the folder belongs to another user");
  expect(failure.next).toContain("--add safe.directory '/repo'");
});
