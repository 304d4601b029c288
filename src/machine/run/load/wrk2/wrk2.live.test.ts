// The installed wrk2 against a server in this process: that it does what its source let us expect.
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, type TestContext, test } from "vitest";
import { makeFolder } from "../../../../../test/support/files.ts";
import { makeLoad, serve } from "../../../../../test/support/load.ts";
import { makeRequest, makeScenario } from "../../../../../test/support/samples.ts";
import type { Scenario } from "../../../../core/model/config.ts";
import { requestsUnaccounted } from "../../../../core/model/load-rules.ts";
import {
  type LoadDistribution,
  type LoadGenerator,
  type LoadResult,
  placedBody,
} from "../../../../core/slice/load.ts";
import { findFreePort } from "../../service/free-port.ts";
import { probeWrk2Floor } from "./floor.ts";
import { findWrk2 } from "./tool.ts";
import { createWrk2 } from "./wrk2.ts";

const found = await findWrk2(process.env.PATH);
const wrk2 = createWrk2(found ?? { path: "wrk2", version: "none" });
const PLACED = { path: "a", sha256: "5ca1ab1e", bytes: 300_000, repeat: null };

let folder = "";

beforeEach((context: TestContext) => {
  if (found === null) {
    console.warn("skipped: wrk2 not on PATH");
    context.skip("wrk2 not on PATH");
  }
  folder = makeFolder();
});

interface Load {
  port: number;
  seconds?: number;
  abort?: AbortSignal;
  change?: Partial<Scenario>;
}

async function load({ port, seconds = 1, abort, change }: Load): Promise<LoadResult> {
  const scenario = scenarioOf(change);
  const requests = seconds * scenario.rateRps;
  const cut = abort === undefined ? {} : { abort };
  const result = await wrk2.run(makeLoad({ scenario, port, requests, folder, ...cut }));
  const own = readdirSync(folder).filter((name) => name !== placedBody(PLACED));
  expect(own, "files left behind").toEqual([]);
  return result;
}

const scenarioOf = (change: Partial<Scenario> = {}) =>
  makeScenario({ rateRps: 400, connections: 4, generator: "wrk2", ...change });

async function measured(input: Load): Promise<LoadDistribution> {
  const result = await load(input);
  if (result.kind === "failed") throw new Error(`${result.text}\n${result.detail}`);
  if (result.kind !== "distribution") throw new Error(`not a distribution but ${result.kind}`);
  return result;
}

test("method, path, headers and body arrive as they are configured", async () => {
  const seen: { head: string; headers: string[]; body: string }[] = [];
  const port = await serve(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString("utf8");
    seen.push({ head: `${request.method} ${request.url}`, headers: request.rawHeaders, body });
    response.end();
  });
  const body = `-x ${"é".repeat(10_000)}`;
  const headers = { "Content-Type": "text/x-odd", "X-A": 'b: "c"\\n', host: "api.example.org" };
  const request = makeRequest({ method: "PUT", path: "/a%20b?c=d&e=[f]", headers, body });
  await measured({ port, change: { request } });
  expect(seen.length).toBeGreaterThan(20);
  for (const { head, headers: sent, body: received } of seen) {
    expect(head).toBe("PUT /a%20b?c=d&e=[f]");
    expect(received === body).toBe(true);
    expect(sent).toEqual(expect.arrayContaining(["X-A", 'b: "c"\\n', "Content-Type"]));
    const hosts = sent.filter((_, i) => sent[i - 1]?.toLowerCase() === "host");
    expect(hosts).toEqual(["api.example.org"]);
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
  await measured({ port, change: { request, rateRps: 40, connections: 2 } });
  expect(seen.length).toBeGreaterThan(20);
  expect(new Set(seen)).toEqual(new Set([true]));
});

test("connections are kept, or opened for each request", async () => {
  const socketsOf = async (keepAlive: boolean): Promise<{ sockets: number; answers: number }> => {
    const sockets = new Set<unknown>();
    const port = await serve((request, response) => {
      sockets.add(request.socket);
      response.end();
    });
    const { latencies, errors } = await measured({ port, change: { keepAlive } });
    expect(errors).toEqual({});
    return { sockets: sockets.size, answers: latencies.length };
  };
  expect((await socketsOf(true)).sockets).toBe(4);
  const { sockets, answers } = await socketsOf(false);
  expect(sockets).toBeGreaterThanOrEqual(answers);
});

test("statuses are counted, and the schedule is accounted for but for what was under way", async () => {
  let count = 0;
  const port = await serve((_request, response) => {
    response.writeHead(++count % 4 === 0 ? 503 : 200).end();
  });
  const { statuses, errors, scheduled, latencies, durationMs } = await measured({
    port,
    seconds: 2,
  });
  const answers = (statuses["200"] ?? 0) + (statuses["503"] ?? 0);
  expect(Object.keys(statuses)).toEqual(["200", "503"]);
  // What was under way at the end was answered and not read: one on each connection at most.
  expect(answers).toBeLessThanOrEqual(count);
  expect(count - answers).toBeLessThanOrEqual(4);
  expect((statuses["503"] ?? 0) / answers).toBeCloseTo(0.25, 2);
  expect(errors).toEqual({});
  expect(durationMs).toBe(2000);
  // The machine of a test need not be quiet: a late schedule leaves much behind.
  expect(answers).toBeLessThanOrEqual(scheduled + requestsUnaccounted(scenarioOf()));
  expect(answers).toBeGreaterThan(0.5 * scheduled);
  expect(answers - latencies.length).toBeLessThanOrEqual(4);
});

