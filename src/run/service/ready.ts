// Waits until a starting service is ready, watching for the start that fails.
import { get } from "node:http";
import { connect } from "node:net";
import type { Recipe } from "../../model/config.ts";
import type { Clock } from "../../sys/clock.ts";

export interface ReadyWatch {
  ready: Recipe["ready"];
  port: number;
  /** True once a line of standard output matched. */
  lineSeen(): boolean;
  /** True once the process is gone. */
  gone(): boolean;
  clock: Clock;
  abort: AbortSignal;
}

/** Fast starters are told apart to a millisecond; slow ones are not kept busy with questions. */
const FAST_POLLS = 100;
const FAST_POLL_MS = 1;
const SLOW_POLL_MS = 10;
/** For one question, answer included: a service may accept connections long before it answers. */
const ASK_TIMEOUT_MS = 2000;
const NOBODY_LISTENS = "nothing listened on its port";

export type Readiness = { kind: "ready" | "gone" | "aborted" } | { kind: "timeout"; last: string };

export async function waitUntilReady(watch: ReadyWatch): Promise<Readiness> {
  const { clock } = watch;
  const deadlineMs = clock.nowMs() + watch.ready.timeoutMs;
  let last: string = NOBODY_LISTENS;
  for (let poll = 0; ; poll++) {
    if (watch.abort.aborted) return { kind: "aborted" };
    if (watch.gone()) return { kind: "gone" };
    const signal = AbortSignal.any([watch.abort, AbortSignal.timeout(ASK_TIMEOUT_MS)]);
    const answer = await ask(watch, signal);
    if (answer === null) return { kind: watch.gone() ? "gone" : "ready" };
    last = answer;
    if (clock.nowMs() >= deadlineMs) return { kind: "timeout", last };
    await clock.sleep(poll < FAST_POLLS ? FAST_POLL_MS : SLOW_POLL_MS, watch.abort);
  }
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

/** Whether somebody has this port already: the answers of a stranger must not be taken for the service's. */
export async function isPortTaken(port: number): Promise<boolean> {
  return (await askTcp(port, AbortSignal.timeout(ASK_TIMEOUT_MS))) === null;
}
