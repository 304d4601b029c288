// The services' contract over real sockets: every vector, against both release binaries, in order.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { request } from "node:http";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const SERVICES = resolve(import.meta.dirname, "../../services");
const VECTORS = join(SERVICES, "contract/vectors");

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

const BUILDS = {
  "axum-api": {
    build: ["cargo", "build", "--release", "--locked"],
    binary: "target/release/axum-api",
  },
  "gin-api": {
    build: ["go", "build", "-trimpath", "-buildvcs=false", "-o", "bin/gin-api", "."],
    binary: "bin/gin-api",
  },
};

const TIMESTAMP = "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{9}Z";

const files = readdirSync(VECTORS).filter((name) => name.endsWith(".json"));
const vectors = files.flatMap(
  (file) => JSON.parse(readFileSync(join(VECTORS, file), "utf8")) as Vector[],
);

describe.each(Object.entries(BUILDS))("%s", (service, { build, binary }) => {
  let child: ChildProcess;
  let origin = "";

  beforeAll(async () => {
    const cwd = join(SERVICES, service);
    execFileSync(build[0] ?? "", build.slice(1), { cwd, stdio: "ignore" });
    child = spawn(join(cwd, binary), [], {
      env: { ADDR: "127.0.0.1:0" },
      stdio: ["ignore", "pipe", "ignore"],
    });
    if (child.stdout === null) throw new Error("no standard output");
    for await (const line of createInterface(child.stdout)) {
      origin = line.replace("listening on ", "");
      break;
    }
  });
  afterAll(async () => {
    const gone = new Promise((done) => child.once("exit", done));
    child.kill("SIGTERM");
    await gone;
  });

  test("answers every vector as the contract says", async () => {
    expect(vectors.length).toBeGreaterThan(50);
    for (const vector of vectors) {
      const answer = await ask(origin, vector.request);
      const label = `${service}: ${vector.name}`;
      expect(answer.status, label).toBe(vector.expect.status);
      for (const [name, value] of Object.entries(vector.expect.headers ?? {})) {
        expect(answer.headers[name], `${label}, header ${name}`).toBe(value);
      }
      checkBody(answer.text, vector.expect, service, label);
    }
  });
});

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

interface Answer {
  status: number | undefined;
  headers: Record<string, string | string[] | undefined>;
  text: string;
}

function ask(origin: string, wanted: Vector["request"]): Promise<Answer> {
  const body = bodyOf(wanted);
  return new Promise((done, fail) => {
    const sent = request(
      `${origin}${wanted.path}`,
      {
        method: wanted.method,
        agent: false,
        headers: {
          ...wanted.headers,
          ...(body === null ? {} : { "content-length": String(body.length) }),
        },
      },
      (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (chunk: string) => {
          text += chunk;
        });
        response.on("end", () =>
          done({ status: response.statusCode, headers: response.headers, text }),
        );
      },
    );
    // A body that is refused early may not be read to its end.
    sent.on("error", fail);
    sent.end(body ?? undefined);
  });
}
