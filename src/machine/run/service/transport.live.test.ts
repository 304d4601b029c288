// Services of every transport: started, known to be ready, asked, loaded for a round by a fake oha,
// and stopped.
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { quietCounters } from "../../../../test/support/run.ts";
import { makeConfig, makeRequest, makeScenario } from "../../../../test/support/samples.ts";
import { makeCertificate } from "../../../../test/support/transport-address.ts";
import type { BeforeRequest, Recipe, Transport } from "../../../core/model/config.ts";
import { planRound } from "../../../core/plan/round.ts";
import { systemClock } from "../../sys/clock.ts";
import { createOha } from "../load/oha/oha.ts";
import { ask } from "../probe/ask.ts";
import { fetchText } from "../probe/exchange.ts";
import { runRound } from "../round.ts";
import { type LaunchResult, launchService, type ServiceTarget } from "./launch.ts";

const SERVER = join(import.meta.dirname, "../../../../test/fixtures/service/transports.mjs");
const FAKE_OHA = join(import.meta.dirname, "../../../../test/support/fake-oha/oha");
const TLS = { ca: "tls/ca.pem", name: "localhost" };

const CASES = {
  http1: undefined,
  "http1-tls": { protocol: "http1", socket: false, tls: TLS },
  "http1-socket": { protocol: "http1", socket: true, tls: null },
  h2c: { protocol: "h2c", socket: false, tls: null },
  "h2c-socket": { protocol: "h2c", socket: true, tls: null },
  h2: { protocol: "h2", socket: false, tls: TLS },
} satisfies Record<string, Transport | undefined>;
type Name = keyof typeof CASES;
const NAMES = Object.keys(CASES) as Name[];

let folder = "";
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "tailgate-transports-"));
  mkdirSync(join(folder, "tls"));
  await makeCertificate(join(folder, "tls"));
  return () => rmSync(folder, { recursive: true, force: true });
});

function targetOf(name: Name, change: Partial<Recipe> = {}): ServiceTarget {
  const [service] = makeConfig().services;
  if (service === undefined) throw new Error("no service");
  const transport: Transport | undefined = CASES[name];
  const place = transport?.socket === true ? "{socket}" : "{port}";
  const certificate = transport?.tls == null ? [] : ["tls/cert.pem", "tls/key.pem"];
  return {
    folder,
    artifact: null,
    recipe: {
      ...service.recipe,
      ...(transport === undefined ? {} : { transport }),
      run: [process.execPath, SERVER, name.replace("-socket", ""), place, ...certificate],
      ready: { kind: "http", path: "/healthz", timeoutMs: 10_000 },
      ...change,
    },
  };
}

async function launch(target: ServiceTarget): Promise<LaunchResult> {
  const abort = new AbortController().signal;
  const result = await launchService(target, { clock: systemClock, abort });
  if (result.kind === "running") onTestFinished(() => result.service.stop());
  return result;
}

test.for(NAMES)("%s: ready, asked, scraped, and nothing left of it", async (name) => {
  const result = await launch(targetOf(name));
  if (result.kind === "failed") throw new Error(result.text + result.detail);
  const { port, transport } = result.service;
  const abort = new AbortController().signal;
  const version = name.startsWith("h2") ? "2.0" : "1.1";
  const request = makeRequest({ method: "PUT", path: "/a?b", body: "é" });
  const scenario = { request, requestTimeoutMs: 5000 };
  expect(await ask({ scenario, port, transport, folder, abort })).toMatchObject({
    status: 200,
    answer: { contentType: null, bytes: 15 },
    seen: `200 with the body "${version} PUT /a?b é"`,
  });
  expect(await fetchText(result.service, "/metrics", abort)).toBe(`${version} GET /metrics `);
  await result.service.stop();
  expect(transport?.socket == null ? false : existsSync(join(transport.socket, ".."))).toBe(false);
  expect((await ask({ scenario, port, transport, folder, abort })).seen).toMatch(/^no /);
});

