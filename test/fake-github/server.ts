// The fake GitHub as a server: authentication, limits of rate, permissions, faults, the
// description's judgement and the log, around the routes. Binds 127.0.0.1 only.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { description } from "./description.ts";
import { type Blow, LIMIT, strike } from "./fault.ts";
import { graphQl } from "./graphql.ts";
import { grants, type Incoming, type Need, type Outgoing, type Route } from "./route.ts";
import { ACTIONS_ROUTES, BLOB_PATH } from "./routes-actions.ts";
import { DISCUSSION_ROUTES } from "./routes-discussion.ts";
import { REPOSITORY_ROUTES } from "./routes-repository.ts";
import { type Seed, seed as seedSchema } from "./seed.ts";
import { createWorld, type World } from "./world.ts";

export const ROUTES: readonly Route[] = [
  ...REPOSITORY_ROUTES,
  ...DISCUSSION_ROUTES,
  ...ACTIONS_ROUTES,
];

/** One request as it came, and what became of it. */
export interface LogEntry {
  method: string;
  /** Path and query. */
  path: string;
  /** Login of the token's owner; null for a token that is unknown or absent. */
  login: string | null;
  /** Whether a token came along at all. */
  hasToken: boolean;
  body: unknown;
  /** null when the connection was closed without an answer. */
  status: number | null;
  fault: Blow["kind"] | null;
  /** What GitHub's description finds wrong with the request or the answer. */
  problems: string[];
}

export type FakeGitHub = ReturnType<typeof createFakeGitHub>;
export type ServedGitHub = Awaited<ReturnType<typeof startFakeGitHub>>;

const MAX_BODY_BYTES = 100 * 2 ** 20;

/** In this process, spoken to by `fetch`, which needs no server and knows no faults. */
export function createFakeGitHub(seed: Seed = {}) {
  const world = createWorld(seedSchema.parse(seed));
  const log: LogEntry[] = [];
  const fetchHere: typeof fetch = async (input, init = {}) => {
    const headers = Object.fromEntries(new Headers(init.headers));
    const { method = "GET" } = init;
    const request = { method, url: new URL(String(input)), headers, text: String(init.body ?? "") };
    const entry = enter({ world, log }, request);
    const outgoing = answerTo(world, entry, request);
    entry.status = outgoing.status;
    const body = outgoing.bytes ?? JSON.stringify(outgoing.body);
    const noBody = [204, 302, 304].includes(outgoing.status);
    return new Response(noBody ? null : new Uint8Array(Buffer.from(body ?? "")), outgoing);
  };
  return {
    world,
    log,
    fetch: fetchHere,
    /** All that the description found wrong so far, with the request it was found in. */
    problems: () =>
      log.flatMap(({ method, path, problems }) =>
        problems.map((problem) => `${method} ${path}: ${problem}`),
      ),
  };
}

