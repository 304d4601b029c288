// The fake oha beside the real one: the same flags, the same files, the same ends. What differs is
// how long requests took.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, type TestContext, test } from "vitest";
import type { Scenario } from "../../../src/core/model/config.ts";
import { placedBody } from "../../../src/core/slice/load.ts";
import { findOha } from "../../../src/machine/build/oha-tool.ts";
import { createOha, ohaArguments } from "../../../src/machine/run/load/oha/oha.ts";
import { findFreePort } from "../../../src/machine/run/service/free-port.ts";
import { cacheFolder } from "../../../src/machine/sys/files.ts";
import { runCommand } from "../../../src/machine/sys/process.ts";
import { makeFolder } from "../files.ts";
import { makeLoad, serve } from "../load.ts";
import { makeRequest, makeScenario } from "../samples.ts";
import { TRANSPORTS } from "../transport-address.ts";
import { serveOver } from "../transports.ts";

const FAKE = join(import.meta.dirname, "oha");
const { oha } = await findOha({ cache: cacheFolder(process.env), env: process.env });

/** Paths of both programs; without the real one there is nothing to hold the fake against. */
function both(context: TestContext): [real: string, fake: string] {
  if (oha === null) {
    console.warn("skipped: oha not installed");
    context.skip("oha not installed");
  }
  return [oha?.path ?? "", FAKE];
}

const scenarioWith = (change: Partial<Scenario> = {}) =>
  makeScenario({ rateRps: 400, connections: 4, ...change });

const load = (path: string, port: number, change: Partial<Scenario> = {}, folder = makeFolder()) =>
  createOha({ path, version: "0" }).run(makeLoad({ scenario: scenarioWith(change), port, folder }));

/** Runs the program as we do, but keeps what it writes. */
async function files(program: string, port: number) {
  const folder = makeFolder();
  const [database, report] = [join(folder, "oha.db"), join(folder, "oha.json")];
  const asked = makeLoad({ scenario: scenarioWith(), port, folder });
  const flags = ohaArguments(asked, { database, report, body: "", urls: "" });
  const { code, stdout } = await runCommand([program, ...flags]);
  expect(code).toBe(0);
  return { stdout, report: JSON.parse(readFileSync(report, "utf8")), database };
}

function tableOf(path: string) {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    return {
      columns: database.prepare("SELECT name, type, [notnull] FROM pragma_table_info('oha')").all(),
      rows: database
        .prepare("SELECT url, status, len_bytes, start, [end], duration, run FROM oha")
        .all(),
      sums: database
        .prepare(
          "SELECT max(abs([end] - start_latency_correction - duration)) AS beside FROM oha WHERE start >= start_latency_correction",
        )
        .get() as { beside: number },
    };
  } finally {
    database.close();
  }
}

test("both tell a version that is taken", async (context) => {
  for (const path of both(context)) {
    const { stdout } = await runCommand([path, "--version"]);
    expect(stdout).toMatch(/^oha 1\.16\.\d+/);
  }
});

test.for([200, 503])(
  "report and rows of answers with %i have one form",
  async (status, context) => {
    const port = await serve((_request, response) => response.writeHead(status).end("hello\n"));
    const [real, fake] = both(context);
    const [theirs, ours] = [await files(real, port), await files(fake, port)];
    expect(theirs.report).toMatchObject(ours.report);
    const [wanted, got] = [tableOf(theirs.database), tableOf(ours.database)];
    expect(got.columns).toEqual(wanted.columns);
    expect(got.rows).toHaveLength(wanted.rows.length);
    for (const { rows, sums } of [wanted, got]) {
      const [first] = rows;
      expect(first).toMatchObject({ url: "/echo", len_bytes: "hello\n".length });
      // Seconds since the start of the program, and since 1970.
      for (const { start, end, duration } of rows) {
        expect(Number(end)).toBeLessThan(5);
        expect(Number(end)).toBeGreaterThan(Number(start));
        expect(Number(duration)).toBeGreaterThan(0);
      }
      expect(Math.abs(Number(first?.run) - Date.now() / 1000)).toBeLessThan(60);
      expect(sums.beside).toBeLessThan(1e-6);
    }
  },
);

test("both read alike: statuses, errors, a schedule that is kept", async (context) => {
  let count = 0;
  const port = await serve((_request, response) => {
    response.writeHead(++count % 4 === 0 ? 503 : 200).end();
  });
  for (const path of both(context)) {
    count = 0;
    const result = await load(path, port);
    expect(result).toMatchObject({ kind: "done", statuses: { "200": 75, "503": 25 }, errors: {} });
    if (result.kind !== "done") continue;
    const { release } = result.rows;
    expect(release).toHaveLength(100);
    // 100 requests at 400/s: the last is due 247.5 ms after the first.
    const spanUs = (release[99] as number) - (release[0] as number);
    expect(spanUs).toBeGreaterThan(240_000);
    expect(result.wallMs).toBeGreaterThan(240);
  }
});

