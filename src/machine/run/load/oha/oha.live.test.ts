// The installed oha against a server in this process: that its flags mean what we take them to
// mean, and that its schedule is open.
import { once } from "node:events";
import { mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, type TestContext, test } from "vitest";
import { makeFolder } from "../../../../../test/support/files.ts";
import { makeLoad, serve } from "../../../../../test/support/load.ts";
import { makeRequest, makeScenario } from "../../../../../test/support/samples.ts";
import { makeCertificate, TRANSPORTS } from "../../../../../test/support/transport-address.ts";
import { serveOver } from "../../../../../test/support/transports.ts";
import type { Scenario } from "../../../../core/model/config.ts";
import { total } from "../../../../core/model/parts.ts";
import { type LoadRequest, type LoadResult, placedBody } from "../../../../core/slice/load.ts";
import { runCommand } from "../../../sys/process.ts";
import { ask } from "../../probe/ask.ts";
import { findFreePort } from "../../service/free-port.ts";
import { createOha } from "./oha.ts";

const version = (await runCommand(["oha", "--version"])).stdout.replace("oha ", "");
const oha = createOha({ path: "oha", version });
const PLACED = { path: "a", sha256: "5ca1ab1e", bytes: 3_000_000, repeat: null };

let folder = "";

beforeEach((context: TestContext) => {
  if (version === "") {
    console.warn("skipped: oha not on PATH");
    context.skip("oha not on PATH");
  }
  folder = makeFolder();
});
interface Load extends Partial<LoadRequest> {
  change?: Partial<Scenario>;
}

function requestOf({ change, ...asked }: Load): LoadRequest {
  const scenario = makeScenario({ rateRps: 400, connections: 4, ...change });
  return makeLoad({ scenario, folder, ...asked });
}

async function load(input: Load): Promise<LoadResult> {
  const result = await oha.run(requestOf(input));
  const own = readdirSync(folder).filter((name) => name !== placedBody(PLACED));
  expect(own, "files left behind").toEqual([]);
  return result;
}

async function done(input: Load) {
  const result = await load(input);
  if (result.kind === "failed") throw new Error(`${result.text}\n${result.detail}`);
  if (result.kind !== "done") throw new Error(`no rows but a ${result.kind}`);
  return result;
}

/** All that a configuration lets through unchanged. */
const PATH = "/a%20b//c;d^e|f$g!h'i(j)k*l+m,n:o@p[q]%2F~?c=d&e=[f]&g=^{}|`\\\\/?:@";

describe("what is sent", () => {
  test("method, path, headers and body arrive as they are configured", async () => {
    const seen: { head: string; headers: string[]; body: string }[] = [];
    const port = await serve(async (request, response) => {
      const body = Buffer.concat(await request.toArray()).toString();
      seen.push({ head: `${request.method} ${request.url}`, headers: request.rawHeaders, body });
      response.end();
    });
    const body = `-x ${"é".repeat(100_000)}`;
    const headers = {
      "Content-Type": "text/x-odd",
      "X-A": "b: c",
      "user-agent": "tester",
      Host: "api.example.org",
    };
    const request = makeRequest({ method: "PUT", path: PATH, headers, body });
    await done({ port, requests: 5, change: { request } });
    expect(seen).toHaveLength(5);
    for (const { head, headers: sent, body: received } of seen) {
      expect(head).toBe(`PUT ${PATH}`);
      expect(received === body).toBe(true);
      for (const [name, value] of Object.entries(headers)) {
        const at = sent.flatMap((text, i) => (text.toLowerCase() === name.toLowerCase() ? i : []));
        expect(
          at.map((i) => sent[i + 1]),
          name,
        ).toEqual([value]);
      }
      expect(sent.map((text) => text.toLowerCase())).not.toContain("accept-encoding");
    }
  });

  test("a body file is sent from the folder of the run", async () => {
    const content = Buffer.alloc(PLACED.bytes, "a\0\xff", "latin1");
    writeFileSync(join(folder, placedBody(PLACED)), content);
    const seen: boolean[] = [];
    const port = await serve(async (incoming, response) => {
      seen.push(Buffer.concat(await incoming.toArray()).equals(content));
      response.end();
    });
    const request = makeRequest({ method: "POST", path: "/", body: PLACED });
    await done({ port, requests: 3, change: { request } });
    expect(seen).toEqual([true, true, true]);
  });

  test("of a pattern each request gets a path of its own, on the same server", async () => {
    const seen: string[] = [];
    const port = await serve((request, response) => {
      seen.push(request.url ?? "");
      response.end();
    });
    const path = "/users/[1-9][0-9]{0,4}\\?cache=(true|false)&v=1\\.0";
    const request = makeRequest({ path, pathIsPattern: true });
    await done({ port, requests: 200, change: { request } });
    expect(seen).toHaveLength(200);
    for (const url of seen) expect(url).toMatch(new RegExp(`^${path}$`));
    expect(new Set(seen).size).toBeGreaterThan(150);
  });

  test("connections are kept, or opened for each request", async () => {
    const check = async (keepAlive: boolean, least: number, most: number): Promise<void> => {
      const sockets = new Set<unknown>();
      const port = await serve((request, response) => {
        sockets.add(request.socket);
        response.end();
      });
      await done({ port, requests: 40, change: { keepAlive } });
      expect(sockets.size).toBeGreaterThanOrEqual(least);
      expect(sockets.size).toBeLessThanOrEqual(most);
    };
    await check(true, 1, 4);
    await check(false, 40, 40);
  });
});

