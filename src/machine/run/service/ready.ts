// Waits until a starting service is ready, watching for the start that fails.
import { connect } from "node:net";
import { messageOf } from "../../../core/base/errors.ts";
import type { Recipe } from "../../../core/model/config.ts";
import type { Address } from "../../../core/slice/load.ts";
import type { Clock } from "../../sys/clock.ts";
import { exchange, HOST } from "../probe/exchange.ts";

interface ReadyWatch extends Address {
  ready: Recipe["ready"];
  /** True once a line of its output matched. */
  lineSeen(): boolean;
  /** True once the process is gone. */
  gone(): boolean;
  /** Ports that it listens on. */
  listening?(): readonly number[];
  /** CPU time that its processes have used, in ms. */
  cpuMs?(): number;
  clock: Clock;
  abort: AbortSignal;
}

/** Fast starters are told apart to a millisecond; slow ones are not kept busy with questions. */
const FAST_POLLS = 100;
const FAST_POLL_MS = 1;
const SLOW_POLL_MS = 10;
/** For one question, answer included: a service may accept connections long before it answers. */
const ASK_TIMEOUT_MS = 2000;
/**
 * A service that is ready on another port all this time, and does not listen on its own, was not
 * told its port. Some open a port for health checks early, so that it takes a while to be sure.
 */
const ELSEWHERE_MS = 700;
const LOOK_ELSEWHERE_MS = 100;
/** From one look to the next: a service that uses no more has ended its start. */
const RESTING_CPU_MS = 10;

type Readiness =
  | { kind: "ready" | "gone" | "aborted" }
  | { kind: "timeout" | "elsewhere"; last: string };

export async function waitUntilReady(watch: ReadyWatch): Promise<Readiness> {
  const { clock } = watch;
  const deadlineMs = clock.nowMs() + watch.ready.timeoutMs;
  const elsewhere = watchElsewhere(watch);
  for (let poll = 0; ; poll++) {
    if (watch.abort.aborted) return { kind: "aborted" };
    if (watch.gone()) return { kind: "gone" };
    const signal = AbortSignal.any([watch.abort, AbortSignal.timeout(ASK_TIMEOUT_MS)]);
    const answer = await ask(watch, signal);
    if (answer === null) return { kind: watch.gone() ? "gone" : "ready" };
    const isSilent = answer === nobodyListens(watch) && watch.transport?.socket == null;
    if (isSilent && (await elsewhere(signal))) return { kind: "elsewhere", last: answer };
    if (clock.nowMs() >= deadlineMs) return { kind: "timeout", last: answer };
    await clock.sleep(poll < FAST_POLLS ? FAST_POLL_MS : SLOW_POLL_MS, watch.abort);
  }
}

/** Whether the service has been ready on another port for long enough; looks now and then. */
function watchElsewhere(watch: ReadyWatch): (signal: AbortSignal) => Promise<boolean> {
  const { clock, ready } = watch;
  let lookAtMs = clock.nowMs() + LOOK_ELSEWHERE_MS;
  let usedMs = 0;
  let sinceMs: number | null = null;
  /** For `tcp`, where an open port alone does not tell that the start has ended. */
  const rests = (): boolean => {
    const nowMs = watch.cpuMs?.() ?? Infinity;
    const isResting = nowMs - usedMs <= RESTING_CPU_MS;
    usedMs = nowMs;
    return isResting;
  };
  return async (signal) => {
    if (ready.kind === "log" || clock.nowMs() < lookAtMs) return false;
    lookAtMs = clock.nowMs() + LOOK_ELSEWHERE_MS;
    const ports = watch.listening?.() ?? [];
    const isReady =
      ready.kind === "tcp"
        ? rests() && ports.length > 0
        : (
            await Promise.all(ports.map((port) => askHttp({ ...watch, port }, ready, signal)))
          ).includes(null);
    if (!isReady) sinceMs = null;
    else sinceMs ??= clock.nowMs();
    return sinceMs !== null && clock.nowMs() - sinceMs >= ELSEWHERE_MS;
  };
}

/** Null when ready, else what was seen. */
async function ask(watch: ReadyWatch, signal: AbortSignal): Promise<string | null> {
  switch (watch.ready.kind) {
    case "http":
      return await askHttp(watch, watch.ready, signal);
    case "tcp":
      return await askTcp(watch, signal);
    case "log":
      return watch.lineSeen()
        ? null
        : `no line of its standard output or standard error matched ${watch.ready.pattern}`;
  }
}

async function askHttp(
  address: Address,
  { path, headers }: Recipe["ready"] & { kind: "http" },
  signal: AbortSignal,
): Promise<string | null> {
  try {
    const { status, body } = await exchange(address, { method: "GET", path, headers, signal });
    body.destroy();
    return status >= 200 && status < 300 ? null : `GET ${path} answered ${status}, expected 2xx`;
  } catch (error) {
    if (signal.aborted) return `GET ${path} was not answered`;
    return isNobody(error) ? nobodyListens(address) : `GET ${path}: ${messageOf(error)}`;
  }
}

function askTcp({ port, transport }: Address, signal: AbortSignal): Promise<string | null> {
  const socketPath = transport?.socket ?? null;
  const place = socketPath === null ? { host: HOST, port } : { path: socketPath };
  return new Promise((resolve) => {
    const socket = connect({ ...place, signal }, () => {
      socket.destroy();
      resolve(null);
    });
    socket.on("error", () => resolve(nobodyListens({ port, transport })));
  });
}

/** Of a socket: its file is not there yet, or nobody listens on it. */
function isNobody(error: unknown): boolean {
  const { code, syscall } = error as NodeJS.ErrnoException;
  return code === "ECONNREFUSED" || (code === "ENOENT" && syscall === "connect");
}

function nobodyListens({ port, transport }: Address): string {
  return `nothing listened on ${transport?.socket == null ? `${HOST}:${port}` : "its socket"}`;
}

/**
 * Whether somebody has this port already: the answers of a stranger must not be taken for the
 * service's.
 */
export async function isPortTaken(port: number): Promise<boolean> {
  return (await askTcp({ port }, AbortSignal.timeout(ASK_TIMEOUT_MS))) === null;
}
