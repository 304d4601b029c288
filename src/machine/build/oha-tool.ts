// The load generator as a program on this machine: found on PATH or among our own tools, else
// compiled once.
import { renameSync, rmSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { messageOf, UserError } from "../../core/base/errors.ts";
import { assertOurs, makeCacheFolder, makeTemporaryFolder } from "../sys/files.ts";
import { findPrograms, isExecutable, isNoexec, RUN_ELSEWHERE } from "../sys/find-program.ts";
import { janitor } from "../sys/janitor.ts";
import { runCommand, runToEnd } from "../sys/process.ts";
import type { BuildPorts } from "./build.ts";
import { buildEnvironment } from "./environment.ts";
import { refuseSettingsOfOthers } from "./obeyed-above.ts";

interface Oha {
  /** Absolute. */
  path: string;
  version: string;
}

interface OhaSearch {
  oha: Oha | null;
  /** Programs named oha that cannot be used, each with the reason. */
  refused: string[];
}

export type OhaPorts = Pick<BuildPorts, "cache" | "env" | "clock" | "abort" | "progress">;

/** What is installed. Any version from the oldest usable one on is used when it is found. */
const VERSION = "1.16.0";
const OLDEST = [1, 14] as const;
const VERSION_TIMEOUT_MS = 10_000;
const TAIL_LINES = 20;

const BY_HAND =
  "Or put oha 1.14 or later on PATH by hand: `brew install oha`, `cargo binstall oha`, or a binary from https://github.com/hatoo/oha/releases.";

export async function findOha(ports: Pick<OhaPorts, "cache" | "env">): Promise<OhaSearch> {
  const refused: string[] = [];
  const installed = installedPath(ports.cache);
  const found = findPrograms("oha", ports.env.PATH).filter((path) => isAbsolute(path));
  for (const path of isExecutable(installed) ? [...found, installed] : found) {
    if (path === installed) assertOurs(join(ports.cache, "tools"));
    const looked = await lookAt(path);
    if (typeof looked === "object") return { oha: looked, refused };
    refused.push(looked);
  }
  return { oha: null, refused };
}

/** The generator, installed when it is not there. */
export async function ensureOha(ports: OhaPorts): Promise<Oha> {
  const { oha, refused } = await findOha(ports);
  for (const reason of refused) ports.progress.note(reason);
  return oha ?? installOha(ports);
}

/**
 * Compiles oha into the cache; it appears there whole or not at all. About 7 minutes on two cores.
 */
export async function installOha(ports: OhaPorts): Promise<Oha> {
  const { clock, progress, abort } = ports;
  const tools = join(ports.cache, "tools");
  makeCacheFolder(tools);
  refuseSettingsOfOthers(tools);
  const partial = makeTemporaryFolder(tools);
  if (isNoexec(partial)) {
    throw new UserError(`oha cannot be installed in ${tools}`, { next: RUN_ELSEWHERE });
  }
  progress.note(`installing oha ${VERSION} (once; about 7 minutes on two cores)`);
  const beganMs = clock.nowMs();
  let crates = 0;
  try {
    const result = await runToEnd(
      // Without its default features this version does not compile.
      ["cargo", "install", "oha", "--version", VERSION, "--locked", "--root", partial],
      {
        // Away from the repository, whose own cargo settings are none of oha's.
        cwd: partial,
        env: {
          ...buildEnvironment(ports.env),
          // Link-time optimisation doubles the time and gains nothing here.
          CARGO_PROFILE_RELEASE_LTO: "off",
          CARGO_TARGET_DIR: join(partial, "target"),
          CARGO_TERM_COLOR: "never",
          CARGO_TERM_PROGRESS_WHEN: "never",
        },
        abort,
        onStderrLine: (line) => {
          const crate = /^\s*Compiling (\S+)/.exec(line)?.[1];
          if (crate === undefined) return;
          crates += 1;
          progress.status(
            `oha: ${elapsed(clock.nowMs() - beganMs)}, ${crates} crates compiled, now ${crate}`,
          );
        },
      },
    );
    if (abort.aborted) {
      throw new UserError("the installation of oha was interrupted", {}, "interrupted");
    }
    if (result.startError?.code === "ENOENT") {
      throw new UserError(
        "the load generator oha is not there, and cargo, which installs it, is not on PATH",
        { next: `Install Rust from https://rustup.rs and try again. ${BY_HAND}` },
      );
    }
    if (result.code !== 0) {
      const how =
        result.startError?.message ?? `cargo install ended with ${result.code ?? result.signal}`;
      throw new UserError(
        `oha ${VERSION} could not be installed after ${elapsed(clock.nowMs() - beganMs)}: ${how}`,
        { detail: result.tail.slice(-TAIL_LINES).join("\n"), next: BY_HAND },
      );
    }
    rmSync(join(partial, "target"), { recursive: true, force: true });
    keep(partial, join(tools, `oha-${VERSION}`));
  } finally {
    janitor.removePath(partial);
  }
  const installed = await lookAt(installedPath(ports.cache));
  if (typeof installed === "string") {
    throw new UserError(`oha was installed but does not work: ${installed}`, { next: BY_HAND });
  }
  progress.note(`oha ${installed.version} installed in ${elapsed(clock.nowMs() - beganMs)}`);
  return installed;
}

function keep(partial: string, place: string): void {
  try {
    // Whatever stands there was just found unusable.
    rmSync(place, { recursive: true, force: true });
    renameSync(partial, place);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Another process was faster, with the same version.
    if (code === "ENOTEMPTY" || code === "EEXIST") return;
    throw new UserError(`cannot keep oha in ${place}: ${messageOf(error)}`);
  }
}

function installedPath(cache: string): string {
  return join(cache, "tools", `oha-${VERSION}`, "bin", "oha");
}

/** The program at `path`, or why it cannot be used. */
async function lookAt(path: string): Promise<Oha | string> {
  const result = await runCommand([path, "--version"], { timeoutMs: VERSION_TIMEOUT_MS });
  const version = /^oha (\d+\.\d+\.\d+\S*)/m.exec(result.stdout)?.[1];
  if (result.code !== 0 || version === undefined) {
    return `${path} is not used: it does not tell its version (${result.tail.at(-1) ?? result.startError?.message ?? "no output"})`;
  }
  const refusal = refusalOf(version);
  return refusal === null ? { path, version } : `${path} is not used: ${refusal}`;
}

/** Why a version cannot be used; null when it can. */
export function refusalOf(version: string): string | null {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const isOld = major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1]);
  if (!isOld) return null;
  return `oha ${version} is older than ${OLDEST.join(".")}, before which latency correction was applied the wrong way round in runs limited by time`;
}

function elapsed(ms: number): string {
  const seconds = Math.round(ms / 1000);
  return seconds < 90 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
