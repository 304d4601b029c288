// One scenario's request to a service of ours on this machine, and all of its answer.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { request as open } from "node:http";
import { join } from "node:path";
import type { Scenario } from "../../../core/model/config.ts";
import type { Answer } from "../../../core/model/samples.ts";
import { placedBody } from "../../../core/slice/load.ts";

export interface AskRequest {
  scenario: Pick<Scenario, "request" | "requestTimeoutMs">;
  port: number;
  /** Holds the body files of the run. */
  folder: string;
  abort: AbortSignal;
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

export function ask({ scenario, port, folder, abort }: AskRequest): Promise<Asked> {
  const { method, path, headers: own } = scenario.request;
  const body = bodyOf(scenario, folder);
  const signal = AbortSignal.any([abort, AbortSignal.timeout(scenario.requestTimeoutMs)]);
  return new Promise((resolve) => {
    const fail = (error: NodeJS.ErrnoException): void =>
      resolve({
        status: null,
        answer: null,
        seen: signal.aborted
          ? `no answer within ${scenario.requestTimeoutMs} ms`
          : error.code === "ECONNREFUSED"
            ? `no connection on port ${port}`
            : `no answer (${error.message})`,
      });
    const request = open(
      {
        host: "127.0.0.1",
        port,
        method,
        path,
        // Without the port, which is another for each launch and may be in what is answered.
        headers: {
          accept: "*/*",
          ...(body === null ? {} : { "content-length": body.length }),
          ...own,
          host: "127.0.0.1",
        },
        agent: false,
        insecureHTTPParser: true,
        signal,
      },
      (response) => {
        const hash = createHash("sha256");
        let [bytes, head] = [0, Buffer.alloc(0)];
        response.on("data", (chunk: Buffer) => {
          hash.update(chunk);
          bytes += chunk.length;
          if (head.length < HEAD_BYTES) head = Buffer.concat([head, chunk.subarray(0, HEAD_BYTES)]);
        });
        response.on("end", () => {
          const { statusCode: status = 0, headers } = response;
          const begin = JSON.stringify(head.toString("utf8", 0, HEAD_BYTES));
          resolve({
            status,
            answer: {
              status,
              contentType: headers["content-type"] ?? null,
              bytes,
              sha256: hash.digest("hex"),
            },
            seen: bytes === 0 ? `${status} without a body` : `${status} with the body ${begin}`,
          });
        });
        response.on("error", fail);
      },
    );
    request.on("error", fail);
    request.end(body ?? undefined);
  });
}

function bodyOf({ request: { body } }: AskRequest["scenario"], folder: string): Buffer | null {
  if (body === null) return null;
  return typeof body === "string"
    ? Buffer.from(body)
    : readFileSync(join(folder, placedBody(body)));
}
