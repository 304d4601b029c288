// What is shipped is what the source says, and it starts.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";

const ROOT = resolve(import.meta.dirname, "..");

function run(...args: string[]): { code: number; stdout: string; stderr: string } {
  try {
    const stdout = execFileSync(process.execPath, [join(ROOT, "dist/cli.cjs"), ...args], {
      cwd: ROOT,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    });
    return { code: 0, stdout, stderr: "" };
  } catch (error) {
    const failed = error as { status: number; stdout: string; stderr: string };
    return { code: failed.status, stdout: failed.stdout, stderr: failed.stderr };
  }
}

test("dist is built from this source: npm run build", () => {
  const out = mkdtempSync(join(tmpdir(), "tailgate-dist-"));
  try {
    execFileSync(process.execPath, [join(ROOT, "scripts/build.mjs"), "--out", out]);
    for (const file of ["cli.cjs", "main.cjs", "licences.txt"]) {
      const fresh = readFileSync(join(out, file), "utf8");
      expect(readFileSync(join(ROOT, "dist", file), "utf8") === fresh, file).toBe(true);
    }
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
});

test("the version, help, and words for what is wrong", () => {
  expect(run("--version")).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^tailgate \d/),
  });
  expect(run("--help").stdout).toContain("tailgate <command> [flags]");
  expect(run("gate", "--help").stdout).toContain("--reference <revision>");
  const check = (args: string[], message: RegExp): void => {
    const { code, stderr } = run(...args);
    expect(code, args.join(" ")).toBe(2);
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/\n\s+at /);
  };
  check(["gates"], /unknown command: gates\nDid you mean gate\?/);
  check(["gate", "--refrence", "x"], /unknown flag: --refrence\nDid you mean --reference\?/);
  check(["gate", "--seed", "-1"], /--seed/);
  check(["gate", "--time-budget", "soon"], /expected a duration such as 90s or 10m/);
  check(["gate", "--compare", "best"], /expected one of auto, base, replay, stored/);
  check(["judge"], /name a samples file/);
  check(["judge", "/nowhere.json"], /cannot read the samples file \/nowhere\.json/);
  check(["judge", join(ROOT, "README.md")], /is not JSON/);
  check(["report", join(ROOT, "package.json")], /is not a report of this version/);
  check(["baseline", "forget"], /unknown: forget/);
});
