// A clone of HEAD to plant in and to run the program in, so that no plant ever touches this checkout.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const CONFIGURATION = "tailgate.yml";

/** Removed when this process exits. */
export function cloneHead(): string {
  const folder = mkdtempSync(join(tmpdir(), "tailgate-clone-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  execFileSync("git", ["clone", "--quiet", "--no-hardlinks", ROOT, folder]);
  return folder;
}

/** The configuration's text with one more variable in the environment of one service. */
export function withFaults(text: string, service: string, faults: string): string {
  const env = new RegExp(`(\\n  ${service}:\\n(?:    .*\\n)*?    env: \\{ )`);
  if (!env.test(text)) throw new Error(`${CONFIGURATION} has no env under ${service}`);
  return text.replace(env, `$1TAILGATE_FAULTS: "${faults}", `);
}

export interface Change {
  faults: readonly { service: string; faults: string }[];
  /** Looks instead of the configured ones: a run of so many rounds; null: as configured. */
  looks: readonly number[] | null;
}

/** Changes the clone's working tree; the reference stays HEAD as it is. */
export function changeConfiguration(folder: string, { faults, looks }: Change): void {
  const path = join(folder, CONFIGURATION);
  let text = readFileSync(path, "utf8");
  for (const plant of faults) text = withFaults(text, plant.service, plant.faults);
  // A configuration must be able to prove something; with few rounds it can only at a generous level.
  if (looks !== null) text += `\npolicy: { looks: [${looks.join(", ")}], alpha: 20% }\n`;
  writeFileSync(path, text);
}

export function restoreConfiguration(folder: string): void {
  execFileSync("git", ["checkout", "--quiet", CONFIGURATION], { cwd: folder });
}

export interface Ran {
  /** Null: a signal ended it. */
  exitCode: number | null;
  minutes: number;
}

export interface Call {
  command: "gate" | "measure";
  args: readonly string[];
  /** Stops it, as a signal would. */
  abort?: AbortSignal;
}

/** The program as it is checked in, against HEAD. What it leaves is in `.tailgate` of the clone. */
export async function runProgram(folder: string, { command, args, abort }: Call): Promise<Ran> {
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
