// One scenario's request to a service of ours on this machine, and all of its answer.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "../../../core/base/errors.ts";
import type { Scenario } from "../../../core/model/config.ts";
import type { Answer } from "../../../core/model/samples.ts";
import { type Address, placedBody } from "../../../core/slice/load.ts";
import { type Answered, exchange } from "./exchange.ts";

export interface AskRequest extends Address {
  scenario: Pick<Scenario, "request" | "requestTimeoutMs">;
  /** Holds the body files of the run. */
  folder: string;
  abort: AbortSignal;
  /** Takes secrets out of what is seen. Default: there are none. */
  mask?: (text: string) => string;
}

export interface Asked {
  /** Null: there was no answer. */
  status: number | null;
  /** Null also where the answer was not kept. */
  answer: Answer | null;
  /** For messages, after "got": the status and how the body begins, or why there is none. */
  seen: string;
}

const HEAD_BYTES = 200;

export async function ask(asked: AskRequest): Promise<Asked> {
  const { scenario, folder, abort } = asked;
  const { method, path, headers: own } = scenario.request;
  const body = bodyOf(scenario, folder);
  const signal = AbortSignal.any([abort, AbortSignal.timeout(scenario.requestTimeoutMs)]);
  const length = body === null ? {} : { "content-length": body.length };
  const headers = { accept: "*/*", ...length, ...own };
  try {
    const answered = await exchange(asked, { method, path, headers, body, signal });
    return await readAnswer(answered, asked.mask ?? ((text) => text));
  } catch (error) {
    return { status: null, answer: null, seen: whyNone(error, asked, signal) };
  }
}

async function readAnswer(
  { status, contentType, body }: Answered,
  mask: (text: string) => string,
): Promise<Asked> {
  const hash = createHash("sha256");
  let [bytes, head] = [0, Buffer.alloc(0)];
  for await (const chunk of body as AsyncIterable<Buffer>) {
    hash.update(chunk);
    bytes += chunk.length;
    if (head.length < HEAD_BYTES) head = Buffer.concat([head, chunk.subarray(0, HEAD_BYTES)]);
  }
  const begin = JSON.stringify(mask(head.toString("utf8", 0, HEAD_BYTES)));
  return {
    status,
    answer: { status, contentType, bytes, sha256: hash.digest("hex") },
    seen: bytes === 0 ? `${status} without a body` : `${status} with the body ${begin}`,
  };
}

function whyNone(error: unknown, { scenario, port, transport }: AskRequest, signal: AbortSignal) {
  if (signal.aborted) return `no answer within ${scenario.requestTimeoutMs} ms`;
  if ((error as NodeJS.ErrnoException).code === "ECONNREFUSED") {
    return transport?.socket == null
      ? `no connection on port ${port}`
      : "no connection on its socket";
  }
  return `no answer (${messageOf(error)})`;
}

function bodyOf({ request: { body } }: AskRequest["scenario"], folder: string): Buffer | null {
  if (body === null) return null;
  return typeof body === "string"
    ? Buffer.from(body)
    : readFileSync(join(folder, placedBody(body)));
}
