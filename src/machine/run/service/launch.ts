// One launch of a service: a port, the start, waiting until it is ready.
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Recipe } from "../../../core/model/config.ts";
import type { Address, RunningTransport } from "../../../core/slice/load.ts";
import { Secrets } from "../../../core/text/secrets.ts";
import type { Clock } from "../../sys/clock.ts";
import { makeTemporaryFolder, memoryFolder } from "../../sys/files.ts";
import { missingProgram } from "../../sys/find-program.ts";
import { type ChildGroup, spawnGroup } from "../../sys/process.ts";
import { describeListening, readListeningPorts } from "../probe/listening-ports.ts";
import { readCpuMsOfTrees } from "../probe/process-tree.ts";
import { runBefore } from "./before.ts";
import { findFreePort } from "./free-port.ts";
import { isPortTaken, waitUntilReady } from "./ready.ts";
import { RunningService, removeSocket } from "./running-service.ts";

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
  /** Gets what `before` gives. Default: nobody asks. */
  secrets?: Secrets | undefined;
  onSecret?: ((value: string) => void) | undefined;
}

export type LaunchResult =
  | { kind: "running"; service: RunningService }
  | {
      kind: "failed";
      reason: "start" | "not-ready";
      text: string;
      detail: string;
      /**
       * What to correct, where the service was not started as it needs to be; absent: it failed by
       * itself.
       */
      next?: string;
      /** Ports that it listened on when it was given up; absent: it had ended, or never began. */
      listening?: readonly number[];
    };

/** A port can be taken between finding it free and the service's bind. */
const PORT_ATTEMPTS = 3;
/**
 * Only these of our variables reach a service: its environment must not depend on who started the
 * gate.
 */
const INHERITED = ["PATH", "HOME", "LANG"] as const;
const MINIMAL_ENVIRONMENT = ` Its environment is minimal: ${INHERITED.join(", ")} as the gate has them, and what \`env\` says.`;

/** By hand a daemon starts and answers: nobody would see what is wrong. */
const STAY =
  "Run the service in the foreground: what `run` starts must not end while it serves, nor become a daemon.";

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
  if (recipe.port !== null && (await isPortTaken(recipe.port))) {
    return {
      kind: "failed",
      reason: "start",
      text: `was not started: another process listens on its port ${recipe.port}`,
      detail: "",
    };
  }
  const address = { port: recipe.port ?? (await findFreePort()), transport: placed(target) };
  const result = await startAt(address, target, options);
  if (result.kind === "failed") removeSocket(address);
  return result;
}

/** What the recipe says of the transport, with its places on this machine. */
function placed({ recipe: { transport }, folder }: ServiceTarget): RunningTransport | undefined {
  if (transport === undefined) return undefined;
  const { protocol, socket, tls } = transport;
  return {
    protocol,
    // In memory, where paths are short: a socket's may have 107 characters.
    socket: socket ? join(makeTemporaryFolder(memoryFolder()), "socket") : null,
    tls: tls === null ? null : { ...tls, ca: resolve(folder, tls.ca) },
  };
}

