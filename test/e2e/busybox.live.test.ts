// A machine without util-linux and GNU's programs, as Alpine's images are: the PATH holds BusyBox's.
import { execFileSync } from "node:child_process";
import { readlinkSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, type TestContext, test } from "vitest";
import { tryFindProgram } from "../../src/machine/sys/find-program.ts";
import { PROGRAMS } from "../../src/machine/sys/programs.ts";
import { makeFolder } from "../support/files.ts";
import type { Project } from "../support/project.ts";
import { leftBehind, samplesOf, tinyProject } from "./tiny.ts";

/** A folder of BusyBox's programs, git, and what this BusyBox was built without. */
function busyboxOnly(context: TestContext): string {
  const busybox = tryFindProgram("busybox");
  if (busybox === null) {
    console.warn("skipped: busybox not on PATH");
    return context.skip("busybox not on PATH");
  }
  const folder = makeFolder();
  execFileSync(busybox, ["--install", "-s", folder]);
  for (const name of ["git", "flock"]) {
    const own = tryFindProgram(name, folder) ?? tryFindProgram(name);
    if (own?.startsWith(folder) === false) symlinkSync(own, join(folder, name));
  }
  for (const name of ["taskset", "sleep", "grep", "tar", "sh"]) {
    expect(readlinkSync(join(folder, name))).toContain("busybox");
  }
  return folder;
}

/** Its gates find nothing else. */
function projectOn(folder: string): Project {
  const before = process.env.PATH;
  process.env.PATH = folder;
  try {
    return tinyProject({ candidate: { api: "heavy" } });
  } finally {
    process.env.PATH = before;
  }
}

test("a gate runs by BusyBox's programs", async (context) => {
  const project = projectOn(busyboxOnly(context));
  const { code, stdout, stderr } = await project.run("gate", "--seed", "1");
  expect(code, stdout + stderr).toBe(1);
  expect(samplesOf(project).rounds.every(({ failure }) => failure === null)).toBe(true);
});

test.for(PROGRAMS)(
  "without $name nothing is started, and nobody else is blamed",
  async ({ name, does }, context) => {
    const folder = busyboxOnly(context);
    const project = projectOn(folder);
    rmSync(join(folder, name));
    const gate = await project.run("gate");
    expect(gate).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`${name} is not on PATH: it ${does}`),
    });
    expect(gate.stderr).toMatch(/apk add \S+ \|\| apt-get install \S+/);
    expect(gate.stdout + gate.stderr).not.toMatch(/api|waiting/);
    expect(leftBehind(project)).toEqual([]);
    const doctor = await project.run("doctor", "--json");
    const { host } = JSON.parse(doctor.stdout);
    expect(host.findings[0]).toMatchObject({ id: "tools", level: "bad" });
  },
);
