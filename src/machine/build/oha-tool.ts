// The load generator as a program on this machine: found on PATH, in the package that came with us
// or among our own tools, else brought once.
import { renameSync, rmSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { messageOf, throwIfStopped, UserError } from "../../core/base/errors.ts";
import type { OhaKernel } from "../../core/model/kernels.ts";
import { fetchFile } from "../sys/fetch-file.ts";
import { assertOurs, makeCacheFolder, makeTemporaryFolder } from "../sys/files.ts";
import { findPrograms, isExecutable, isNoexec, RUN_ELSEWHERE } from "../sys/find-program.ts";
import { janitor } from "../sys/janitor.ts";
import { describeExit, runCommand, runToEnd } from "../sys/process.ts";
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

export interface OhaPorts
  extends Pick<BuildPorts, "cache" | "env" | "clock" | "abort" | "progress"> {
  satellites: { installOha(kernel: OhaKernel): Promise<void> };
}

/** What is installed. Any version from the oldest usable one on is used when it is found. */
const VERSION = "1.16.0";
const OLDEST = [1, 14] as const;
const VERSION_TIMEOUT_MS = 10_000;
const MACHINE = `${process.platform}-${process.arch}`;
/** Below or beside our own package, where npm puts what belongs to it; beside a clone is anybody's. */
const PACKAGED = ["../node_modules", "../.."]
  .map((up) => join(import.meta.dirname, up, `tailgate-oha-${MACHINE}/bin/oha`))
  .filter((path) => path.includes("/node_modules/tailgate-oha-"));

export async function findOha(ports: Pick<OhaPorts, "cache" | "env">): Promise<OhaSearch> {
  const refused: string[] = [];
  const installed = installedPath(ports.cache);
  const onPath = findPrograms("oha", ports.env.PATH).filter((path) => isAbsolute(path));
  for (const path of [...onPath, ...[...PACKAGED, installed].filter(isExecutable)]) {
    if (path === installed) assertOurs(join(ports.cache, "tools"));
    const looked = await lookAt(path);
    if (typeof looked === "object") return { oha: looked, refused };
    refused.push(looked);
  }
  return { oha: null, refused };
}

/** The generator, installed when it is not there; `around` that. */
export async function ensureOha(
  ports: OhaPorts,
  around = (install: () => Promise<Oha>) => install(),
): Promise<Oha> {
  const { oha, refused } = await findOha(ports);
  for (const reason of refused) ports.progress.note(reason);
  return oha ?? around(() => installOha(ports));
}

/** Puts oha into the cache; it appears there whole or not at all. */
export async function installOha(ports: OhaPorts): Promise<Oha> {
  const { clock, progress, abort } = ports;
  const tools = join(ports.cache, "tools");
  makeCacheFolder(tools);
  refuseSettingsOfOthers(tools);
  const folder = makeTemporaryFolder(tools);
  if (isNoexec(folder)) {
    throw new UserError(`oha cannot be installed in ${tools}`, { next: RUN_ELSEWHERE });
  }
  try {
    await ports.satellites.installOha({
      ...{ version: VERSION, machine: MACHINE, folder, clock, progress },
      fetch: (url, maxBytes, timeoutMs) =>
        fetchFile({ url, maxBytes, timeoutMs, abort }, ports.env),
      run: async (argv, own, onStderrLine) => {
        const env = { ...buildEnvironment(ports.env), ...own };
        // Away from the repository, whose own settings are none of oha's.
        const how = { cwd: folder, env, abort, endsAll: "with us", onStderrLine } as const;
        const end = await runToEnd(argv, how);
        throwIfStopped(abort);
        const trouble = end.code === 0 ? null : describeExit(end);
        return { ...end, trouble, isMissing: end.startError?.code === "ENOENT" };
      },
    });
    keep(folder, join(tools, `oha-${VERSION}`));
  } finally {
    janitor.removePath(folder);
  }
  const installed = await lookAt(installedPath(ports.cache));
  if (typeof installed !== "string") return installed;
  const next = "Put oha 1.14 or later on PATH by hand.";
  throw new UserError(`oha was installed but does not work: ${installed}`, { next });
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

const installedPath = (cache: string): string =>
  join(cache, "tools", `oha-${VERSION}`, "bin", "oha");

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