async function startAt(
  { port, transport }: Address,
  target: ServiceTarget,
  options: LaunchOptions,
): Promise<LaunchResult> {
  const { recipe } = target;
  const { clock } = options;
  const fill = (text: string): string =>
    text
      .replaceAll("{port}", String(port))
      .replaceAll("{socket}", transport?.socket ?? "{socket}")
      .replaceAll("{artifact}", target.artifact ?? "")
      .replaceAll("{dir}", target.folder);
  const argv = recipe.run.map(fill);
  const env = environmentOf(recipe, fill);
  // Asked before: taskset, which starts it on its CPUs, would say so in a line of its output.
  const missing = missingProgram(argv[0] ?? "", target.folder, env.PATH);
  if (missing !== null) {
    return {
      kind: "failed",
      reason: "start",
      text: `could not be started: ${missing.why}`,
      detail: missing.detail,
      next: `Correct \`run\` in tailgate.yml, or install the program.${MINIMAL_ENVIRONMENT}`,
    };
  }
  const wanted = recipe.ready.kind === "log" ? new RegExp(recipe.ready.pattern) : null;
  let lineSeen = false;
  const startedMs = clock.nowMs();
  const child = spawnGroup(argv, {
    cwd: target.folder,
    env,
    takesAll: true,
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
    transport,
    lineSeen: () => lineSeen,
    gone: () => child.exit() !== null,
    listening: () => readListeningPorts(pid),
    cpuMs: () => readCpuMsOfTrees([pid]),
    clock,
    abort: options.abort,
  });
  const authority = transport?.tls?.ca ?? null;
  if (readiness.kind === "ready" && (authority === null || existsSync(authority))) {
    const startupMs = clock.nowMs() - startedMs;
    const { secrets = new Secrets(), onSecret, abort } = options;
    const place = { port, transport, cwd: target.folder, env, fill };
    const said =
      recipe.before === undefined
        ? null
        : await runBefore(recipe.before, { ...place, abort, secrets, onSecret });
    if (said?.ok === false) {
      child.signal("SIGKILL");
      await child.exited;
      const { why, detail, next } = said;
      const text = `was ready, and its \`before\` ${why}`;
      return { kind: "failed", reason: "start", text, detail, next };
    }
    const values = said?.values ?? null;
    const facts = { pid, port, transport, values, startupMs, stop: recipe.stop, clock };
    return { kind: "running", service: new RunningService(child, facts) };
  }
  const listening = readListeningPorts(pid);
  const waitedMs =
    readiness.kind === "elsewhere" ? clock.nowMs() - startedMs : recipe.ready.timeoutMs;
  child.signal("SIGKILL");
  const exit = await child.exited;
  if (readiness.kind === "ready") {
    return {
      ...failure("start", `is ready, and there is no ${authority} to verify it by`, child),
      next: "Correct `tls.ca` of the service in tailgate.yml, a path relative to its `dir`.",
    };
  }
  if (readiness.kind === "timeout" || readiness.kind === "elsewhere") {
    const onSocket = transport?.socket != null;
    const which = onSocket ? "" : `, which is ${port}`;
    const seen = `${readiness.last}${which}; it ${describeListening(listening)}`;
    const isElsewhere = listening.length > 0 && (onSocket || !listening.includes(port));
    const within = `was not ready within ${Math.round(waitedMs / 100) / 10} s`;
    return {
      ...failure("not-ready", `${within}: ${isElsewhere ? seen : readiness.last}`, child),
      ...(isElsewhere ? { next: adviseOnPort(recipe, listening) } : {}),
      listening,
    };
  }
  const how = exit.signal === null ? `code ${exit.code}` : exit.signal;
  return {
    ...failure("start", `ended with ${how} before it was ready`, child),
    ...(exit.code === 0 ? { next: STAY } : {}),
  };
}

function adviseOnPort({ port, ready, transport }: Recipe, listening: readonly number[]): string {
  if (transport?.socket === true) {
    return "Tell the service its socket in tailgate.yml, `{socket}` in `run` or `env`, by the name that it reads; or leave out `socket` and tell it `{port}`.";
  }
  const advice =
    port === null
      ? "Tell the service its port in tailgate.yml, `{port}` in `run` or `env`, by the name that it reads; a service that cannot be told one needs `port` and the scheme alternate."
      : `Correct \`port\` of the service in tailgate.yml: ${listening.join(" or ")}.`;
  const later =
    " If it listens on its own port later than on others, say by `ready` what it answers (a path) or logs then.";
  return ready.kind === "tcp" ? advice + later : advice;
}

function failure(
  reason: "start" | "not-ready",
  text: string,
  child: ChildGroup,
): LaunchResult & { kind: "failed" } {
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
