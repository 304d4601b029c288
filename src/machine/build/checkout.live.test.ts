import { execFileSync } from "node:child_process";
import {
  chownSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import {
  makeTestFolder,
  makeTestRepository,
  type TestRepository,
} from "../../../test/support/build.ts";
import { systemClock } from "../sys/clock.ts";
import { checkOut } from "./checkout.ts";
import { OBEYED_ABOVE } from "./inputs.ts";
import { resolveCandidate, revisionOf } from "./source.ts";

function makeService(): TestRepository {
  const repository = makeTestRepository();
  repository.write("service/main.txt", "one\n");
  repository.commit("first");
  return repository;
}

const inFolder = (folder: string, ...args: string[]): string =>
  execFileSync("git", args, { cwd: folder, encoding: "utf8" }).trim();

test("a commit and the working tree stand side by side, in paths of equal length", async () => {
  using repository = makeService();
  using cache = makeTestFolder();
  repository.write("service/main.txt", "two\n");
  repository.write("service/new.txt", "new\n");
  const hook = `#!/bin/sh\ntouch '${repository.path}/hook-ran'\n`;
  repository.write(".git/hooks/post-index-change", hook, { mode: 0o755 });
  const git = await repository.open();
  const ports = { git, cache: cache.path, clock: systemClock };
  const head = repository.git("rev-parse", "HEAD");
  const candidate = await checkOut(await resolveCandidate(git), ports);
  const reference = await checkOut(await revisionOf(git, head, "HEAD"), ports);

  // The user's hooks did not run; the git commands of this test would run them.
  expect(existsSync(join(repository.path, "hook-ran"))).toBe(false);
  rmSync(join(repository.path, ".git/hooks"), { recursive: true });
  expect(candidate.root.length).toBe(reference.root.length);
  // What a service writes beside its folder is its own, and goes with it.
  expect(dirname(dirname(candidate.root))).toBe(join(cache.path, "build"));
  expect(dirname(candidate.root)).not.toBe(dirname(reference.root));
  writeFileSync(join(candidate.root, "../app.db"), "");
  expect(readFileSync(join(candidate.root, "service/main.txt"), "utf8")).toBe("two\n");
  expect(readFileSync(join(reference.root, "service/main.txt"), "utf8")).toBe("one\n");
  expect(readdirSync(reference.root)).toEqual([".git", "service"]);
  expect(readdirSync(join(candidate.root, "service"))).toEqual(["main.txt", "new.txt"]);
  // Builds may ask git where they are.
  expect(inFolder(reference.root, "describe", "--always", "--dirty")).toBe(head.slice(0, 7));
  expect(inFolder(candidate.root, "describe", "--always", "--dirty")).toMatch(/-dirty$/);

  candidate.remove();
  expect(repository.git("worktree", "list", "--porcelain").match(/^worktree/gm)).toHaveLength(2);
  reference.remove();
  expect(repository.git("worktree", "list", "--porcelain").match(/^worktree/gm)).toHaveLength(1);
  expect(existsSync(join(repository.path, ".git/worktrees"))).toBe(false);
  expect(readdirSync(join(cache.path, "build"))).toEqual([]);
});

test("leaves the user's own worktrees alone, even one that is out of reach", async () => {
  using repository = makeService();
  using cache = makeTestFolder();
  repository.git("worktree", "add", "--quiet", "--detach", join(cache.path, "theirs"));
  execFileSync("mv", [join(cache.path, "theirs"), join(cache.path, "moved")]);
  const git = await repository.open();
  const checkout = await checkOut(await resolveCandidate(git), {
    git,
    cache: cache.path,
    clock: systemClock,
  });
  checkout.remove();
  expect(readdirSync(join(repository.path, ".git/worktrees"))).toEqual(["theirs"]);
});

test("is outside the repository even when the cache is inside", async () => {
  using repository = makeService();
  const git = await repository.open();
  const checkout = await checkOut(await resolveCandidate(git), {
    git,
    cache: join(repository.path, ".cache"),
    clock: systemClock,
  });
  try {
    expect(checkout.root.startsWith(repository.path)).toBe(false);
  } finally {
    checkout.remove();
  }
});

test.for(OBEYED_ABOVE)(
  "another user's %s above the folder is not obeyed",
  async (name, context) => {
    if (process.getuid?.() !== 0) context.skip("only root can give a file away");
    using repository = makeService();
    using above = makeTestFolder();
    const ports = { cache: join(above.path, "a/cache"), clock: systemClock };
    const git = await repository.open();
    const candidate = await resolveCandidate(git);
    const settings = above.write(name, "");
    (await checkOut(candidate, { git, ...ports })).remove();
    chownSync(settings, 65534, 65534);
    await expect(checkOut(candidate, { git, ...ports })).rejects.toThrow(
      `builds would obey ${settings}, which user 65534 made`,
    );
  },
);

test("leaves nothing behind when it fails", async () => {
  using repository = makeService();
  using cache = makeTestFolder();
  const git = await repository.open();
  const candidate = await resolveCandidate(git);
  const broken = { ...candidate, tree: "0".repeat(40) };
  await expect(checkOut(broken, { git, cache: cache.path, clock: systemClock })).rejects.toThrow(
    /git read-tree/,
  );
  expect(readdirSync(join(cache.path, "build"))).toEqual([]);
  expect(existsSync(join(repository.path, ".git/worktrees"))).toBe(false);
});

test("sweeps what a power cut left a week ago, and nothing else", async () => {
  using repository = makeService();
  using cache = makeTestFolder();
  cache.write("build/tailgate-old/file", "");
  cache.write("build/tailgate-new/file", "");
  cache.write("build/other/file", "");
  const old = Date.now() / 1000 - 8 * 24 * 3600;
  utimesSync(join(cache.path, "build/tailgate-old"), old, old);
  utimesSync(join(cache.path, "build/other"), old, old);
  const git = await repository.open();
  const checkout = await checkOut(await resolveCandidate(git), {
    git,
    cache: cache.path,
    clock: systemClock,
  });
  checkout.remove();
  expect(readdirSync(join(cache.path, "build"))).toEqual(["other", "tailgate-new"]);
});

test("many at once do not meet each other's half-made records", async () => {
  using repository = makeService();
  using cache = makeTestFolder();
  const git = await repository.open();
  const ports = { git, cache: cache.path, clock: systemClock };
  const revision = await resolveCandidate(git);
  const checkouts = await Promise.all(Array.from({ length: 12 }, () => checkOut(revision, ports)));
  expect(new Set(checkouts.map(({ root }) => root)).size).toBe(12);
  for (const { root } of checkouts) {
    expect(readdirSync(join(root, "service"))).toEqual(["main.txt"]);
  }
});
