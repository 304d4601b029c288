// What a run changes in the clone: another build in both services where it is asked for, and nothing of it when the run is over.
import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { changeTree, ROOT, restoreTree, UNCHANGED } from "../../scripts/evidence/working-copy.ts";
import { makeTestFolder } from "../../src/build/testing.ts";

const git = (folder: string, ...args: string[]): string =>
  execFileSync("git", args, { cwd: folder, encoding: "utf8" });

test.each([
  ["nothing", {}, []],
  ["two builds", { rebuilt: true }, ["services/axum-api/src/main.rs", "services/gin-api/main.go"]],
  ["one scenario", { only: "gin-api" }, ["tailgate.yml"]],
] as const)("%s", (_, change, expected) => {
  using temporary = makeTestFolder();
  const folder = temporary.path;
  git(folder, "clone", "--quiet", "--no-hardlinks", ROOT, ".");
  changeTree(folder, { ...UNCHANGED, ...change });
  expect(git(folder, "diff", "--name-only").split("\n").filter(Boolean)).toEqual(expected);
  restoreTree(folder);
  expect(git(folder, "status", "--porcelain")).toBe("");
});
