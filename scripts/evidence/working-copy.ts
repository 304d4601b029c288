// A clone of HEAD to plant in and to run the program in, so that no plant ever touches this checkout.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse, stringify } from "yaml";

export const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const CONFIGURATION = "tailgate.yml";

/** Removed when this process exits. */
export function cloneHead(): string {
  const folder = mkdtempSync(join(tmpdir(), "tailgate-clone-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  execFileSync("git", ["clone", "--quiet", "--no-hardlinks", ROOT, folder]);
  return folder;
}

export interface Change {
  /** Added up where a service has several. */
  faults: readonly { service: string; faults: string }[];
  /** This service and its echo scenario, and nothing else; null: all there is. */
  only: string | null;
  /** Looks instead of the configured ones: a run of so many rounds; null: as configured. */
  looks: readonly number[] | null;
  /** What p99 promises instead, a fraction; null: as configured. Its floors are half of it, as by default. */
  p99Promise: number | null;
  /** A comment more in the sources of both services. */
  rebuilt: boolean;
}

interface Configuration {
  services: Record<string, { env: Record<string, unknown> }>;
  scenarios: Record<string, unknown>;
  metrics: Record<string, unknown>;
  policy?: Record<string, unknown>;
}

/** The configuration's text, changed. */
export function changed(text: string, { faults, only, looks, p99Promise }: Change): string {
  const configuration: Configuration = parse(text);
  const { services, scenarios } = configuration;
  for (const plant of faults) {
    const service = services[plant.service];
    if (service === undefined) throw new Error(`${CONFIGURATION} has no service ${plant.service}`);
    const others = service.env.TAILGATE_FAULTS;
    service.env.TAILGATE_FAULTS = others === undefined ? plant.faults : `${others},${plant.faults}`;
  }
  if (only !== null) {
    configuration.services = { [only]: services[only] as Configuration["services"][string] };
    configuration.scenarios = { echo: scenarios.echo };
  }
  // A configuration must be able to prove something; with few rounds it can only at a generous level.
  if (looks !== null) configuration.policy = { looks, alpha: "20%" };
  if (p99Promise !== null) {
    const percent = (share: number): string => `${share * 100}%`;
    configuration.metrics.p99 = {
      promise: percent(p99Promise),
      floor: percent(p99Promise / 2),
      absoluteFloor: "5us",
    };
  }
  return stringify(configuration);
}

export const UNCHANGED = {
  faults: [],
  only: null,
  looks: null,
  p99Promise: null,
  rebuilt: false,
} satisfies Change;

/** A comment there changes no line number that a panic or a log would name. */
const SOURCES = ["services/axum-api/src/main.rs", "services/gin-api/main.go"];

/** Changes the clone's working tree; the reference stays HEAD as it is. */
export function changeTree(folder: string, change: Change): void {
  if (change.rebuilt) {
    for (const source of SOURCES) appendFileSync(join(folder, source), "// Another build.\n");
  }
  // As it is checked in, it is checked in: a working tree that was written to is another one.
  const { faults, only, looks, p99Promise } = change;
  if (faults.length === 0 && only === null && looks === null && p99Promise === null) return;
  const path = join(folder, CONFIGURATION);
  writeFileSync(path, changed(readFileSync(path, "utf8"), change));
}

export function restoreTree(folder: string): void {
  execFileSync("git", ["checkout", "--quiet", "."], { cwd: folder });
}

export interface Ran {
  /** Null: a signal ended it. */
  exitCode: number | null;
  minutes: number;
}

export interface Call {
  command: "gate" | "measure";
  args?: readonly string[];
  /** Stops it, as a signal would. */
  abort?: AbortSignal;
}

/** The program as it is checked in, against HEAD. What it leaves is in `.tailgate` of the clone. */
export async function runProgram(
  folder: string,
  { command, args = [], abort }: Call,
): Promise<Ran> {
  const started = performance.now();
  const child = spawn(
    process.execPath,
    [join(folder, "dist/cli.cjs"), command, "--reference", "HEAD", ...args],
    { cwd: folder, stdio: ["ignore", "ignore", "inherit"] },
  );
  const stop = (): boolean => child.kill("SIGTERM");
  abort?.addEventListener("abort", stop);
  const [exitCode] = await once(child, "close");
  abort?.removeEventListener("abort", stop);
  return { exitCode, minutes: (performance.now() - started) / 60_000 };
}

export const outputOf = (folder: string, name: string): string => join(folder, ".tailgate", name);