describe("what comes back", () => {
  test("every request is a row or an error, rows in the order of release", async () => {
    let count = 0;
    const port = await serve((_request, response) => {
      response.writeHead(++count % 4 === 0 ? 503 : 200).end();
    });
    const { rows, statuses, errors } = await done({ port, requests: 100 });
    expect(statuses).toEqual({ "200": 75, "503": 25 });
    expect(errors).toEqual({});
    expect(rows.release).toHaveLength(100);
    rows.release.forEach((release, i) => {
      expect(rows.start[i]).toBeGreaterThanOrEqual(release);
      expect(rows.end[i]).toBeGreaterThan(rows.start[i] as number);
      expect(release).toBeGreaterThanOrEqual(rows.release[i - 1] ?? 0);
    });
    // 100 requests at 400/s: the last is due 247.5 ms after the first, which a busy host may release late.
    const span = (rows.release[99] as number) - (rows.release[0] as number);
    expect(span).toBeGreaterThan(170_000);
  });

  test("a rate need not be whole", async () => {
    const port = await serve((_request, response) => response.end());
    // The last is due 800 ms after the first; 667 ms at 3/s, 1,000 ms at 2/s. A busy host makes it longer alone.
    const span = async (): Promise<number> => {
      const { rows } = await done({ port, requests: 3, change: { rateRps: 2.5 } });
      const [first = 0, , last = 0] = rows.release;
      expect(last - first).toBeGreaterThan(720_000);
      return last - first;
    };
    await expect.poll(span, { timeout: 60_000, interval: 0 }).toBeLessThan(950_000);
  });

  test("nobody listens: errors, no rows", async () => {
    const { rows, statuses, errors } = await done({ port: await findFreePort(), requests: 20 });
    expect([rows.release.length, statuses]).toEqual([0, {}]);
    expect(Object.values(errors)).toEqual([20]);
    expect(Object.keys(errors)[0]).toMatch(/refused/i);
  });

  test("a request that is not answered in time is an error", async () => {
    let count = 0;
    const port = await serve((_request, response) => {
      if (++count !== 3) response.end();
    });
    const { errors, statuses } = await done({
      port,
      requests: 10,
      change: { requestTimeoutMs: 1000 },
    });
    expect([statuses, errors]).toEqual([{ "200": 9 }, { timeout: 1 }]);
  });

  /** Bytes that answer a request, and whether the connection ends with it. */
  const ODD: Record<string, { bytes: string; ends?: true; status?: string; method?: string }> = {
    "early hints before it": {
      bytes:
        "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok",
    },
    "nothing new": { bytes: "HTTP/1.1 304 Not Modified\r\netag: x\r\n\r\n", status: "304" },
    "no content": { bytes: "HTTP/1.1 204 No Content\r\n\r\n", status: "204" },
    "a body of chunks": {
      bytes: "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
    },
    "a length without a body": {
      bytes: "HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n",
      method: "HEAD",
    },
    "HTTP/1.0, which closes": { bytes: "HTTP/1.0 200 OK\r\n\r\nok", ends: true },
  };
  test.each(Object.entries(ODD))("an answer with %s is one", async (_, odd) => {
    const { bytes, ends = false, status = "200", method = "GET" } = odd;
    const server = createTcpServer((socket) => {
      socket.on("error", () => {});
      // One request is one read here: none has a body.
      socket.on("data", () => (ends ? socket.end(bytes) : socket.write(bytes)));
    });
    onTestFinished(() => void server.close());
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const request = makeRequest({ method, path: "/" });
    const { statuses, errors } = await done({ port, requests: 20, change: { request } });
    expect([statuses, errors]).toEqual([{ [status]: 20 }, {}]);
  });

  test("a redirect is an answer and is not followed", async () => {
    const port = await serve((_request, response) => {
      response.writeHead(302, { location: "/elsewhere" }).end();
    });
    expect((await done({ port, requests: 5 })).statuses).toEqual({ "302": 5 });
  });
});

