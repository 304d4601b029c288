// One launch of a service: a port, the start, waiting until it is ready, its login.
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Values } from "../../../core/config/fill-values.ts";
import type { Recipe } from "../../../core/model/config.ts";
import type { Address, RunningTransport } from "../../../core/slice/load.ts";
import { withoutEscapes } from "../../../core/text/escape.ts";
import { Secrets } from "../../../core/text/secrets.ts";
import type { Listening } from "../../host/parse-proc.ts";
import type { Clock } from "../../sys/clock.ts";
import { makeTemporaryFolder, memoryFolder } from "../../sys/files.ts";
import { missingProgram } from "../../sys/find-program.ts";
import { type ChildGroup, type Exit, spawnGroup } from "../../sys/process.ts";
import { HOST } from "../probe/exchange.ts";
import { describeListening, isReached, portsOf, readListening } from "../probe/listening-ports.ts";
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
  secrets?: Secrets;
  onSecret?: (value: string) => void;
  /** It is waited for no longer. Default: as long as may be. */
  timeBudgetMs?: number | undefined;
  /** Hears of the process as soon as there is one, which is before it is ready. */
  onSpawn?: ((pid: number) => void) | undefined;
}

interface FailedLaunch {
  kind: "failed";
  reason: "start" | "not-ready";
  text: string;
  detail: string;
  /**
   * What to correct, where the service was not started as it needs to be; absent: it failed by
   * itself.
   */
  next?: string;
  /** The time budget ended it, not a limit of its own: a longer one might have seen it start. */
  outOfTime?: boolean;
  /** Ports that it listened on when it was given up; absent: it had ended, or never began. */
  listening?: readonly number[];
}

export type LaunchResult = { kind: "running"; service: RunningService } | FailedLaunch;

/** What went wrong; `explain` has the words. `detail`: default: the last lines that it printed. */
type Failure = { detail?: string; outOfTime?: boolean } & (
  | { kind: "port-taken"; port: number }
  | { kind: "no-program" | "not-started"; why: string; next?: string }
  | { kind: "ended"; exit: Exit }
  | {
      kind: "not-ready";
      last: string;
      waitedMs: number;
      isEarly: boolean;
      at: Address;
      listening: Listening[];
    }
  | { kind: "no-authority"; path: string }
  | { kind: "before"; why: string; next: string }
);

/** A recipe with its places on this machine filled in. */
interface Start extends Address {
  target: ServiceTarget;
  argv: readonly string[];
  env: Record<string, string>;
  fill(text: string): string;
}

/** A port can be taken between finding it free and the service's bind. */
const PORT_ATTEMPTS = 3;
/** How long `before` of a recipe may take. */
const BEFORE_MS = 60_000;
/**
 * Only these of our variables reach a service: its environment must not depend on who started the
 * gate.
 */
const INHERITED = ["PATH", "HOME", "LANG"] as const;
const OUT_OF_TIME = ", all that the time budget gives";
const CORRECT_RUN = `Correct \`run\` in tailgate.yml, or install the program. Its environment is minimal: ${INHERITED.join(", ")} as the gate has them, and what \`env\` says.`;

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
    /\b(address|port|connection)\b.{0,40}\bin use\b|EADDRINUSE/i.test(result.detail)
  );
}

async function launchOnce(target: ServiceTarget, options: LaunchOptions): Promise<LaunchResult> {
  const { recipe } = target;
  const { port } = recipe;
  if (port !== null && (await isPortTaken(port))) {
    return failed({ kind: "port-taken", port }, recipe);
  }
  const start = planStart(target, port ?? (await findFreePort()));
  const result = await startAt(start, options);
  if (result.kind === "failed") removeSocket(start);
  return result;
}

