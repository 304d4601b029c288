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
const REQUEST_TIMEOUT_MS = 2000;

export type Readiness = { kind: "ready" | "gone" | "aborted" } | { kind: "timeout"; last: string };

export async function waitUntilReady(watch: ReadyWatch): Promise<Readiness> {
  const { clock } = watch;
  const deadlineMs = clock.nowMs() + watch.ready.timeoutMs;
  let last = "nothing listened on its port";
  for (let poll = 0; ; poll++) {
    if (watch.abort.aborted) return { kind: "aborted" };
    if (watch.gone()) return { kind: "gone" };
    const answer = await ask(watch);
    if (answer === null) return { kind: "ready" };
    last = answer;
    if (clock.nowMs() >= deadlineMs) return { kind: "timeout", last };
    await clock.sleep(poll < FAST_POLLS ? FAST_POLL_MS : SLOW_POLL_MS, watch.abort);
  }
}

/** Null when ready, else what was seen. */
async function ask(watch: ReadyWatch): Promise<string | null> {
  switch (watch.ready.kind) {
    case "http":
      return await askHttp(watch.port, watch.ready.path);
    case "tcp":
      return await askTcp(watch.port);
    case "log":
      return watch.lineSeen() ? null : "no line of its standard output matched";
  }
}

function askHttp(port: number, path: string): Promise<string | null> {
  return new Promise((resolve) => {
    const request = get(
      { host: "127.0.0.1", port, path, agent: false, timeout: REQUEST_TIMEOUT_MS },
      (response) => {
        response.resume();
        resolve(response.statusCode === 200 ? null : `GET ${path} answered ${response.statusCode}`);
      },
    );
    request.on("timeout", () => request.destroy(new Error(`GET ${path} was not answered`)));
    request.on("error", (error: NodeJS.ErrnoException) => {
      resolve(error.code === "ECONNREFUSED" ? "nothing listened on its port" : error.message);
    });
  });
}

function askTcp(port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port }, () => {
      socket.destroy();
      resolve(null);
    });
    socket.on("error", () => resolve("nothing listened on its port"));
  });
}