test.for(NAMES)("%s: asked before any load", async (name) => {
  writeFileSync(join(folder, "login.txt"), "é");
  const headers = { "content-type": "text/plain" };
  const values = {
    method: "method",
    version: "httpVersion",
    type: "headers.content-type",
    body: "body",
  };
  const launchWith = (path: string, body: BeforeRequest["request"]["body"]) =>
    launch(targetOf(name, { before: { request: { method: "PUT", path, headers, body }, values } }));
  const result = await launchWith("/json", { file: "login.txt" });
  if (result.kind === "failed") throw new Error(result.text + result.detail);
  const version = name.startsWith("h2") ? "2.0" : "1.1";
  expect(result.service.values).toEqual({ method: "PUT", version, type: "text/plain", body: "é" });
  expect(await launchWith("/a", "b")).toMatchObject({
    reason: "start",
    text: "was ready, and its `before` sent PUT /a and got 200, and the answer is not JSON",
    detail: "",
  });
  expect(await launchWith("/json", { file: "none" })).toMatchObject({
    text: expect.stringContaining("has a bodyFile that cannot be read: ENOENT"),
    next: expect.stringContaining("Correct `before.request.bodyFile`"),
  });
});

test.for(NAMES)("%s: ready as soon as it accepts", async (name) => {
  const ready = { kind: "tcp", timeoutMs: 10_000 } as const;
  expect((await launch(targetOf(name, { ready }))).kind).toBe("running");
});

test("a service on a port that was told a socket is told so", async () => {
  const run = [process.execPath, SERVER, "http1", "{port}"];
  const ready = { kind: "http", path: "/", timeoutMs: 1500 } as const;
  expect(await launch(targetOf("http1-socket", { run, ready }))).toMatchObject({
    kind: "failed",
    reason: "not-ready",
    text: expect.stringMatching(
      /^was not ready within 1.5 s: nothing listened on its socket; it listens on 127\.0\.0\.1:\d+$/,
    ),
    next: expect.stringContaining("`{socket}`"),
  });
});

test("a certificate that cannot be verified is not ready, and one that is missing is named", async () => {
  const check = async (recipe: Partial<Recipe>, text: RegExp): Promise<void> => {
    expect(await launch(targetOf("h2", recipe))).toMatchObject({
      kind: "failed",
      text: expect.stringMatching(text),
    });
  };
  const ready = { kind: "http", path: "/", timeoutMs: 1500 } as const;
  const by = (ca: string, name = "localhost") =>
    ({ protocol: "h2", socket: false, tls: { ca, name } }) as const;
  await check({ ready, transport: by("tls/ca.pem", "other.test") }, /1.5 s: GET \/: .*other\.test/);
  await check({ ready, transport: by("no.pem") }, /1.5 s: GET \/: ENOENT: .*no\.pem/);
  const log = { kind: "log", pattern: "listening", timeoutMs: 10_000 } as const;
  await check({ ready: log, transport: by("no.pem") }, /no\.pem to verify it by$/);
});

test.for(NAMES)("%s: a round, its memory and its slices", async (name) => {
  const slice = { durationMs: 100, pairs: 1 };
  const scenario = makeScenario({ rateRps: 1000, connections: 2, warmupRequests: 4, slice });
  const target = targetOf(name);
  const round = await runRound(
    planRound({
      service: "api",
      index: 0,
      seed: 1,
      arms: "both",
      scenarios: [{ id: scenario.id, pairs: 1 }],
    }),
    {
      targets: { candidate: target, reference: target },
      scheme: "sliced",
      scenarios: [scenario],
      cpuSets: { service: [0], generator: [0], disjoint: false },
      generator: createOha({ path: FAKE_OHA, version: "1.16.0" }),
      clock: systemClock,
      errorBudget: 0,
      runStartMs: systemClock.nowMs(),
      folder,
      abort: new AbortController().signal,
      onProgress: () => {},
      readCounters: quietCounters,
    },
  );
  expect(round.failure).toBeNull();
  const [measured] = round.scenarios;
  expect(measured?.answers?.candidate).toEqual(measured?.answers?.reference);
  expect(measured?.slices.map((one) => [one.void, one.statuses])).toEqual([
    [null, { "200": 100 }],
    [null, { "200": 100 }],
  ]);
  expect(round.launches?.candidate.values.rss).toBeGreaterThan(10_000_000);
});
