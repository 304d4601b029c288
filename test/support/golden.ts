// Golden files: what a person reads is kept as a file and reviewed as one. UPDATE_GOLDEN=1 rewrites them.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, extname, join, resolve } from "node:path";

const GOLDEN = resolve(import.meta.dirname, "../golden");

/**
 * Fails with a unified diff when `actual` differs from the file, and leaves what it got beside it as `name.got.ext`.
 * `path` is relative to test/golden.
 */
export function checkGolden(path: string, actual: string): void {
  const expected = join(GOLDEN, path);
  const extension = extname(expected);
  const got = `${expected.slice(0, expected.length - extension.length)}.got${extension}`;
  if (process.env.UPDATE_GOLDEN === "1") {
    mkdirSync(dirname(expected), { recursive: true });
    writeFileSync(expected, actual);
    rmSync(got, { force: true });
    return;
  }
  if (existsSync(expected) && readFileSync(expected, "utf8") === actual) {
    rmSync(got, { force: true });
    return;
  }
  mkdirSync(dirname(got), { recursive: true });
  writeFileSync(got, actual);
  const advice = `${got} holds what was got; UPDATE_GOLDEN=1 accepts it.`;
  const error = new Error(
    existsSync(expected)
      ? `${path} differs\n${unifiedDiff(expected, got)}\n${advice}`
      : `${path} does not exist. ${advice}`,
  );
  // The diff is the message; where in this file it was thrown helps nobody.
  error.stack = error.message;
  throw error;
}

function unifiedDiff(expected: string, got: string): string {
  const { stdout } = spawnSync(
    "git",
    ["--no-pager", "diff", "--no-index", "--no-color", "--no-ext-diff", "--", expected, got],
    { encoding: "utf8", maxBuffer: 1 << 26 },
  );
  return stdout.split("\n").slice(0, 200).join("\n");
}