test("latency counts from the schedule: a stall shows in everything behind it", async () => {
  // One connection at 400/s, answers at once, but the hundredth after 300 ms.
  let count = 0;
  const port = await serve((_request, response) => {
    if (++count === 100) setTimeout(() => response.end(), 300);
    else response.end();
  });
  const { latencies, sinceSend, slackUs } = await measured({
    port,
    seconds: 2,
    change: { connections: 1 },
  });
  const late = latencies.filter((us) => us > 50_000).length;
  expect(late).toBeGreaterThanOrEqual(100);
  // Since it was sent, only the stalled request is slow: ours, and those that a busy machine
  // stalls.
  const slow = sinceSend.counts.filter((_, i) => (sinceSend.values[i] ?? 0) > 50_000);
  expect(slow.reduce((sum, n) => sum + n, 0)).toBeLessThan(late / 5);
  expect(slackUs).toBeGreaterThan(10_000);
});

/** wrk2, stopped from .4 to .8 s of its run. */
function stoppedWrk2(): LoadGenerator {
  const path = join(folder, "stopped");
  writeFileSync(
    path,
    `#!/bin/sh\n"${found?.path}" "$@" & sleep .4; kill -STOP $!; sleep .4; kill -CONT $!; wait $!\n`,
    { mode: 0o755 },
  );
  return createWrk2({ path, version: "4.0.0" });
}

test("a stop of its own is known", async () => {
  const port = await serve((_request, response) => response.end());
  const scenario = scenarioOf({ rateRps: 40, connections: 2 });
  const overslept = async (): Promise<number> => {
    const requests = 2 * scenario.rateRps;
    const load = await stoppedWrk2().run(makeLoad({ scenario, port, requests, folder }));
    if (load.kind !== "distribution") throw new Error(`not a distribution but ${load.kind}`);
    return load.oversleptUs;
  };
  // Stopped with a request under way, wrk2 seems to wait for the answer.
  await expect.poll(overslept, { timeout: 20_000, interval: 0 }).toBeGreaterThan(300_000);
});

test("what a stall leaves unsent at the end is known, and is no stop of its own", async () => {
  const tried = async (): Promise<number> => {
    let firstMs: number | null = null;
    const port = await serve((_request, response) => {
      firstMs ??= performance.now();
      const sinceMs = performance.now() - firstMs;
      // Shortly after the end of 2 s. 80 ms after it wrk2 would no longer wait.
      if (sinceMs < 1700) response.end();
      else setTimeout(() => response.end(), 2030 - sinceMs);
    });
    const change = { connections: 16 };
    const load = await measured({ port, seconds: 2, change });
    const missing = load.scheduled - (load.statuses["200"] ?? 0);
    expect(missing).toBeGreaterThan(requestsUnaccounted(scenarioOf(change)));
    // The machine of a test need not be quiet.
    expect(load.oversleptUs).toBeLessThan(300_000);
    return missing - load.unsent;
  };
  const slack = requestsUnaccounted(scenarioOf({ connections: 16 }));
  await expect.poll(tried, { timeout: 20_000, interval: 0 }).toBeLessThanOrEqual(slack);
});

test("requests that a service swallows are not the generator's", async () => {
  let count = 0;
  const port = await serve((_request, response) => {
    if (++count % 100 !== 0) response.end();
  });
  const load = await measured({ port, seconds: 2 });
  const answered = load.statuses["200"] ?? 0;
  const missing = load.scheduled - answered;
  expect(missing - load.unsent).toBeGreaterThan(requestsUnaccounted(scenarioOf()));
  expect(load.sent - answered).toBeGreaterThan(0);
});

test("a connection that is reset is an error", async () => {
  let count = 0;
  const port = await serve((request, response) => {
    if (++count % 10 === 0) request.socket.resetAndDestroy();
    else response.end();
  });
  expect((await measured({ port })).errors.read).toBeGreaterThan(10);
});

test("a connection that the service closes is not used again: its requests are missing", async () => {
  let count = 0;
  const port = await serve((request, response) => {
    if (++count === 100) request.socket.end();
    else response.end();
  });
  const { scheduled, statuses, unsent } = await measured({ port });
  const missing = scheduled - (statuses["200"] ?? 0);
  expect(missing - unsent).toBeGreaterThan(requestsUnaccounted(scenarioOf()));
});

test("where nobody listens it fails in its own words", async () => {
  const refused = await load({ port: await findFreePort() });
  expect(refused).toMatchObject({ kind: "failed", detail: expect.stringMatching(/refused/i) });
});

test("a service that never answers leaves nothing recorded", async () => {
  const port = await serve(() => {});
  const { latencies, statuses } = await measured({ port });
  expect([latencies.length, statuses]).toEqual([0, {}]);
});

test("a run that would outlast its memory is refused", async () => {
  const result = await load({ port: 1, seconds: 9 });
  expect(result).toMatchObject({ kind: "failed", text: expect.stringContaining("10 s") });
});

test("an aborted run ends at once", async () => {
  const port = await serve((_request, response) => response.end());
  const abort = new AbortController();
  setTimeout(() => abort.abort(), 150);
  const startedMs = performance.now();
  expect((await load({ port, seconds: 5, abort: abort.signal })).kind).toBe("failed");
  expect(performance.now() - startedMs).toBeLessThan(4500);
});

test("its floor: timers of milliseconds, on top of an exchange of much less", async () => {
  const floor = await probeWrk2Floor(wrk2, makeLoad({ folder }));
  expect(floor?.p50Us).toBeGreaterThan(300);
  expect(floor?.p99Us).toBeGreaterThan(floor?.p50Us ?? Number.NaN);
  expect(floor?.slackUs).toBeGreaterThan(300);
});
