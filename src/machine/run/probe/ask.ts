// One scenario's request to a service of ours on this machine, and all of its answer.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "../../../core/base/errors.ts";
import type { BodyFile, Scenario } from "../../../core/model/config.ts";
import type { Answer } from "../../../core/model/samples.ts";
import { readJsonAnswer } from "../../../core/slice/json-answer.ts";
import { type Address, linesOf, placedBody, type Sent } from "../../../core/slice/load.ts";
import type { Clock } from "../../sys/clock.ts";
import { type Answered, exchange } from "./exchange.ts";

interface AskRequest extends Address {
  scenario: Pick<Scenario, "request" | "requestTimeoutMs" | "answers">;
  /** Holds the body files of the run. */
  folder: string;
  abort: AbortSignal;
  /** Takes secrets out of what is seen. Default: there are none. */
  mask?: (text: string) => string;
}

/** More of an answer is not read as JSON. */
const MOST_JSON_BYTES = 64 * 1024 * 1024;

export interface Asked {
  /** Null: there was no answer. */
  status: number | null;
  /** Null also where the answer was not kept. */
  answer: Answer | null;
  /** What it says as JSON, where that is compared (see slice/json-answer.ts). Absent: nothing. */
  json?: unknown;
  /** For messages, after "got": the status and how the body begins, or why there is none. */
  seen: string;
  /** Nobody took the connection. Absent: somebody did. */
  refused?: boolean;
}

/** How long a wrong answer is asked for again before any load, and how often. */
const ASK_AGAIN_MS = 250;
const ASK_PAUSE_MS = 25;

interface Asking {
  /** Whether it is asked no more. */
  isFinal(asked: Asked): boolean;
  /** Until then it may say that it is not ready, or say nothing. */
  readyAtMs: number;
  isGone(): boolean;
  clock: Clock;
  abort: AbortSignal;
}

/** Whoever answers so serves later, or to others. */
export function isUnready({ status, refused = false }: Pick<Asked, "status" | "refused">): boolean {
  return refused || status === 503 || status === 429;
}

/**
 * A service may refuse the first requests after it said ready: a wrong answer is asked for again for
 * a moment, and one that says "not now" for as long as a start may take. `seen` says how often.
 */
export async function askUntilServed(
  send: () => Promise<Asked>,
  { isFinal, readyAtMs, isGone, clock, abort }: Asking,
): Promise<Asked> {
  const beganMs = clock.nowMs();
  for (let times = 1; ; times++) {
    const asked = await send();
    const nowMs = clock.nowMs();
    const tookMs = nowMs - beganMs;
    if (isFinal(asked) || abort.aborted) return asked;
    const mayServe = tookMs < ASK_AGAIN_MS || (isUnready(asked) && nowMs < readyAtMs);
    if (!mayServe || isGone()) {
      const often = `${asked.seen}, the last of ${times} times in ${(tookMs / 1000).toFixed(1)} s`;
      return isUnready(asked) ? { ...asked, seen: often } : asked;
    }
    await clock.sleep(ASK_PAUSE_MS, abort);
  }
}

const HEAD_BYTES = 200;

export async function ask(asked: AskRequest): Promise<Asked> {
  const { scenario, folder, abort } = asked;
  const { method, paths, headers: own } = scenario.request;
  const path = paths === undefined ? scenario.request.path : firstLine(paths, folder);
  const body = bodyOf(scenario, folder);
  const timeoutMs = scenario.requestTimeoutMs;
  const signal = AbortSignal.any([abort, AbortSignal.timeout(timeoutMs)]);
  try {
    const answered = await send(asked, { method, path, headers: own, body, signal });
    return await readAnswer(answered, asked);
  } catch (error) {
    const refused = (error as NodeJS.ErrnoException).code === "ECONNREFUSED";
    const seen = whyNone(error, { ...asked, signal, timeoutMs });
    return { status: null, answer: null, seen, refused };
  }
}

