// Waits until a starting service is ready, watching for the start that fails.
import { get } from "node:http";
import { connect } from "node:net";
import type { Recipe } from "../../../core/model/config.ts";
import type { Clock } from "../../sys/clock.ts";

export interface ReadyWatch {
  ready: Recipe["ready"];
  port: number;
  /** True once a line of standard output matched. */
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
const NOBODY_LISTENS = "nothing listened on its port";

export type Readiness =
  | { kind: "ready" | "gone" | "aborted" }
  | { kind: "timeout" | "elsewhere"; last: string };

export async function waitUntilReady(watch: ReadyWatch): Promise<Readiness> {
  const { clock } = watch;
  const deadlineMs = clock.nowMs() + watch.ready.timeoutMs;
  const elsewhere = watchElsewhere(watch);
  let last: string = NOBODY_LISTENS;
  for (let poll = 0; ; poll++) {
    if (watch.abort.aborted) return { kind: "aborted" };
    if (watch.gone()) return { kind: "gone" };
    const signal = AbortSignal.any([watch.abort, AbortSignal.timeout(ASK_TIMEOUT_MS)]);
    const answer = await ask(watch, signal);
    if (answer === null) return { kind: watch.gone() ? "gone" : "ready" };
    last = answer;
    if (answer === NOBODY_LISTENS && (await elsewhere(signal))) return { kind: "elsewhere", last };
    if (clock.nowMs() >= deadlineMs) return { kind: "timeout", last };
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
        : (await Promise.all(ports.map((port) => askHttp(port, ready.path, signal)))).includes(
            null,
          );
    if (!isReady) sinceMs = null;
    else sinceMs ??= clock.nowMs();
    return sinceMs !== null && clock.nowMs() - sinceMs >= ELSEWHERE_MS;
  };
}

/** Null when ready, else what was seen. */
async function ask(watch: ReadyWatch, signal: AbortSignal): Promise<string | null> {
  switch (watch.ready.kind) {
    case "http":
      return await askHttp(watch.port, watch.ready.path, signal);
    case "tcp":
      return await askTcp(watch.port, signal);
    case "log":
      return watch.lineSeen() ? null : "no line of its standard output matched";
  }
}

function askHttp(port: number, path: string, signal: AbortSignal): Promise<string | null> {
  return new Promise((resolve) => {
    const request = get({ host: "127.0.0.1", port, path, agent: false, signal }, (response) => {
      resolve(response.statusCode === 200 ? null : `GET ${path} answered ${response.statusCode}`);
      response.destroy();
    });
    request.on("error", (error: NodeJS.ErrnoException) => {
      resolve(
        signal.aborted
          ? `GET ${path} was not answered`
          : error.code === "ECONNREFUSED"
            ? NOBODY_LISTENS
            : `GET ${path}: ${error.message}`,
      );
    });
  });
}

function askTcp(port: number, signal: AbortSignal): Promise<string | null> {
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port, signal }, () => {
      socket.destroy();
      resolve(null);
    });
    socket.on("error", () => resolve(NOBODY_LISTENS));
  });
}

/**
 * Whether somebody has this port already: the answers of a stranger must not be taken for the
 * service's.
 */
export async function isPortTaken(port: number): Promise<boolean> {
  return (await askTcp(port, AbortSignal.timeout(ASK_TIMEOUT_MS))) === null;
}