test("both end alike where nobody listens, and where nobody answers", async (context) => {
  const port = await findFreePort();
  const silent = await serve(() => {});
  for (const path of both(context)) {
    expect(await load(path, port)).toMatchObject({
      kind: "done",
      statuses: {},
      errors: { "Connection refused (os error 111)": 100 },
    });
    const late = await load(path, silent, { requestTimeoutMs: 50, connections: 40 });
    expect(late).toMatchObject({ kind: "done", statuses: {}, errors: { timeout: 100 } });
  }
});

test("method, path, headers and body arrive alike", async (context) => {
  const seen: string[][] = [];
  const port = await serve(async (incoming, response) => {
    const body = Buffer.concat(await incoming.toArray()).toString();
    const { method = "", url = "", headers } = incoming;
    seen.push([method, url, headers["content-type"] ?? "", String(headers["x-a"]), body]);
    response.end();
  });
  const headers = { "Content-Type": "text/x-odd", "X-A": "b: c" };
  const request = makeRequest({ method: "PUT", path: "/a%20b?c=d", headers, body: "-x é" });
  for (const path of both(context)) {
    seen.length = 0;
    await load(path, port, { request, keepAlive: false });
    expect([...new Set(seen.map(String))]).toEqual(["PUT,/a%20b?c=d,text/x-odd,b: c,-x é"]);
  }
});

test("each request has one of the lines of a file, of both", async (context) => {
  const seen = new Set<string>();
  const port = await serve(async (incoming, response) => {
    const body = Buffer.concat(await incoming.toArray()).toString();
    seen.add(`${incoming.url} ${body}`);
    response.end();
  });
  const folder = makeFolder();
  const place = (lines: "paths" | "bodies", text: string) => {
    const file = { path: lines, sha256: lines, bytes: 1, repeat: null, lines };
    writeFileSync(join(folder, placedBody(file)), text);
    return file;
  };
  const request = makeRequest({
    method: "POST",
    path: "paths",
    paths: place("paths", "/a\n/b\n/c\n"),
    body: place("bodies", "1\r\n2\r\n"),
  });
  for (const path of both(context)) {
    seen.clear();
    await load(path, port, { request }, folder);
    const all = ["/a", "/b", "/c"].flatMap((one) => [`${one} 1`, `${one} 2`]);
    expect([...seen].toSorted(), path).toEqual(all);
  }
});

test.for(TRANSPORTS)(
  "over %s both get answers, and the service sees the same",
  async (name, context) => {
    const seen: string[] = [];
    const address = await serveOver(name, (incoming, response) => {
      seen.push([incoming.httpVersion, incoming.method, incoming.url].join(" "));
      response.end();
    });
    const views: string[][] = [];
    for (const path of both(context)) {
      seen.length = 0;
      const asked = { scenario: scenarioWith(), ...address, requests: 20, folder: makeFolder() };
      const result = await createOha({ path, version: "0" }).run(makeLoad(asked));
      expect(result).toMatchObject({ kind: "done", statuses: { "200": 20 }, errors: {} });
      views.push([...new Set(seen)]);
    }
    expect(views[0]).toEqual(views[1]);
  },
);

test("of a pattern the fake asks for a path that matches", async () => {
  const seen = new Set<string>();
  const port = await serve((incoming, response) => {
    seen.add(incoming.url ?? "");
    response.end();
  });
  const path = "/users/[1-9][0-9]{0,4}\\?cache=(true|false)&v=1\\.0";
  const request = makeRequest({ path, pathIsPattern: true });
  await load(FAKE, port, { request });
  for (const url of seen) expect(url).toMatch(new RegExp(`^${path}$`));
});

test("both refuse a flag that oha does not know", async (context) => {
  for (const path of both(context)) {
    expect((await runCommand([path, "--nonsense", "http://127.0.0.1:1"])).code).toBe(2);
  }
});

test("the fake's latencies are the service's word, and the same again from the same seed", async () => {
  const port = await serve((_request, response) => {
    response.setHeader("x-latency-us", "7000").end();
  });
  const [first, again] = [await load(FAKE, port), await load(FAKE, port)];
  if (first.kind !== "done" || again.kind !== "done") throw new Error(first.kind);
  const tookUs = first.rows.end.map((end, i) => end - (first.rows.release[i] as number));
  const p50 = tookUs.toSorted()[50] ?? 0;
  expect(p50).toBeGreaterThan(6500);
  expect(p50).toBeLessThan(7500);
  expect(again.rows).toEqual(first.rows);
});
