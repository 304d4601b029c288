// What `uses:` downloads in every job: small, and enough to run.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { makeTestFolder } from "./support/build.ts";

const ROOT = resolve(import.meta.dirname, "..");
const MOST_BYTES = 450_000;

test("the archive of a commit is at most 450 kB and runs by itself", () => {
  using temporary = makeTestFolder();
  const folder = temporary.path;
  const archive = execFileSync("git", ["archive", "--worktree-attributes", "HEAD"], {
    cwd: ROOT,
    maxBuffer: 64_000_000,
  });
  expect(gzipSync(archive).length).toBeLessThanOrEqual(MOST_BYTES);
  execFileSync("tar", ["x"], { cwd: folder, input: archive });

  const { runs } = parse(readFileSync(join(folder, "action.yml"), "utf8"));
  const programs = [runs.main, runs.pre, runs.post].filter((path) => path !== undefined);
  expect(programs).not.toEqual([]);
  for (const path of [...programs, "LICENSE", "dist/licences.txt"]) {
    expect(existsSync(join(folder, path)), path).toBe(true);
  }
  const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const printed = execFileSync(process.execPath, ["dist/cli.cjs", "--version"], { cwd: folder });
  expect(printed.toString()).toContain(version);
});
