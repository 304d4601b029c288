// A command that fills a database before anything is measured.
import { throwIfStopped, UserError } from "../../../core/base/errors.ts";
import { missingProgram } from "../../sys/find-program.ts";
import { describeExit, runCommand } from "../../sys/process.ts";
import type { SeedCommand } from "./dependency.ts";
import { type DependencyStart, secondsSince } from "./start.ts";

export const SEED_TIMEOUT_MS = 10 * 60_000;
const DETAIL_LINES = 20;

/** `env`: the whole environment, with the address in it. */
export async function runSeedCommand(
  name: string,
  { argv, env, folder }: SeedCommand & { folder: string },
  start: DependencyStart,
): Promise<void> {
  const [program = ""] = argv;
  const missing = missingProgram(program, folder, env.PATH);
  if (missing !== null) {
    throw new UserError(`${name}: the seeding command could not be started: ${missing.why}`, {
      detail: missing.detail,
      next: "Correct the dependency's `seed`, or install the program.",
    });
  }
  start.progress.status(`${name}: seeding by ${program}`);
  const startedMs = start.clock.nowMs();
  const result = await runCommand(argv, {
    cwd: folder,
    env,
    timeoutMs: SEED_TIMEOUT_MS,
    abort: start.abort,
  });
  throwIfStopped(start.abort);
  if (result.code !== 0) {
    const how = result.timedOut ? "did not end within 10 minutes" : describeExit(result);
    throw new UserError(`${name}: the seeding command ${program} ${how}, expected code 0`, {
      detail: result.tail.slice(-DETAIL_LINES).join("\n"),
      next: `Correct the dependency's \`seed\`: it runs in \`dir\`, as the commit has it, without a shell.`,
    });
  }
  start.progress.note(`${name}: seeded by ${program} in ${secondsSince(startedMs, start)}`);
}