/** On a port of this machine, with faults on demand. `origin`: as clients see it, where it differs. */
export async function startFakeGitHub({
  seed = {},
  origin,
}: {
  seed?: Seed;
  origin?: string;
} = {}) {
  const fake = createFakeGitHub(seed);
  const server = createServer((request, response) => {
    serve({ ...fake, origin }, request, response).catch((thrown) => {
      process.stderr.write(`fake GitHub: ${thrown instanceof Error ? thrown.stack : thrown}\n`);
      response.destroy();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    ...fake,
    /** Address of the API, as GITHUB_API_URL has it. */
    url: `http://127.0.0.1:${port}`,
    async close() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

interface PlainRequest {
  method: string;
  url: URL;
  /** By name in lower case. */
  headers: Record<string, string>;
  text: string;
}

type Parts = Pick<FakeGitHub, "world" | "log">;

function enter({ world, log }: Parts, { method, url, headers, text }: PlainRequest): LogEntry {
  const name = tokenIn(headers);
  const entry: LogEntry = {
    method,
    path: url.pathname + url.search,
    login: world.tokens.get(name ?? "")?.login ?? null,
    hasToken: name !== null,
    body: parseJson(text),
    status: null,
    fault: null,
    problems: [],
  };
  log.push(entry);
  return entry;
}

function tokenIn({ authorization = "" }: PlainRequest["headers"]): string | null {
  return /^(?:Bearer|token) (.+)$/i.exec(authorization)?.[1] ?? null;
}

function answerTo(world: World, entry: LogEntry, request: PlainRequest): Outgoing {
  return request.url.pathname.startsWith(BLOB_PATH)
    ? blob(world, request)
    : api(world, entry, request);
}

async function serve(
  { world, log, origin }: Parts & { origin: string | undefined },
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const request: PlainRequest = {
    method: incoming.method ?? "GET",
    url: new URL(incoming.url ?? "/", origin ?? `http://${incoming.headers.host}`),
    headers: incoming.headers as Record<string, string>,
    text: await bodyOf(incoming),
  };
  const entry = enter({ world, log }, request);
  const blow = strike(world, entry.method, entry.path);
  entry.fault = blow?.kind ?? null;
  await answerUnder(blow, () => answerTo(world, entry, request), { entry, response });
}

interface Ending {
  entry: LogEntry;
  response: ServerResponse;
}

/** Answers as the fault would have it; null is no fault. */
async function answerUnder(
  blow: Blow | null,
  answer: () => Outgoing,
  ending: Ending,
): Promise<void> {
  const { response } = ending;
  const say = (status: number, message: string, headers: Record<string, string> = {}) =>
    send(ending, { status, headers, body: { message } });
  switch (blow?.kind) {
    case undefined:
      return send(ending, answer());
    case "delay":
      await delay(blow.ms);
      return send(ending, answer());
    case "status":
      return say(blow.status, blow.message, blow.headers);
    case "status-after":
      answer();
      return say(blow.status, "Server Error");
    case "body":
      return send(ending, { status: blow.status, bytes: Buffer.from(blow.body) });
    case "drop":
      response.destroy();
      return;
    case "drop-after":
      answer();
      response.destroy();
      return;
    case "truncate":
      return send(ending, { ...answer(), truncate: true });
    case "primary-limit":
      // GitHub's own words for the limits of rate.
      return say(403, "API rate limit exceeded for installation ID 1.", {
        "x-ratelimit-limit": String(LIMIT),
        "x-ratelimit-remaining": "0",
        "x-ratelimit-reset": String(Math.ceil(Date.now() / 1000) + blow.resetSeconds),
      });
    case "secondary-limit":
      return say(
        403,
        "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.",
        blow.retryAfterSeconds === null ? {} : { "retry-after": String(blow.retryAfterSeconds) },
      );
    default:
      return blow satisfies never;
  }
}

function api(world: World, entry: LogEntry, { url, headers }: PlainRequest): Outgoing {
  const token = world.tokens.get(tokenIn(headers) ?? "");
  if (token === undefined) {
    const message = entry.hasToken ? "Bad credentials" : "Requires authentication";
    return { status: 401, body: { message } };
  }
  if (url.pathname === "/graphql") {
    return { ...graphQl(world, token, entry.body), headers: RATE };
  }
  const found = routeOf(entry.method, url.pathname);
  const params = found?.params ?? {};
  const elsewhere =
    params.owner !== undefined && `${params.owner}/${params.repo}` !== world.repository;
  if (found === null || elsewhere) {
    return { status: 404, headers: RATE, body: { message: "Not Found" } };
  }
  const { route } = found;
  const requestPath = url.pathname;
  const incoming: Incoming = {
    world,
    token,
    params,
    query: url.searchParams,
    requestPath,
    origin: url.origin,
    body: entry.body,
  };
  const need = typeof route.need === "function" ? route.need(incoming) : route.need;
  if (need !== null && !grants(token, need)) {
    return {
      status: 403,
      headers: { ...RATE, "x-accepted-github-permissions": acceptedBy(need) },
      body: { message: "Resource not accessible by integration" },
    };
  }
  const problems = description.requestProblems(route.operation, {
    method: entry.method,
    path: escapedPath(route.path, params) + url.search,
    headers,
    ...(entry.body === undefined ? {} : { body: entry.body }),
  });
  entry.problems.push(...problems);
  if (problems.length > 0) {
    const message = `Invalid request.\n\n${problems.join("\n")}`;
    return { status: 422, headers: RATE, body: { message } };
  }
  const outgoing = route.handle(incoming);
  const body =
    outgoing.body === undefined || outgoing.status >= 300
      ? outgoing.body
      : description.fill(route.operation, outgoing.status, outgoing.body);
  if (outgoing.status < 300) {
    entry.problems.push(
      ...description.answerProblems(route.operation, outgoing.status, body ?? null),
    );
  }
  return { ...outgoing, body, headers: { ...RATE, ...outgoing.headers } };
}

/** A token that has used one request of its hour. */
const RATE = { "x-ratelimit-limit": String(LIMIT), "x-ratelimit-remaining": String(LIMIT - 1) };

function acceptedBy({ names, level }: Need): string {
  return names.map((name) => `${name}=${level}`).join("; ");
}

const PATTERNS = ROUTES.map((route) => ({
  route,
  pattern: new RegExp(
    `^${route.path.replace(/\{(\w+)\}/g, (_, name) =>
      ["path", "ref", "basehead"].includes(name) ? `(?<${name}>.+)` : `(?<${name}>[^/]+)`,
    )}$`,
  ),
}));

function routeOf(method: string, path: string) {
  for (const { route, pattern } of PATTERNS) {
    const match = route.method === method ? pattern.exec(path) : null;
    if (match === null) continue;
    const params = Object.fromEntries(
      Object.entries(match.groups ?? {}).map(([name, value]) => [name, decodeURIComponent(value)]),
    );
    return { route, params };
  }
  return null;
}

function escapedPath(template: string, params: Record<string, string>): string {
  return template.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(params[name] ?? ""));
}

/** The store behind the redirect: it refuses who shows a token, as GitHub's does. */
function blob(world: World, { url, headers }: PlainRequest): Outgoing {
  const id = Number(url.pathname.slice(BLOB_PATH.length));
  const artifact = world.artifacts.find((it) => it.id === id);
  const allowed = url.searchParams.has("sig") && headers.authorization === undefined;
  if (!allowed) return { status: 403, bytes: Buffer.from("<Error>AuthenticationFailed</Error>") };
  if (artifact === undefined)
    return { status: 404, bytes: Buffer.from("<Error>BlobNotFound</Error>") };
  return { status: 200, bytes: artifact.bytes };
}

function send(
  { entry, response }: Ending,
  { status, headers, body, bytes, truncate }: Outgoing & { truncate?: boolean },
): void {
  entry.status = truncate === true ? null : status;
  const content = bytes ?? Buffer.from(body === undefined ? "" : JSON.stringify(body));
  const type = bytes === undefined ? "application/json; charset=utf-8" : "application/octet-stream";
  const plain = status === 304 || status === 302;
  response.writeHead(status, {
    ...(plain ? {} : { "content-type": type, "content-length": content.length }),
    ...headers,
  });
  if (truncate === true) {
    response.write(content.subarray(0, Math.max(1, content.length >> 1)), () => response.destroy());
    return;
  }
  response.end(plain ? undefined : content);
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) throw new Error("a request of more than 100 MB");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function parseJson(text: string): unknown {
  if (text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
