// With real git: what GitHub checks out for a pull request, a merge group and a shallow clone, and
// what it is held against.
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { makeFolder } from "../../../test/support/files.ts";
import { openGit } from "../../machine/build/git.ts";
import { resolveCandidate } from "../../machine/build/source.ts";
import { type Change, findBaseOfChange, startsFromItself } from "./change.ts";

let folder: string;
let origin: string;
beforeEach(() => {
  folder = makeFolder();
  origin = join(folder, "origin");
  mkdirSync(origin);
  git("init", "--quiet", "--initial-branch=main");
  git("config", "user.name", "Test");
  git("config", "user.email", "test@example.invalid");
});

function git(...args: string[]): string {
  return execFileSync("git", args, { cwd: origin, encoding: "utf8" }).trim();
}

function commit(name: string): string {
  writeFileSync(join(origin, name), name);
  git("add", "--all");
  git("commit", "--quiet", "--message", name);
  return git("rev-parse", "HEAD");
}

/** As actions/checkout does it. */
function clone(ref: string, depth?: number): string {
  const place = join(folder, "clone");
  const args = depth === undefined ? [] : [`--depth=${depth}`];
  execFileSync("git", ["init", "--quiet", "--initial-branch=none", place]);
  const run = (...words: string[]) => execFileSync("git", words, { cwd: place, stdio: "pipe" });
  run("remote", "add", "origin", `file://${origin}`);
  const refs = [`+${ref}:refs/remotes/pull/here`];
  if (depth === undefined) refs.push("+refs/heads/*:refs/remotes/origin/*");
  run("fetch", "--quiet", "--no-tags", ...args, "origin", ...refs);
  run("checkout", "--quiet", "--force", "refs/remotes/pull/here");
  return place;
}

const open = (place: string) =>
  openGit(place, { env: process.env, abort: new AbortController().signal });

const find = async (place: string, change: Change) =>
  findBaseOfChange(change, { git: await open(place) });

/** main: a – b – c; carts: from a; the merge of carts into b, made before c came. */
function pullRequest() {
  const a = commit("a");
  git("checkout", "--quiet", "-b", "carts");
  const head = commit("carts");
  git("checkout", "--quiet", "main");
  const b = commit("b");
  git("checkout", "--quiet", "--detach", "main");
  git("merge", "--quiet", "--no-ff", "--no-edit", "carts");
  git("update-ref", "refs/pull/12/merge", "HEAD");
  git("checkout", "--quiet", "main");
  const c = commit("c");
  return { a, b, c, head, change: { name: "pull request #12", head, base: c } };
}

test("GitHub's merge commit is held against its first parent, also in a clone of two commits", async () => {
  const { b, change } = pullRequest();
  expect(await find(clone("refs/pull/12/merge"), change)).toBe(b);
  rmSync(join(folder, "clone"), { recursive: true });
  expect(await find(clone("refs/pull/12/merge", 2), change)).toBe(b);
});

test("the head itself is held against the merge base", async () => {
  const { a, change } = pullRequest();
  expect(await find(clone("refs/heads/carts"), change)).toBe(a);
});

test("a checkout of something else is refused", async () => {
  const { change } = pullRequest();
  await expect(find(clone("refs/heads/main"), change)).rejects.toThrow(
    /the checkout is of .*, which is neither .*, the head of pull request #12, nor its merge/,
  );
});

test.each([
  ["the merge", "refs/pull/12/merge"],
  ["the head", "refs/heads/carts"],
])("a clone of one commit, %s, says what to fetch", async (_, ref) => {
  const { change } = pullRequest();
  await expect(find(clone(ref, 1), change)).rejects.toMatchObject({
    next: expect.stringContaining("fetch-depth: 0"),
  });
});

test("only a plain commit of the default branch starts from itself", async () => {
  pullRequest();
  const startsAt = async (place: string) => {
    const git = await open(place);
    return await startsFromItself({ git, candidate: () => resolveCandidate(git) });
  };
  const main = clone("refs/heads/main");
  expect(await startsAt(main)).toBe(true);
  writeFileSync(join(main, "planted"), "");
  expect(await startsAt(main)).toBe(false);
  rmSync(main, { recursive: true });
  expect(await startsAt(clone("refs/heads/carts"))).toBe(false);
});
