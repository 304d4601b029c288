// The contract's vectors: their format, sending one, and holding an answer against it.
import { readdirSync, readFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { expect } from "vitest";
import { SERVICES } from "./service.ts";

interface Vector {
  name: string;
  request: {
    method: string;
    path: string;
    headers?: Record<string, string>;
    body?: unknown;
    bodyText?: string;
    bodyBytes?: (string | { repeat: string; times: number } | { hex: string })[];
  };
  expect: {
    status: number;
    headers?: Record<string, string>;
    text?: string;
    json?: unknown;
    contains?: string[];
  };
}

const TIMESTAMP = "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{9}Z";

/** All vectors of a folder under `services/contract`, file by file, in order. */
export function readVectors(folder: string): Vector[] {
  const path = join(SERVICES, "contract", folder);
  return readdirSync(path)
    .filter((name) => name.endsWith(".json"))
    .flatMap((name) => JSON.parse(readFileSync(join(path, name), "utf8")) as Vector[]);
}

/** Sends the vectors in order; the first answer that is not as the contract says fails the test. */
export async function checkVectors(
  service: string,
  origin: string,
  vectors: readonly Vector[],
): Promise<void> {
  for (const vector of vectors) {
    const answer = await ask(origin, vector.request);
    const label = `${service}: ${vector.name}`;
    expect(answer.status, label).toBe(vector.expect.status);
    for (const [name, value] of Object.entries(vector.expect.headers ?? {})) {
      expect(answer.headers[name], `${label}, header ${name}`).toBe(value);
    }
    checkBody(answer.text, vector.expect, service, label);
  }
}

function checkBody(text: string, wanted: Vector["expect"], service: string, label: string): void {
  if (wanted.text !== undefined) {
    const pattern = wanted.text
      .split(/(\$service|\$timestamp)/)
      .map((part) =>
        part === "$service" ? service : part === "$timestamp" ? TIMESTAMP : RegExp.escape(part),
      )
      .join("");
    expect(text, label).toMatch(new RegExp(`^${pattern}$`, "su"));
  }
  for (const piece of wanted.contains ?? []) {
    expect(text, label).toContain(piece.replaceAll("$service", service));
  }
  if (wanted.json !== undefined) expectLike(JSON.parse(text), wanted.json, label);
}

function expectLike(actual: unknown, wanted: unknown, label: string): void {
  if (wanted === "$any-string") expect(typeof actual, label).toBe("string");
  else if (wanted === "$count")
    expect(Number.isSafeInteger(actual) && (actual as number) >= 0, label).toBe(true);
  else if (typeof wanted === "object" && wanted !== null) {
    expect(Object.keys(actual as object), label).toEqual(Object.keys(wanted));
    for (const [key, value] of Object.entries(wanted)) {
      expectLike((actual as Record<string, unknown>)[key], value, `${label}, ${key}`);
    }
  } else expect(actual, label).toEqual(wanted);
}

function bodyOf({ body, bodyText, bodyBytes }: Vector["request"]): Buffer | null {
  if (body !== undefined) return Buffer.from(JSON.stringify(body));
  if (bodyText !== undefined) return Buffer.from(bodyText);
  if (bodyBytes === undefined) return null;
  return Buffer.concat(
    bodyBytes.map((part) => {
      if (typeof part === "string") return Buffer.from(part);
      return "hex" in part
        ? Buffer.from(part.hex, "hex")
        : Buffer.from(part.repeat.repeat(part.times));
    }),
  );
}

const ASK_FIRST_BYTES = 1_000_000;

interface Answer {
  status: number | undefined;
  headers: Record<string, string | string[] | undefined>;
  text: string;
}

function ask(origin: string, wanted: Vector["request"]): Promise<Answer> {
  const body = bodyOf(wanted);
  // A server that refuses by the length alone closes the connection, and would cut us off in the
  // middle of the body.
  const asksFirst = body !== null && body.length > ASK_FIRST_BYTES;
  return new Promise((done, fail) => {
    const { hostname, port } = new URL(origin);
    const sent = request(
      {
        hostname,
        port,
        // As it stands: a URL object would tidy it up.
        path: wanted.path,
        method: wanted.method,
        agent: false,
        headers: {
          ...wanted.headers,
          ...(body === null ? {} : { "content-length": String(body.length) }),
          ...(asksFirst ? { expect: "100-continue" } : {}),
        },
      },
      (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (chunk: string) => {
          text += chunk;
        });
        response.on("end", () => {
          done({ status: response.statusCode, headers: response.headers, text });
          sent.destroy();
        });
      },
    );
    sent.on("error", fail);
    if (asksFirst) {
      sent.on("continue", () => sent.end(body));
      sent.flushHeaders();
    } else sent.end(body ?? undefined);
  });
}
