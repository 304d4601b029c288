// One launch of a service: a port, the start, waiting until it is ready.
import type { Recipe } from "../../model/config.ts";
import type { Clock } from "../../sys/clock.ts";
import { type ChildGroup, spawnGroup } from "../../sys/process.ts";
import { findFreePort } from "./free-port.ts";
import { isPortTaken, waitUntilReady } from "./ready.ts";
import { RunningService } from "./running-service.ts";

/** What an arm of a service is started from. */
export interface ServiceTarget {
  recipe: Recipe;
  /** Absolute folder of the service. */
  folder: string;
  /** Absolute path of the built artifact; null when there is none. */
  artifact: string | null;
}

export interface LaunchOptions {
  /** Default: any. */
  cpus?: readonly number[];
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
  if (recipe.port !== null && (await isPortTaken(recipe.port))) {
    return {
      kind: "failed",
      reason: "start",
      text: `was not started: another process listens on its port ${recipe.port}`,
      detail: "",
    };
  }
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
    ...(options.cpus === undefined ? {} : { cpus: options.cpus }),
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