function planStart(target: ServiceTarget, port: number): Start {
  const { recipe, folder, artifact } = target;
  const transport = placed(target);
  const fill = (text: string): string =>
    text
      .replaceAll("{port}", String(port))
      .replaceAll("{socket}", transport?.socket ?? "{socket}")
      .replaceAll("{artifact}", artifact ?? "")
      .replaceAll("{dir}", folder);
  const argv = recipe.run.map(fill);
  return { target, port, transport, argv, env: environmentOf(recipe, fill), fill };
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

async function startAt(start: Start, options: LaunchOptions): Promise<LaunchResult> {
  const { recipe, folder } = start.target;
  const { argv, env, port, transport } = start;
  // Asked before: taskset, which starts it on its CPUs, would say so in a line of its output.
  const missing = missingProgram(argv[0] ?? "", folder, env.PATH);
  if (missing !== null) return failed({ kind: "no-program", ...missing }, recipe);
  const { clock } = options;
  const startedMs = clock.nowMs();
  const { child, lineSeen } = spawnService(start, options);
  const { pid } = child;
  if (pid === undefined) {
    const why = (await child.exited).startError?.message ?? "unknown";
    return failed({ kind: "not-started", why }, recipe);
  }
  options.onSpawn?.(pid);
  const unready = await awaitReady(start, { child, pid, lineSeen, startedMs }, options);
  const startupMs = clock.nowMs() - startedMs;
  const result = unready ?? (await logIn(start, options));
  if (result.kind === "logged-in") {
    const { values } = result;
    const facts = { pid, port, transport, values, startupMs, stop: recipe.stop, clock };
    return { kind: "running", service: new RunningService(child, facts) };
  }
  child.signal("SIGKILL");
  await child.exited;
  return failed(result, recipe, child);
}

/** `lineSeen`: whether it has printed the line that says ready. */
function spawnService({ target, argv, env }: Start, { cpus }: LaunchOptions) {
  const { recipe, folder } = target;
  const wanted = recipe.ready.kind === "log" ? new RegExp(recipe.ready.pattern) : null;
  let lineSeen = false;
  const onLine = (line: string): void => {
    lineSeen ||= wanted?.test(withoutEscapes(line)) === true;
  };
  const heard = { onStdoutLine: onLine, onStderrLine: onLine };
  const child = spawnGroup(argv, { cwd: folder, env, endsAll: "with it", cpus, ...heard });
  return { child, lineSeen: () => lineSeen };
}

/** Null: it is ready, and can be spoken to. */
async function awaitReady(
  { target: { recipe }, port, transport }: Start,
  started: { child: ChildGroup; pid: number; lineSeen(): boolean; startedMs: number },
  { clock, abort, timeBudgetMs = Infinity }: LaunchOptions,
): Promise<Failure | null> {
  const { child, pid, lineSeen, startedMs } = started;
  const at = { port, transport };
  const timeoutMs = Math.min(recipe.ready.timeoutMs, timeBudgetMs);
  const readiness = await waitUntilReady({
    ...at,
    ready: { ...recipe.ready, timeoutMs },
    lineSeen,
    gone: () => child.exit() !== null,
    listening: () => portsOf(readListening(pid)),
    cpuMs: () => readCpuMsOfTrees([pid]),
    clock,
    abort,
  });
  switch (readiness.kind) {
    case "ready": {
      const path = transport?.tls?.ca ?? null;
      return path === null || existsSync(path) ? null : { kind: "no-authority", path };
    }
    case "timeout":
    case "elsewhere": {
      const isEarly = readiness.kind === "elsewhere";
      const waitedMs = isEarly ? clock.nowMs() - startedMs : timeoutMs;
      const outOfTime = !isEarly && timeoutMs < recipe.ready.timeoutMs;
      const seen = { last: readiness.last, listening: readListening(pid), at };
      return { kind: "not-ready", waitedMs, isEarly, outOfTime, ...seen };
    }
    default:
      child.signal("SIGKILL");
      return { kind: "ended", exit: await child.exited };
  }
}

/** What `before` of a service that is ready gives; null values: it has none. */
async function logIn(
  { target: { recipe, folder }, port, transport, env, fill }: Start,
  { clock, abort, secrets = new Secrets(), onSecret, timeBudgetMs = BEFORE_MS }: LaunchOptions,
): Promise<{ kind: "logged-in"; values: Values | null } | Failure> {
  if (recipe.before === undefined) return { kind: "logged-in", values: null };
  const timeoutMs = Math.min(BEFORE_MS, timeBudgetMs);
  const place = { port, transport, cwd: folder, env, fill, timeoutMs };
  const startedMs = clock.nowMs();
  const said = await runBefore(recipe.before, { ...place, abort, secrets, onSecret });
  if (said.ok) return { kind: "logged-in", values: said.values };
  const outOfTime = timeoutMs < BEFORE_MS && clock.nowMs() - startedMs >= timeoutMs;
  return { kind: "before", ...said, outOfTime };
}

/** `child`: what was started, and is gone now. */
function failed(failure: Failure, recipe: Recipe, child?: ChildGroup): FailedLaunch {
  const detail = failure.detail ?? child?.tail().join("\n") ?? "";
  const told = { ...explain(failure, recipe), detail };
  const facts = { kind: "failed", ...told, ...(failure.outOfTime && { outOfTime: true }) } as const;
  return failure.kind === "not-ready"
    ? { ...facts, reason: "not-ready", listening: portsOf(failure.listening) }
    : { ...facts, reason: "start" };
}

/** What is told of a launch that failed, and what to correct. */
function explain(failure: Failure, recipe: Recipe): Pick<FailedLaunch, "text" | "next"> {
  switch (failure.kind) {
    case "port-taken":
      return { text: `was not started: another process listens on its port ${failure.port}` };
    case "no-program":
      return { text: `could not be started: ${failure.why}`, next: failure.next ?? CORRECT_RUN };
    case "not-started":
      return { text: `could not be started: ${failure.why}` };
    case "ended": {
      const { code, signal } = failure.exit;
      const text = `ended with ${signal ?? `code ${code}`} before it was ready`;
      return { text, next: code === 0 ? STAY : undefined };
    }
    case "not-ready": {
      const { last, waitedMs, isEarly, listening, at } = failure;
      const when = `${Math.round(waitedMs / 100) / 10} s${failure.outOfTime ? OUT_OF_TIME : ""}`;
      const text = `${isEarly ? "was given up after" : "was not ready within"} ${when}: ${last}`;
      const onSocket = at.transport?.socket != null;
      if (listening.length === 0 || (!onSocket && isReached(listening, at.port))) return { text };
      return {
        text: `${text}; it ${describeListening(listening)}`,
        next: adviseOnPort(recipe, portsOf(listening), at),
      };
    }
    case "no-authority":
      return {
        text: `is ready, and there is no ${failure.path} to verify it by`,
        next: "Correct `tls.ca` of the service in tailgate.yml, a path relative to its `dir`.",
      };
    case "before": {
      const text = `was ready, and its \`before\` ${failure.why}`;
      return failure.outOfTime ? { text: text + OUT_OF_TIME } : { text, next: failure.next };
    }
  }
}

function adviseOnPort(
  { port, ready, transport }: Recipe,
  listening: readonly number[],
  at: Address,
): string {
  if (transport?.socket === true) {
    return "Tell the service its socket in tailgate.yml, `{socket}` in `run` or `env`, by the name that it reads; or leave out `socket` and tell it `{port}`.";
  }
  if (listening.includes(at.port)) {
    return `Let the service listen on ${HOST}, or on all addresses (0.0.0.0): requests are sent to ${HOST}.`;
  }
  const advice =
    port === null
      ? "Tell the service its port in tailgate.yml, `{port}` in `run` or `env`, by the name that it reads; a service that cannot be told one needs `port` and the scheme alternate."
      : `Correct \`port\` of the service in tailgate.yml: ${listening.join(" or ")}.`;
  const later =
    " If it listens on its own port only later, name in `ready` a path that it answers then, or a line that it logs.";
  return ready.kind === "tcp" ? advice + later : advice;
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
