// The environment of a build, and the part of it that the build's outcome hangs on. Both arms get
// the same one. Takes the environment as a value, never reads it.

import { RUNNER_PRIVATE } from "../sys/runner-private.ts";

/** Where git commands look instead of at the repository they stand in, as hooks set it. */
const GIT_PLACE =
  /^GIT_(DIR|WORK_TREE|INDEX_FILE|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|COMMON_DIR|PREFIX|NAMESPACE|QUARANTINE_PATH)$/;

/** The files through which a step speaks to its runner: a build could write a verdict there. */
const RUNNER_FILES = /^GITHUB_(ENV|PATH|OUTPUT|STATE|STEP_SUMMARY)$/;

/**
 * The recipe names the artifact relative to the service's folder: a target folder elsewhere would
 * hide it.
 */
const CARGO_PLACE = /^CARGO_(BUILD_)?TARGET_DIR$/;

/** Variables that change what compilers make. */
const SHAPES_OUTPUT =
  /^(RUSTC(_.*)?|RUSTFLAGS|RUSTUP_TOOLCHAIN|CARGO_(ENCODED_RUSTFLAGS|BUILD_.*|PROFILE_.*|TARGET_.*)|GO(OS|ARCH|AMD64|ARM64|FLAGS|EXPERIMENT|TOOLCHAIN)|CGO_.*|CC|CXX|LD|AR|(C|CPP|CXX|LD)FLAGS|SOURCE_DATE_EPOCH|NODE_(ENV|OPTIONS)|UV_(PYTHON|NO_DEV)|PIP_NO_BINARY|npm_config_(omit|include|arch))$/;

function without(env: NodeJS.ProcessEnv, ...patterns: RegExp[]): Record<string, string> {
  const given = Object.entries(env).filter((one): one is [string, string] => one[1] !== undefined);
  return Object.fromEntries(given.filter(([name]) => !patterns.some((it) => it.test(name))));
}

/**
 * For git: the repository it stands in, messages that can be recognised, no questions asked, no
 * lock taken to read.
 */
export function gitEnvironment(env: NodeJS.ProcessEnv): Record<string, string> {
  return {
    ...without(env, GIT_PLACE),
    LC_ALL: "C",
    LANGUAGE: "",
    GIT_TERMINAL_PROMPT: "0",
    GIT_OPTIONAL_LOCKS: "0",
  };
}

export function buildEnvironment(env: NodeJS.ProcessEnv): Record<string, string> {
  return {
    ...without(env, GIT_PLACE, RUNNER_PRIVATE, RUNNER_FILES, CARGO_PLACE),
    // Incremental compilation may split the same code into other units than a build from nothing
    // does.
    CARGO_INCREMENTAL: "0",
  };
}

/** `NAME=value` of everything in a build's environment that shapes its output, sorted. */
export function outputShapingVariables(env: Record<string, string>): string[] {
  return Object.entries(env)
    .filter(([name]) => SHAPES_OUTPUT.test(name))
    .map(([name, value]) => `${name}=${value}`)
    .sort();
}
