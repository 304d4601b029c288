// One request, once: sends it, reads the answer within its limits of time and size, and tells what
// could not be sent from what may have been done without an answer. Decides nothing about another
// attempt.
import { messageOf } from "../../core/base/errors.ts";

export interface Wire {
  method: "GET" | "POST" | "PATCH" | "DELETE";
  url: string;
  headers: Record<string, string>;
  /** JSON text; null for none. */
  body: string | null;
  /** Bytes of a successful answer beyond which reading stops. */
  maxBytes: number;
  timeoutMs: number;
  /** "manual" hands a redirect back, for addresses that must not see the token. */
  redirect: "follow" | "manual";
  abort?: AbortSignal;
}

export interface Answer {
  kind: "answer";
  status: number;
  headers: Headers;
  bytes: Uint8Array;
}

type Attempt =
  | Answer
  /** The answer is longer than `maxBytes`. */
  | { kind: "too-large" }
  /** No whole answer. `sent` is false only when the server cannot have seen the request. */
  | { kind: "lost"; sent: boolean; words: string; code: string | null };

/** A refusal says its words in far less; of a longer one the status is enough. */
const MAX_REFUSAL_BYTES = 2 ** 20;

/** Failures before a connection stands. */
const NOT_SENT = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
]);

export async function attempt(wire: Wire, send: typeof fetch): Promise<Attempt> {
  const { url, maxBytes, timeoutMs, abort, ...how } = wire;
  const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(abort ? [abort] : [])]);
  try {
    const response = await send(url, { ...how, signal });
    const bytes = await readWithin(response, response.ok ? maxBytes : MAX_REFUSAL_BYTES);
    if (bytes === null && response.ok) return { kind: "too-large" };
    return {
      kind: "answer",
      status: response.status,
      headers: response.headers,
      bytes: bytes ?? new Uint8Array(),
    };
  } catch (thrown) {
    return lost(thrown, timeoutMs);
  }
}

async function readWithin(response: Response, maxBytes: number): Promise<Uint8Array | null> {
  if (response.body === null) return new Uint8Array();
  if (Number(response.headers.get("content-length")) > maxBytes) {
    await response.body.cancel();
    return null;
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body) {
    size += chunk.byteLength;
    // Leaving the loop cancels the body, which closes the connection.
    if (size > maxBytes) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

function lost(thrown: unknown, timeoutMs: number): Attempt {
  if (thrown instanceof Error && thrown.name === "TimeoutError") {
    const words = `no answer within ${Math.round(timeoutMs / 1000)} s`;
    return { kind: "lost", sent: true, words, code: null };
  }
  // fetch says only "fetch failed"; what happened is its cause, or the cause of that.
  let cause = thrown;
  while (cause instanceof Error && cause.cause !== undefined) cause = cause.cause;
  const code = codeOf(cause);
  const words = code === null ? messageOf(cause) : `${code}: ${messageOf(cause)}`;
  return { kind: "lost", sent: code === null || !NOT_SENT.has(code), words, code };
}

function codeOf(thrown: unknown): string | null {
  if (typeof thrown !== "object" || thrown === null) return null;
  if ("code" in thrown && typeof thrown.code === "string") return thrown.code;
  // A name with several addresses fails with all of their failures.
  if (thrown instanceof AggregateError && thrown.errors.length > 0) return codeOf(thrown.errors[0]);
  return null;
}
