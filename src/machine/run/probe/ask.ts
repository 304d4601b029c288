// One scenario's request to a service of ours on this machine, and all of its answer.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "../../../core/base/errors.ts";
import type { BodyFile, Scenario } from "../../../core/model/config.ts";
import type { Answer } from "../../../core/model/samples.ts";
import { readJsonAnswer } from "../../../core/slice/json-answer.ts";
import { type Address, linesOf, placedBody } from "../../../core/slice/load.ts";
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
    return { status: null, answer: null, seen: whyNone(error, { ...asked, signal, timeoutMs }) };
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