test("lines of files: each request gets one of them, and a first answer is asked for by the first", async () => {
  const [paths, bodies] = [
    ["/a?x=1", "/b", "/c"],
    ['{"id":1}', '{"id":2}'],
  ];
  const place = (sha256: string, lines: "paths" | "bodies", all: readonly string[]) => {
    const file = { path: lines, sha256, bytes: 1, repeat: null, lines };
    writeFileSync(join(folder, placedBody(file)), `${all.join("\r\n")}\r\n`);
    return file;
  };
  const request = makeRequest({
    method: "POST",
    path: "paths",
    paths: place("1", "paths", paths),
    body: place("2", "bodies", bodies),
  });
  const seen: string[] = [];
  const port = await serve(async (incoming, response) => {
    seen.push(`${incoming.url} ${Buffer.concat(await incoming.toArray())}`);
    response.end();
  });
  const sent = requestOf({ port, requests: 120, change: { request } });
  expect(await oha.run(sent)).toMatchObject({ kind: "done", statuses: { 200: 120 } });
  const all = paths.flatMap((path) => bodies.map((body) => `${path} ${body}`));
  expect(new Set(seen)).toEqual(new Set(all));
  expect(seen).toHaveLength(120);
  expect(readdirSync(folder).toSorted()).toEqual(["body-1", "body-2"]);
  expect(await ask(sent)).toMatchObject({ status: 200 });
  expect(seen.at(-1)).toBe('/a?x=1 {"id":1}');
});

