// What starting real programs once shows of them.
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeTestFolder, makeTestRepository } from "../../../test/support/build.ts";
import { makeEnvironment } from "../../../test/support/environment.ts";
import { fakeLoad } from "../../../test/support/project.ts";
import { quietCounters } from "../../../test/support/run.ts";
import { makeConfig } from "../../../test/support/samples.ts";
import { type TryOptions, TryResultSchema } from "../../core/model/try.ts";
import type { LoadGenerator } from "../../core/slice/load.ts";
import { launchService } from "../../machine/run/service/launch.ts";
import { systemClock } from "../../machine/sys/clock.ts";
import { silentProgress } from "../progress.ts";
import { openProject } from "../project/project.ts";
import { measureRate } from "./measure-rate.ts";
import { tryServices } from "./try-services.ts";

/** Answers each of its paths with this status, and `/who` with what it was told. */
const answering = (status: number): string => `import { createServer } from "node:http";
createServer(({ url, headers }, response) => {
  const who = { authorization: headers.authorization ?? null };
  if (url === "/who") response.setHeader("content-type", "application/json");
  response.writeHead(url === "/gone" ? 410 : ${status}).end(url === "/who" ? JSON.stringify(who) : "ok");
}).listen(process.env.PORT, "127.0.0.1");
`;

const CONFIGURATION = `version: 1
services:
  api:
    run: node server.mjs
    env: { PORT: "{port}" }
    before: [node, -e, 'console.log(JSON.stringify({ token: "s3cret-token" }))']
    ready: /ready
  worker:
    run: node ended.mjs {port}
    ready: { tcp: true }
  built:
    build: cp server.mjs made.mjs
    artifact: made.mjs
    run: node {artifact}
    env: { PORT: "{port}" }
    ready: { tcp: true }
scenarios:
  who:
    services: [api]
    request: { path: /who, headers: { authorization: "{token}" } }
    rate: 500/s
  both:
    services: [api]
    rate: 500/s
    mix:
      here: { weight: 1, request: GET /here }
      gone: { weight: 1, request: GET /gone }
  work: { services: [worker], request: GET /, rate: 500/s }
  made: { services: [built], request: GET /made, rate: 500/s }
`;

async function tried(options: Partial<TryOptions>) {
  using repository = makeTestRepository();
  using cache = makeTestFolder();
  repository.write("server.mjs", answering(200));
  repository.write("ended.mjs", `console.error("no licence");\nprocess.exit(3);\n`);
  repository.write("tailgate.yml", CONFIGURATION);
  repository.commit("first");
  const environment = makeEnvironment(repository.path, {
    env: { ...process.env, ...fakeLoad(repository.path) },
    cache: join(cache.path, "cache"),
  });
  const result = await tryServices(
    await openProject({}, environment),
    { build: false, paths: [], ports: [], enough: null, ...options },
    environment,
  );
  return TryResultSchema.parse(JSON.parse(JSON.stringify(result))).services;
}

test("services are started where they lie, and each says what came of it", async () => {
  const [api, worker, built] = await tried({ paths: ["/who", "/ready"] });
  expect(api?.launch).toMatchObject({ kind: "ready", told: { kind: "configured" } });
  const seen = api?.scenarios.map(({ name, answers, rate }) => [
    ...[name, rate],
    ...answers.map(({ path, status, seen }) => `${path} ${status}: ${seen}`),
  ]);
  expect(seen).toEqual([
    ["who", null, String.raw`/who 200: 200 with the body "{\"authorization\":\"***\"}"`],
    ["both", null, '/here 200: 200 with the body "ok"', '/gone 410: 410 with the body "ok"'],
  ]);
  expect(api?.asked).toEqual([
    {
      path: "/who",
      status: 200,
      contentType: "application/json",
      bytes: 22,
      json: { authorization: null },
    },
    { path: "/ready", status: 200, contentType: null, bytes: 2 },
  ]);
  expect(worker?.launch).toEqual({
    kind: "failed",
    text: "it ended with code 3 before it was ready",
    detail: "no licence",
    next: null,
  });
  expect(built?.launch).toMatchObject({ kind: "failed", next: expect.stringContaining("--build") });
});

test("what is built is built as for a gate, and has a rate", async () => {
  const [api, worker, built] = await tried({ build: true });
  expect([api?.launch.kind, worker?.launch.kind, built?.launch.kind]).toEqual([
    ...["ready", "failed", "ready"],
  ]);
  expect(api?.scenarios.map(({ rate }) => rate?.kind)).toEqual(["held", "unsettled"]);
  expect(built?.scenarios[0]?.rate?.kind).toBe("held");
});

test("no more is asked than is enough", async () => {
  const [api] = await tried({ enough: 1 });
  expect(api?.scenarios.map(({ name }) => name)).toEqual(["who"]);
});

test("the rate is a third of one core by what the service's requests cost", async () => {
  using folder = makeTestFolder();
  const cpuUs = 1100;
  const config = makeConfig();
  const [scenario] = config.scenarios;
  const [service] = config.services;
  if (scenario === undefined || service === undefined) throw new Error("nothing to load");
  let serviceMs = 0;
  const generator: LoadGenerator = {
    name: "scripted",
    run: async ({ scenario: { rateRps }, requests }) => {
      serviceMs += (requests * cpuUs) / 1000;
      const release = Float64Array.from({ length: requests }, (_, i) => (1e6 * i) / rateRps);
      const rows = { release, start: release, end: release.map((at) => at + cpuUs) };
      return { kind: "done", rows, statuses: { "200": requests }, errors: {}, wallMs: 1000 };
    },
  };
  folder.write("server.mjs", answering(200));
  const target = {
    folder: folder.path,
    artifact: null,
    recipe: {
      ...service.recipe,
      run: [process.execPath, "server.mjs"],
      env: { PORT: "{port}" },
      ready: { kind: "tcp" as const, timeoutMs: 10_000 },
    },
  };
  const { signal: abort } = new AbortController();
  const rate = await measureRate(
    (cpus) => launchService(target, { cpus, clock: systemClock, abort }),
    { ...scenario, rateRps: 500, warmupRequests: 10 },
    {
      cpuSets: { service: [0], generator: [0], disjoint: false },
      generator,
      readCounters: (...given) => ({ ...quietCounters(...given), serviceMs }),
      folder: folder.path,
      clock: systemClock,
    },
    { abort, progress: silentProgress },
  );
  expect(rate).toEqual({ kind: "held", rps: 300, cpuUs });
});
