// What every kind of dependency is started with, the start of a server that keeps data, and of a
// command that fills it.
import { throwIfStopped, UserError } from "../../../core/base/errors.ts";
import type { Clock } from "../../sys/clock.ts";
import { missingProgram } from "../../sys/find-program.ts";
import { janitor } from "../../sys/janitor.ts";
import { describeExit, runToEnd, spawnGroup } from "../../sys/process.ts";
import { waitUntilReady } from "../service/ready.ts";
import type { RunningDependency, SeedCommand } from "./dependency.ts";
import type { UnprivilegedUser } from "./server-program.ts";

export interface DependencyStart {
  /** Default: any. */
  cpus?: readonly number[];
  clock: Clock;
  abort: AbortSignal;
  progress: Readonly<Record<"note" | "status", (line: string) => void>>;
}

/** `1.4 s` */
export function secondsSince(startedMs: number, { clock }: DependencyStart): string {
  return `${((clock.nowMs() - startedMs) / 1000).toFixed(1)} s`;
}

interface ServerProgram {
  /** With its version: `Redis 7.0.15`. */
  program: string;
  /** When its start began: what comes before the program itself counts. */
  startedMs: number;
  argv: readonly string[];
  /** Whom it runs as; absent or null: as we do. */
  user?: UnprivilegedUser | null;
  /** Its own, which is removed when it has ended. */
  folder: string;
  port: number;
  /** What a line of its standard error looks like when it is ready; null: it takes connections. */
  ready: RegExp | null;
  timeoutMs: number;
  stop: { signal: NodeJS.Signals; graceMs: number };
}

/** Returns when it is ready; else nothing of it is left. */
export async function startServer(
  name: string,
  { program, startedMs, argv, user, folder, port, ready, timeoutMs, stop }: ServerProgram,
  start: DependencyStart,
): Promise<Pick<RunningDependency, "name" | "pid" | "exit" | "tail" | "stop">> {
  const { clock, abort, cpus } = start;
  let lineSeen = false;
  const onStderrLine = (line: string): void => {
    lineSeen ||= ready?.test(line) === true;
  };
  const child = spawnGroup(argv, { ...user, cwd: folder, cpus, endsAll: "with it", onStderrLine });
  const server = {
    name,
    pid: child.pid ?? 0,
    exit: child.exit,
    tail: () => child.tail().join("\n"),
    stop: async () => {
      child.signal(stop.signal);
      const killer = setTimeout(() => child.signal("SIGKILL"), stop.graceMs);
      await child.exited;
      clearTimeout(killer);
      janitor.removePath(folder);
    },
  };
  const readiness = await waitUntilReady({
    ready: ready === null ? { kind: "tcp", timeoutMs } : { kind: "log", pattern: "", timeoutMs },
    port,
    lineSeen: () => lineSeen,
    gone: () => child.exit() !== null,
    clock,
    abort,
  });
  if (readiness.kind === "ready") {
    const took = secondsSince(startedMs, start);
    start.progress.note(`${name}: ${program} on port ${port}, started in ${took}`);
    return server;
  }
  await server.stop();
  throwIfStopped(abort);
  const how =
    readiness.kind === "timeout"
      ? `was not ready within ${timeoutMs / 1000} s`
      : `${describeExit(await child.exited)} before it was ready`;
  throw new UserError(`${name}: ${program} ${how}`, { detail: server.tail() });
}

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
  const limits = { timeoutMs: SEED_TIMEOUT_MS, abort: start.abort };
  const result = await runToEnd(argv, { cwd: folder, env, ...limits, endsAll: "with us" });
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
