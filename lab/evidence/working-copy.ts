// A clone of HEAD to plant in and to run the program in, so that no plant ever touches this
// checkout.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseDocument } from "yaml";
import { makeTemporaryFolder } from "../../src/machine/sys/files.ts";
import { spawnGroup } from "../../src/machine/sys/process.ts";

export const ROOT = resolve(import.meta.dirname, "../..");
/** The batches of every run that was kept. */
export const RUNS = join(ROOT, "lab/evidence/runs");

/** Removed when this process ends. */
export function cloneHead(): string {
  const folder = makeTemporaryFolder();
  execFileSync("git", ["clone", "--quiet", "--no-hardlinks", ROOT, folder]);
  return folder;
}

export const headOf = (folder: string): string =>
  execFileSync("git", ["rev-parse", "HEAD"], { cwd: folder, encoding: "utf8" }).trim();

interface Fault {
  service: string;
  /** Value of TAILGATE_FAULTS. */
  faults: string;
}

/** The configuration's text with a fault in the environment of a service. */
export const planted = (text: string, { service, faults }: Fault): string =>
  withSetting(text, service, ["env", "TAILGATE_FAULTS"], faults);

/**
 * The configuration's text with another bound on how long a service may take to be ready: all that
 * reaches its process is as it was, and yet it is not the same service.
 */
export const withOtherTimeout = (text: string, service: string): string =>
  withSetting(text, service, ["ready"], { http: "/healthz", timeout: "31s" });

function withSetting(text: string, service: string, [key = "", ...path]: string[], value: unknown) {
  const document = parseDocument(text);
  const own = ["services", service, key];
  if (!document.hasIn(own)) throw new Error(`the configuration has no ${own.join(".")}`);
  document.setIn([...own, ...path], document.createNode(value));
  return document.toString();
}

/** The configuration's text with a scenario more, of one service. */
export function withScenario(
  text: string,
  { name, path, service }: { name: string; path: string; service: string },
): string {
  const document = parseDocument(text);
  const scenario = { request: `GET ${path}`, rate: "500/s", services: [service] };
  document.setIn(["scenarios", name], document.createNode(scenario));
  return document.toString();
}

/** Writes the clone's working tree; the reference stays HEAD as it is. */
export function changeIn(folder: string, file: string, change: (text: string) => string): void {
  const path = join(folder, file);
  writeFileSync(path, change(readFileSync(path, "utf8")));
}

/** Lets the clone's program run from source, with the packages of this checkout. */
export function linkPackages(folder: string): void {
  const packages = join(folder, "node_modules");
  if (!existsSync(packages)) symlinkSync(join(ROOT, "node_modules"), packages);
}

/** As HEAD is, without the files that an edit made. */
export function restoreTree(folder: string): void {
  execFileSync("git", ["checkout", "--quiet", "."], { cwd: folder });
  execFileSync("git", ["clean", "--quiet", "--force", "-d", "services"], { cwd: folder });
}

export interface Ran {
  /** Null: a signal ended it. */
  exitCode: number | null;
  minutes: number;
  stdout: string;
  /** The last lines of both streams. */
  tail: readonly string[];
}

/** A gate by the program as it is checked in. */
export const runGate = (
  folder: string,
  args: readonly string[],
  abort: AbortSignal,
  program = join(folder, "dist/cli.cjs"),
): Promise<Ran> => runProgram(folder, [program, "gate", "--no-explain", ...args], abort);

/** A program that was told to stop ends its services and dependencies meanwhile. */
const STOPS_WITHIN_MS = 60_000;

/**
 * A script of ours, run in a clone; what it leaves is in `.tailgate` of that. `abort` stops it as a
 * signal would.
 */
export async function runProgram(
  folder: string,
  argv: readonly string[],
  abort: AbortSignal,
): Promise<Ran> {
  const started = performance.now();
  let stdout = "";
  const child = spawnGroup([process.execPath, ...argv], {
    cwd: folder,
    onStdout: (text) => {
      stdout += text;
    },
    onStderr: (text) => process.stderr.write(text),
  });
  let killing: NodeJS.Timeout | undefined;
  const stop = (): void => {
    child.signal("SIGTERM");
    killing ??= setTimeout(() => child.signal("SIGKILL"), STOPS_WITHIN_MS);
  };
  abort.addEventListener("abort", stop);
  if (abort.aborted) stop();
  const { code } = await child.exited;
  clearTimeout(killing);
  abort.removeEventListener("abort", stop);
  const minutes = (performance.now() - started) / 60_000;
  return { exitCode: code, minutes, stdout, tail: child.tail() };
}

export const outputOf = (folder: string, name: string): string => join(folder, ".tailgate", name);
