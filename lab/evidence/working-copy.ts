// A clone of HEAD to plant in and to run the program in, so that no plant ever touches this
// checkout.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
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

interface Fault {
  service: string;
  /** Value of TAILGATE_FAULTS. */
  faults: string;
}

/** The configuration's text with a fault in the environment of a service. */
export function planted(text: string, { service, faults }: Fault): string {
  const document = parseDocument(text);
  const path = ["services", service, "env"];
  if (!document.hasIn(path)) throw new Error(`the configuration has no ${path.join(".")}`);
  document.setIn([...path, "TAILGATE_FAULTS"], faults);
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

/** As HEAD is, without the files that an edit made. */
export function restoreTree(folder: string): void {
  execFileSync("git", ["checkout", "--quiet", "."], { cwd: folder });
  execFileSync("git", ["clean", "--quiet", "--force", "-d", "services"], { cwd: folder });
}

export interface Ran {
  /** Null: a signal ended it. */
  exitCode: number | null;
  minutes: number;
}

/**
 * A gate by the program as it is checked in. What it leaves is in `.tailgate` of the clone. `abort`
 * stops it as a signal would.
 */
export async function runGate(
  folder: string,
  args: readonly string[],
  abort: AbortSignal,
  program = join(folder, "dist/cli.cjs"),
): Promise<Ran> {
  const started = performance.now();
  const child = spawnGroup([process.execPath, program, "gate", "--no-explain", ...args], {
    cwd: folder,
    onStderr: (text) => process.stderr.write(text),
  });
  const stop = (): void => child.signal("SIGTERM");
  abort.addEventListener("abort", stop);
  const { code } = await child.exited;
  abort.removeEventListener("abort", stop);
  return { exitCode: code, minutes: (performance.now() - started) / 60_000 };
}

export const outputOf = (folder: string, name: string): string => join(folder, ".tailgate", name);
