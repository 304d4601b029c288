// One launch of a service: start, ready, freeze, thaw, stop. Its own process group, known to the janitor from the start.
import type { Recipe } from "../../model/config.ts";
import type { Clock } from "../../sys/clock.ts";
import { type ChildGroup, type Exit, spawnGroup } from "../../sys/process.ts";
import { readProcessTree } from "../probe/process-tree.ts";
import { findFreePort } from "./free-port.ts";
import { waitUntilReady } from "./ready.ts";

/** What an arm of a service is started from. */
export interface ServiceTarget {
  recipe: Recipe;
  /** Absolute folder of the service. */
  folder: string;
  /** Absolute path of the built artifact; null when there is none. */
  artifact: string | null;
}

export interface LaunchOptions {
  cpus: readonly number[];
  clock: Clock;
  abort: AbortSignal;
}

export type LaunchResult =
  | { kind: "running"; service: RunningService }
  | { kind: "failed"; reason: "start" | "not-ready"; text: string; detail: string };

/** A port can be taken between finding it free and the service's bind. */
const PORT_ATTEMPTS = 3;
/** Only these of our variables reach a service: its environment must not depend on who started the gate. */
const INHERITED = ["PATH", "HOME", "LANG"] as const;
const STOPPED_STATES = new Set(["T", "t"]);

export class RunningService {
  readonly pid: number;
  readonly port: number;
  /** From spawn to the first answer that says ready. */
  readonly startupMs: number;
  readonly #child: ChildGroup;
  readonly #stop: Recipe["stop"];
  readonly #clock: Clock;

  constructor(
    child: ChildGroup,
    facts: { pid: number; port: number; startupMs: number; stop: Recipe["stop"]; clock: Clock },
  ) {
    this.#child = child;
    this.pid = facts.pid;
    this.port = facts.port;
    this.startupMs = facts.startupMs;
    this.#stop = facts.stop;
    this.#clock = facts.clock;
  }

  /** Null while it runs. */
  exit(): Exit | null {
    return this.#child.exit();
  }

  /** How it ended, in words. */
  fate(): string {
    const exit = this.exit();
    if (exit === null) return "is running";
    return exit.signal === null ? `exited with code ${exit.code}` : `was ended by ${exit.signal}`;
  }

  tail(): string {
    return this.#child.tail().join("\n");
  }

  /** Stops every process of the group and returns once the kernel has stopped them all. */
  async freeze(): Promise<void> {
    this.#child.signal("SIGSTOP");
    while (this.exit() === null) {
      const tree = readProcessTree(this.pid);
      if (tree.every(({ state }) => STOPPED_STATES.has(state))) return;
      await this.#clock.sleep(1);
    }
  }

  thaw(): void {
    this.#child.signal("SIGCONT");
  }

  /** The recipe's signal, its grace, then SIGKILL. Returns when the process is gone. */
  async stop(): Promise<void> {
    if (this.exit() !== null) return;
    this.#child.signal(this.#stop.signal);
    // A stopped process takes the signal when it goes on.
    this.thaw();
    const killer = setTimeout(() => this.#child.signal("SIGKILL"), this.#stop.graceMs);
    await this.#child.exited;
    clearTimeout(killer);
  }
}

export async function launchService(
  target: ServiceTarget,
  options: LaunchOptions,
): Promise<LaunchResult> {
  let result = await launchOnce(target, options);
  for (let attempt = 1; attempt < PORT_ATTEMPTS && portWasTaken(target, result); attempt++) {
    result = await launchOnce(target, options);
  }
  return result;
}

function portWasTaken({ recipe }: ServiceTarget, result: LaunchResult): boolean {
  return (
    recipe.port === null &&
    result.kind === "failed" &&
    /address (already )?in use|EADDRINUSE/i.test(result.detail)
  );
}

async function launchOnce(target: ServiceTarget, options: LaunchOptions): Promise<LaunchResult> {
  const { recipe } = target;
  const { clock } = options;
  const port = recipe.port ?? (await findFreePort());
  const fill = (text: string): string =>
    text
      .replaceAll("{port}", String(port))
      .replaceAll("{artifact}", target.artifact ?? "")
      .replaceAll("{dir}", target.folder);
  const wanted = recipe.ready.kind === "log" ? new RegExp(recipe.ready.pattern) : null;
  let lineSeen = false;
  const startedMs = clock.nowMs();
  const child = spawnGroup(recipe.run.map(fill), {
    cwd: target.folder,
    env: environmentOf(recipe, fill),
    cpus: options.cpus,
    ...(wanted === null
      ? {}
      : {
          onStdoutLine: (line: string) => {
            lineSeen ||= wanted.test(line);
          },
        }),
  });
  const { pid } = child;
  if (pid === undefined) {
    const exit = await child.exited;
    return failure(
      "start",
      `could not be started: ${exit.startError?.message ?? "unknown"}`,
      child,
    );
  }
  const readiness = await waitUntilReady({
    ready: recipe.ready,
    port,
    lineSeen: () => lineSeen,
    gone: () => child.exit() !== null,
    clock,
    abort: options.abort,
  });
  if (readiness.kind === "ready") {
    const startupMs = clock.nowMs() - startedMs;
    return {
      kind: "running",
      service: new RunningService(child, { pid, port, startupMs, stop: recipe.stop, clock }),
    };
  }
  child.signal("SIGKILL");
  const exit = await child.exited;
  if (readiness.kind === "timeout") {
    return failure(
      "not-ready",
      `was not ready within ${recipe.ready.timeoutMs / 1000} s: ${readiness.last}`,
      child,
    );
  }
  const how = exit.signal === null ? `code ${exit.code}` : exit.signal;
  return failure("start", `ended with ${how} before it was ready`, child);
}

function failure(reason: "start" | "not-ready", text: string, child: ChildGroup): LaunchResult {
  return { kind: "failed", reason, text, detail: child.tail().join("\n") };
}

function environmentOf(recipe: Recipe, fill: (text: string) => string): Record<string, string> {
  const env: Record<string, string> = {};
  for (const name of INHERITED) {
    const value = process.env[name];
    if (value !== undefined) env[name] = value;
  }
  for (const [name, value] of Object.entries(recipe.env)) env[name] = fill(value);
  return env;
}