describe.for(TRANSPORTS)("%s", (name) => {
  test("the rate is held, and a stall shows in everything that queued behind it", async () => {
    // One connection, answers at once, but the tenth after 200 ms: at 400/s the 80 requests of the
    // stall wait for their turn.
    let count = 0;
    const address = await serveOver(name, (_request, response) => {
      if (++count === 10) setTimeout(() => response.end(), 200);
      else response.end();
    });
    const tried = async () => {
      count = 0;
      const asked = { ...address, requests: 160, change: { connections: 1 } };
      const { rows, statuses } = await done(asked);
      expect(statuses).toEqual({ "200": 160 });
      expect(rows.release).toHaveLength(160);
      const slow = (from: Float64Array): number =>
        rows.end.filter((end, i) => end - (from[i] as number) > 50_000).length;
      const late = slow(rows.release);
      // The last is due 297.5 ms after the fortieth. The first ones may be late: with TLS their
      // handshakes take the generator's time.
      const span = (rows.release[159] as number) - (rows.release[40] as number);
      return {
        isHeld: span > 200_000 && span < 600_000,
        isQueued: late >= 50,
        // As a generator reports that starts the clock when it gets to send.
        isSentLate: slow(rows.start) >= late / 5,
      };
    };
    // A busy machine stops a generator, which it does not do for ever.
    await expect
      .poll(tried, { timeout: 60_000, interval: 0 })
      .toEqual({ isHeld: true, isQueued: true, isSentLate: false });
  });

  test("method, path, header and body arrive, of a pattern too", async () => {
    const seen: string[] = [];
    const address = await serveOver(name, async (incoming, response) => {
      const { method, url, headers } = incoming;
      const body = Buffer.concat(await incoming.toArray()).toString();
      seen.push([method, url, headers["x-a"], headers["content-type"], body].join(" "));
      response.end();
    });
    const headers = { "X-A": "b", "Content-Type": "text/x-odd" };
    const request = makeRequest({ method: "PUT", path: "/a?b=c", headers, body: "é" });
    await done({ ...address, requests: 3, change: { request } });
    const pattern = { ...request, path: "/[ab]\\.c", pathIsPattern: true };
    await done({ ...address, requests: 3, change: { request: pattern } });
    expect(seen.slice(0, 3)).toEqual(Array(3).fill("PUT /a?b=c b text/x-odd é"));
    expect(seen).toHaveLength(6);
    for (const one of seen.slice(3)) expect(one).toMatch(/^PUT \/[ab]\.c b text\/x-odd é$/);
  });

  test("who is not spoken to as it expects answers none of it, and every request is counted", async () => {
    const address = await serveOver(name, (_request, response) => response.end());
    const { transport } = address;
    const isHttp2 = transport !== undefined && transport.protocol !== "http1";
    const protocol = isHttp2 ? "http1" : "h2c";
    const other = { socket: null, tls: null, ...transport, protocol } as const;
    const { statuses, errors } = await done({ ...address, transport: other, requests: 20 });
    expect(statuses["200"]).toBeUndefined();
    expect(total(statuses) + total(errors)).toBe(20);
  });
});

test("a service whose certificate somebody else signed answers nothing", async () => {
  const { port, transport } = await serveOver("h2", (_request, response) => response.end());
  const stranger = await makeCertificate(mkdtempSync(join(folder, "other-")));
  const tls = { ca: stranger.ca, name: "localhost" };
  const result = await oha.run({
    ...requestOf({ port, requests: 5 }),
    transport: { protocol: "h2", socket: transport?.socket ?? null, tls },
  });
  expect(result).toMatchObject({ kind: "done", statuses: {} });
  if (result.kind === "done") {
    expect(Object.keys(result.errors)[0]).toMatch(/^invalid peer certificate/);
  }
});

test("an aborted run ends at once", async () => {
  const port = await serve((_request, response) => response.end());
  const abort = new AbortController();
  setTimeout(() => abort.abort(), 150);
  const startedMs = performance.now();
  expect((await load({ port, requests: 4000, abort: abort.signal })).kind).toBe("failed");
  expect(performance.now() - startedMs).toBeLessThan(5000);
});

test("what is sent without a rate is all sent, and faster than its rate", async () => {
  let count = 0;
  const port = await serve((_request, response) => {
    count++;
    response.end();
  });
  const startedMs = performance.now();
  const sent = await oha.send?.(requestOf({ port, requests: 200, change: { rateRps: 10 } }));
  expect(sent).toEqual({ kind: "sent", statuses: { "200": 200 }, errors: {} });
  expect(count).toBe(200);
  // 20 s at its rate.
  expect(performance.now() - startedMs).toBeLessThan(10_000);
  expect(readdirSync(folder)).toEqual([]);
});

test("a program that is not there is a failure in words", async () => {
  const nothing = createOha({ path: join(folder, "nothing"), version: "0" });
  expect(await nothing.run(makeLoad({ folder }))).toMatchObject({
    kind: "failed",
    text: expect.stringMatching(/^oha could not be started/),
    detail: expect.stringContaining("nothing"),
  });
});
