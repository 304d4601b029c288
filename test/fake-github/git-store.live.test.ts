// The store of objects and git itself read what the other has written.
import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { makeFolder } from "../support/files.ts";
import { GitStore } from "./git-store.ts";

test("git finds no fault with what is written, and reads it; what git writes is read", () => {
  const directory = makeFolder();
  const git = (args: string[], input = ""): string =>
    execFileSync("git", ["--git-dir", directory, ...args], { input, encoding: "utf8" }).trim();
  git(["init", "--quiet", "--bare", "--initial-branch=main"]);
  const store = new GitStore(directory, { main: { "README.md": "# app\n", "a/b/c": "1" } });
  const main = store.commitOf("main") ?? "";
  const changes = [
    { path: "a.b", mode: "100644", content: "2" },
    { path: "a/ünï code", mode: "100755", content: "3" },
    { path: "README.md", mode: "100644", content: null },
  ];
  const tree = store.writeTree(store.commit(main)?.tree ?? "", changes) ?? "";
  const next = store.writeCommit(tree, [main], "changed\n\nand said why\n") ?? "";
  expect(store.moveRef("refs/heads/main", main, next)).toBe(true);
  expect(git(["fsck", "--strict", "--full"])).toBe("");
  expect(git(["-c", "core.quotePath=false", "ls-tree", "-r", "--name-only", "main"])).toBe(
    "a.b\na/b/c\na/ünï code",
  );
  expect(git(["log", "--format=%s", "main"])).toBe("changed\nmain as seeded");

  const made = git(["commit-tree", tree, "-p", next, "-F", "-"], "by git\n");
  git(["update-ref", "refs/heads/topic/one", made]);
  expect(store.commitOf("topic/one")).toBe(made);
  expect(store.commit(made)).toEqual({ sha: made, tree, parents: [next], message: "by git\n" });
  expect(store.entry(made, "a/b/c")?.type).toBe("blob");
  expect(store.isAncestor(main, made)).toBe(true);
  expect(store.isAncestor(made, main)).toBe(false);
});
