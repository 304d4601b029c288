// What cargo keeps between builds must never pass off one arm's code as the other's.
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import {
  edit,
  failedBuild,
  jobOf,
  makeProject,
  type Project,
} from "../../../test/support/build-project.ts";
import { buildArtifacts } from "./build.ts";

/**
 * A cargo that believes in time stamps, as the real one does, and says when it compiles the
 * dependencies.
 */
const CARGO = `#!${process.execPath}
const fs = require("node:fs");
if (process.argv[2] === "-V") { console.log("cargo 1.0.0"); process.exit(); }
fs.mkdirSync("target/release", { recursive: true });
console.error(fs.existsSync("target/dependencies") ? "dependencies fresh" : "dependencies compiled");
fs.writeFileSync("target/dependencies", "");
if (process.argv[2] === "refuse") process.exit(101);
if (process.argv[2] === "die") process.kill(process.pid, "SIGKILL");
const stamp = "target/stamp";
const isFresh = fs.existsSync(stamp) && fs.statSync("source.txt").mtimeMs <= fs.statSync(stamp).mtimeMs;
if (!isFresh) fs.copyFileSync("source.txt", "target/object");
fs.writeFileSync(stamp, "");
if (process.argv[2] !== "check") fs.copyFileSync("target/object", "target/release/api");
`;

describe("cargo", () => {
  async function makeCargoProject(): Promise<Project> {
    const project = await makeProject(edit);
    project.cache.write("bin/cargo", CARGO, { mode: 0o755 });
    project.cache.write("bin/rustc", "#!/bin/sh\necho rustc 1.0.0\n", { mode: 0o755 });
    project.ports.env = {
      ...process.env,
      PATH: `${project.cache.path}/bin:${process.env.PATH}`,
      CARGO_TARGET_DIR: "/elsewhere",
    };
    return project;
  }
  const RECIPE = { build: ["cargo", "build"], artifact: "target/release/api" };

  test("compiles dependencies once and never passes off one arm's code as the other's", async () => {
    using project = await makeCargoProject();
    const other = { ...RECIPE, build: ["cargo", "build", "--other"] };
    const built = await buildArtifacts(
      [
        jobOf(project, "candidate", RECIPE),
        jobOf(project, "reference", RECIPE),
        // Its checkout is older than what the reference's build left.
        jobOf(project, "candidate", other),
        jobOf(project, "reference", other),
      ],
      project.ports,
    );
    expect(built.map(({ path }) => readFileSync(path ?? "", "utf8"))).toEqual([
      "two",
      "one",
      "two",
      "one",
    ]);
    expect(project.ports.statuses.filter((line) => line.endsWith("compiled"))).toHaveLength(1);
    expect(project.ports.statuses.filter((line) => line.endsWith("fresh"))).toHaveLength(3);
  });

  test.each([
    ["refuse", "fresh"],
    ["die", "compiled"],
  ])("after a build that was to %s, the next finds dependencies %s", async (how, found) => {
    using project = await makeCargoProject();
    await failedBuild(project, { ...RECIPE, build: ["cargo", how] });
    project.ports.statuses.length = 0;
    await buildArtifacts([jobOf(project, "candidate", RECIPE)], project.ports);
    expect(project.ports.statuses.filter((line) => line.endsWith(found))).toHaveLength(1);
  });

  test("does not leave an earlier artifact where a build made none", async () => {
    using project = await makeCargoProject();
    await buildArtifacts([jobOf(project, "candidate", RECIPE)], project.ports);
    const failure = await failedBuild(project, { ...RECIPE, build: ["cargo", "check"] });
    expect(failure.message).toContain("made no service/target/release/api");
  });
});
