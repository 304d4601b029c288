// One request to a service of ours on this machine and the head of its answer, over whatever
// transport the service has.
import { readFileSync } from "node:fs";
import { request as requestHttp1 } from "node:http";
import { connect as connectHttp2 } from "node:http2";
import { request as requestTls } from "node:https";
import { connect as connectSocket } from "node:net";
import type { Readable } from "node:stream";
import type { Address } from "../../../core/slice/load.ts";

interface Exchange {
  method: string;
  path: string;
  /** Default host: that of the connection. */
  headers?: Readonly<Record<string, string | number>>;
  body?: Buffer | null;
  signal: AbortSignal;
}

export interface Answered {
  status: number;
  contentType: string | null;
  /** Its body is compressed. */
  isEncoded: boolean;
  /** Destroying it, or reading it to its end, lets go of the connection. */
  body: Readable;
}

export const HOST = "127.0.0.1";
/** For the whole exchange: a page that trickles in must not hold up the round. */
const PAGE_TIMEOUT_MS = 2000;
const MOST_PAGE_CHARS = 4 * 1024 * 1024;

/**
 * Rejects with what the connection said. Hosts are named without the port, which is another for
 * each launch and may be in what is answered.
 */
export function exchange(address: Address, asked: Exchange): Promise<Answered> {
  return address.transport === undefined || address.transport.protocol === "http1"
    ? exchangeHttp1(address, asked)
    : exchangeHttp2(address, asked);
}

function exchangeHttp1({ port, transport }: Address, asked: Exchange): Promise<Answered> {
  const { method, path, headers = {}, body, signal } = asked;
  const { socket = null, tls = null } = transport ?? {};
  const names = Object.keys(headers).map((name) => name.toLowerCase());
  const host = names.includes("host") ? {} : { host: tls?.name ?? HOST };
  return new Promise((resolve, reject) => {
    const open = tls === null ? requestHttp1 : requestTls;
    const request = open(
      {
        ...(socket === null ? { host: HOST, port } : { socketPath: socket }),
        ...(tls === null ? {} : { ca: readFileSync(tls.ca), servername: tls.name }),
        method,
        path,
        headers: { ...headers, ...host },
        agent: false,
        insecureHTTPParser: true,
        signal,
      },
      (response) => {
        const { statusCode: status = 0, headers: got } = response;
        const isEncoded = isCompressed(got["content-encoding"]);
        resolve({ status, contentType: got["content-type"] ?? null, isEncoded, body: response });
      },
    );
    request.on("error", reject);
    request.end(body ?? undefined);
  });
}

function exchangeHttp2({ port, transport }: Address, asked: Exchange): Promise<Answered> {
  const { method, path, headers, body, signal } = asked;
  const { socket = null, tls = null } = transport ?? {};
  return new Promise((resolve, reject) => {
    const session = connectHttp2(`${tls === null ? "http" : "https"}://${HOST}:${port}`, {
      ...(socket === null ? {} : { createConnection: () => connectSocket(socket) }),
      ...(tls === null ? {} : { ca: readFileSync(tls.ca), servername: tls.name }),
    });
    const request = session.request(
      { ...headers, ":method": method, ":path": path, ":authority": tls?.name ?? HOST },
      { signal, endStream: body == null },
    );
    // Of a session that broke, the request's error says only that it was cancelled.
    session.on("error", reject);
    request.on("error", (error) => reject(error.cause ?? error));
    request.on("response", ({ ":status": status = 0, ...got }) => {
      const isEncoded = isCompressed(got["content-encoding"]);
      resolve({ status, contentType: got["content-type"] ?? null, isEncoded, body: request });
    });
    request.on("close", () => {
      session.destroy();
      reject(new Error("the connection was closed without an answer"));
    });
    if (body != null) request.end(body);
  });
}

const isCompressed = (encoding: string | undefined): boolean =>
  encoding !== undefined && encoding !== "identity";

/** The body as text; null: it is longer. */
export async function readText(body: Readable, mostChars: number): Promise<string | null> {
  let text = "";
  for await (const chunk of body.setEncoding("utf8")) {
    text += chunk;
    if (text.length > mostChars) return null;
  }
  return text;
}

/** One page; null where it cannot be had, since a scrape decides nothing. */
export async function fetchText(
  address: Address,
  path: string,
  abort: AbortSignal,
): Promise<string | null> {
  const signal = AbortSignal.any([abort, AbortSignal.timeout(PAGE_TIMEOUT_MS)]);
  try {
    const { status, body } = await exchange(address, { method: "GET", path, signal });
    const text = await readText(body, MOST_PAGE_CHARS);
    return status === 200 ? text : null;
  } catch {
    return null;
  }
}
