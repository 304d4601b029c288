// Builds that fail: what a person is told, and what is left.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  edit,
  failedBuild,
  failureOf,
  jobOf,
  leave,
  makeProject,
} from "../../../test/support/build-project.ts";
import type { Recipe } from "../../core/model/config.ts";
import { buildArtifacts } from "./build.ts";

const node = (script: string): string[] => [process.execPath, "--eval", script];

describe("a failing build", () => {
  test("shows the tool's own last lines and what to do", async () => {
    using project = await makeProject(edit);
    const script = "for (let i = 1; i <= 30; i++) console.error('line ' + i); process.exit(3)";
    const failure = await failedBuild(project, { build: node(script) });
    expect(failure.message).toMatch(
      /^build of api \(candidate, [0-9a-f]{7} with uncommitted changes\) failed after \d\.\d s: .*node exited with code 3$/,
    );
    expect(failure.detail?.split("\n")).toHaveLength(20);
    expect(failure.detail).toMatch(/^line 11\n.*line 30$/s);
    expect(failure.next).toMatch(/^Run it by hand: cd service && /);
    expect(failure.kind).toBe("usage");
    expect(project.ports.statuses.at(-1)).toMatch(/^api \(candidate\): \d\.\d s: line 30$/);
    expect(existsSync(join(project.cache.path, "artifacts"))).toBe(true);
    expect(readdirSync(join(project.cache.path, "artifacts"))).toEqual([]);
  });

  test("is told by its last lines, however much it has printed", async () => {
    using project = await makeProject(edit);
    const script = "head -c 600000000 /dev/zero; echo; echo the end; exit 3";
    const failure = await failedBuild(project, { build: ["sh", "-c", script] });
    expect(failure.message).toMatch(/ failed after \d+\.?\d* s: sh exited with code 3$/);
    expect(failure.detail).toMatch(/\nthe end$/);
  });

  test("is told by its time alone while its line is empty", async () => {
    using project = await makeProject(edit);
    await failedBuild(project, { build: node("console.log(' '); process.exit(3)") });
    expect(project.ports.statuses).toEqual([
      expect.stringMatching(/^api \(candidate\): \d\.\d s$/),
    ]);
  });

  test("of the reference offers another one", async () => {
    using project = await makeProject(edit);
    const failure = await failedBuild(project, { build: ["cp", "none", "artifact"] }, "reference");
    expect(failure.message).toMatch(
      /^build of api \(reference, [0-9a-f]{7}\) failed after 0\.\d s: cp none exited with code 1$/,
    );
    expect(failure.detail).toContain("none");
    expect(failure.next).toMatch(/^Choose a reference that builds/);
  });

  test("stops the other arm", async () => {
    using project = await makeProject(edit, { cores: 4 });
    const beganMs = performance.now();
    const failure = await failureOf(
      buildArtifacts(
        [
          jobOf(project, "candidate", { build: ["sleep", "60"] }),
          jobOf(project, "reference", { build: ["false"] }),
        ],
        project.ports,
      ),
    );
    expect(failure.message).toContain("reference");
    expect(performance.now() - beganMs).toBeLessThan(20_000);
  });

  const FAULTS: [string, Partial<Recipe>, RegExp, RegExp][] = [
    [
      "a missing program",
      { build: ["tailgate-none"] },
      /^the build of api \(candidate, .*\) could not be started: there is no tailgate-none on PATH$/,
      /Install tailgate-none/,
    ],
    [
      "a missing script",
      { build: ["./none.sh"] },
      /^the build of api \(.*\) could not be started: there is no \/.*\/service\/none\.sh$/,
      /correct the build command/,
    ],
    [
      "an end with an error, of what runs where it is built",
      { build: ["false"], artifact: null },
      /^build of api \(candidate, .*\) failed after \d\.\d s: false exited with code 1$/,
      /^Run it by hand/,
    ],
    [
      "no artifact",
      { artifact: "bin/api" },
      /succeeded but made no service\/bin\/api$/,
      /Correct the service's `artifact`/,
    ],
    [
      "an artifact that is a folder",
      { build: ["mkdir", "artifact"] },
      /service\/artifact is not a file$/,
      /`artifact`/,
    ],
    [
      "a folder that is not there",
      { dir: "none" },
      /^api \(candidate, .*\) has no folder none$/,
      /`dir`/,
    ],
    [
      "a folder that is a file",
      { dir: "service/source.txt" },
      /has no folder service\/source\.txt$/,
      /`dir`/,
    ],
    [
      "a build that is killed",
      { build: node("process.kill(process.pid, 'SIGKILL')") },
      /was ended by SIGKILL$/,
      /memory/,
    ],
  ];
  test.each(FAULTS)("%s", async (_, recipe, message, next) => {
    using project = await makeProject(leave);
    const failure = await failedBuild(project, recipe);
    expect(failure.name).toBe("UserError");
    expect(failure.message).toMatch(message);
    expect(failure.next).toMatch(next);
  });

  const SIMILAR: [string, Partial<Recipe>, string][] = [
    ["of that name in another folder", { artifact: "bin/artifact" }, "`artifact: artifact`"],
    ["of a like name", { build: ["touch", "my-api"], artifact: "api" }, "`artifact: my-api`"],
    [
      "of that name in two folders",
      { build: ["sh", "-c", "mkdir -p x y; touch x/api y/api"], artifact: "api" },
      "`artifact: x/api` or `artifact: y/api`",
    ],
    [
      "below a folder of that name",
      { build: ["sh", "-c", "mkdir -p api; touch api/api"], artifact: "api" },
      "`artifact: api/api`",
    ],
  ];
  test.each(SIMILAR)("a file %s is what to write instead", async (_, recipe, line) => {
    using project = await makeProject(leave);
    const failure = await failedBuild(project, recipe);
    expect(failure.next).toBe(`Correct the service's \`artifact\`: write ${line}.`);
  });

  test("a script whose interpreter is missing names it", async () => {
    using project = await makeProject((repository) => {
      repository.write("service/make", "#! /no/such/shell -e\n", { mode: 0o755 });
    });
    const failure = await failedBuild(project, { build: ["./make"] });
    expect(failure.message).toMatch(
      /^the build of api \(.*\) could not be started: there is no \/no\/such\/shell, which runs \/.*\/service\/make$/,
    );
    expect(failure.next).toContain("correct the build command");
  });

  test("a missing program: where it was looked for", async () => {
    using project = await makeProject(leave);
    const failure = await failureOf(
      buildArtifacts([jobOf(project, "candidate", { build: ["tailgate-none"] })], {
        ...project.ports,
        env: { ...process.env, PATH: "/none" },
      }),
    );
    expect(failure.detail).toBe("searched PATH=/none");
  });

  test("a missing artifact's neighbours are named", async () => {
    using project = await makeProject(leave);
    const failure = await failedBuild(project, { artifact: "bin/deep/api" });
    expect(failure.detail).toBe("service holds: artifact, source.txt");
  });
});