/** To one request of a pattern, which a generator alone draws paths from; it keeps no bodies. */
export function answeredByLoad({ statuses, errors }: Omit<Sent, "kind">): Asked {
  const [status] = Object.keys(statuses).map(Number);
  const [error = "no answer"] = Object.keys(errors);
  return { status: status ?? null, answer: null, seen: String(status ?? error) };
}

/** Whether the same request is answered compressed once it says that it may be; null: not asked. */
export async function couldCompress({ scenario, ...asked }: AskRequest): Promise<boolean | null> {
  const { method, path, pathIsPattern, paths, headers: own } = scenario.request;
  const names = Object.keys(own).map((name) => name.toLowerCase());
  const isPlain = method === "GET" && !pathIsPattern && paths === undefined;
  if (!isPlain || names.includes("accept-encoding")) return null;
  const headers = { ...own, "accept-encoding": "gzip, deflate, br" };
  const signal = AbortSignal.any([asked.abort, AbortSignal.timeout(scenario.requestTimeoutMs)]);
  try {
    const { isEncoded, body } = await send(asked, { method, path, headers, body: null, signal });
    body.destroy();
    return isEncoded;
  } catch {
    return false;
  }
}

/** With the headers that generators add. */
export function send(
  address: Address,
  request: Parameters<typeof exchange>[1] & { body: Buffer | null },
): Promise<Answered> {
  const length: Record<string, number> =
    request.body === null ? {} : { "content-length": request.body.length };
  const headers = { accept: "*/*", ...length, ...request.headers };
  return exchange(address, { ...request, headers });
}

async function readAnswer(
  { status, contentType, body }: Answered,
  { scenario: { answers }, mask = (text) => text }: AskRequest,
): Promise<Asked> {
  const whole: Buffer[] = [];
  const hash = createHash("sha256");
  let [bytes, head] = [0, Buffer.alloc(0)];
  for await (const chunk of body as AsyncIterable<Buffer>) {
    hash.update(chunk);
    bytes += chunk.length;
    if (typeof answers === "object" && bytes <= MOST_JSON_BYTES) whole.push(chunk);
    if (head.length < HEAD_BYTES) head = Buffer.concat([head, chunk.subarray(0, HEAD_BYTES)]);
  }
  const begin = JSON.stringify(mask(head.toString("utf8", 0, HEAD_BYTES)));
  const seen = bytes === 0 ? `${status} without a body` : `${status} with the body ${begin}`;
  const answer = { status, contentType, bytes, sha256: hash.digest("hex") };
  if (typeof answers !== "object") return { status, answer, seen };
  const isWhole = bytes <= MOST_JSON_BYTES;
  const read = isWhole ? readJsonAnswer(Buffer.concat(whole).toString(), answers.ignore) : null;
  const json = read === null ? null : createHash("sha256").update(read.canonical).digest("hex");
  return { status, answer: { ...answer, json }, seen, json: read?.value };
}

export function whyNone(
  error: unknown,
  { port, transport, signal, timeoutMs }: Address & { signal: AbortSignal; timeoutMs: number },
): string {
  if (signal.aborted) return `no answer within ${timeoutMs} ms`;
  if ((error as NodeJS.ErrnoException).code === "ECONNREFUSED") {
    return transport?.socket == null
      ? `no connection on port ${port}`
      : "no connection on its socket";
  }
  return `no answer (${messageOf(error)})`;
}

function bodyOf({ request: { body } }: AskRequest["scenario"], folder: string): Buffer | null {
  if (body === null) return null;
  if (typeof body === "string") return Buffer.from(body);
  return body.lines === undefined
    ? readFileSync(join(folder, placedBody(body)))
    : Buffer.from(firstLine(body, folder));
}

/** It stands for the others. */
function firstLine(file: BodyFile, folder: string): string {
  return linesOf(readFileSync(join(folder, placedBody(file)), "utf8"))[0] ?? "";
}
