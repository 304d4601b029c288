import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { buildEnvironment, gitEnvironment, outputShapingVariables } from "./environment.ts";

const ENV = {
  PATH: "/bin",
  HOME: "/home/a",
  GIT_DIR: "/elsewhere",
  GIT_INDEX_FILE: "/elsewhere/index",
  GIT_AUTHOR_NAME: "A",
  GITHUB_OUTPUT: "/runner/output",
  GITHUB_SHA: "abc",
  "INPUT_GITHUB-TOKEN": "secret",
  ACTIONS_RUNTIME_TOKEN: "secret",
  CARGO_TARGET_DIR: "/shared/target",
  CARGO_HOME: "/cargo",
  RUSTFLAGS: "-C target-cpu=native",
  GOFLAGS: "-trimpath",
  CARGO_INCREMENTAL: "1",
  UNSET: undefined,
};

test("a build gets neither tokens nor the runner's files nor another repository", () => {
  expect(buildEnvironment(ENV)).toEqual({
    PATH: "/bin",
    HOME: "/home/a",
    GIT_AUTHOR_NAME: "A",
    GITHUB_SHA: "abc",
    CARGO_HOME: "/cargo",
    RUSTFLAGS: "-C target-cpu=native",
    GOFLAGS: "-trimpath",
    CARGO_INCREMENTAL: "0",
  });
});

test.each([
  "npm_config_cache",
  "PIP_CACHE_DIR",
  "UV_CACHE_DIR",
  "CARGO_HOME",
  "GOMODCACHE",
  "GOCACHE",
  "GRADLE_USER_HOME",
])("a build has the cache of its package manager: %s", (name) => {
  const page = readFileSync(
    join(import.meta.dirname, "../../../docs/reproducible-builds.md"),
    "utf8",
  );
  expect(page).toContain(`\`${name}\``);
  expect(buildEnvironment({ [name]: "/cache" })).toHaveProperty(name, "/cache");
});

test("git stands where it is put and speaks English", () => {
  const env = gitEnvironment(ENV);
  expect(env).toMatchObject({ LC_ALL: "C", GIT_TERMINAL_PROMPT: "0", GIT_AUTHOR_NAME: "A" });
  expect(env).not.toHaveProperty("GIT_DIR");
  expect(env).not.toHaveProperty("GIT_INDEX_FILE");
});

test.each([
  "UV_PYTHON",
  "UV_NO_DEV",
  "PIP_NO_BINARY",
  "npm_config_omit",
  "npm_config_include",
  "npm_config_arch",
])("which packages are installed shapes the output: %s", (name) => {
  expect(outputShapingVariables({ [name]: "it" })).toEqual([`${name}=it`]);
});

test("variables that shape the output are listed in one order", () => {
  expect(outputShapingVariables(buildEnvironment(ENV))).toEqual([
    "GOFLAGS=-trimpath",
    "RUSTFLAGS=-C target-cpu=native",
  ]);
});
