import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { makeCapacitySamples } from "../../../test/support/capacity.ts";
import { makeFolder } from "../../../test/support/files.ts";
import { quietCounters } from "../../../test/support/run.ts";
import { makeConfig } from "../../../test/support/samples.ts";
import type { CapacityLaunch } from "../../core/capacity/model.ts";
import type { Scenario } from "../../core/model/config.ts";
import type { LoadGenerator, LoadResult } from "../../core/slice/load.ts";
import { Secrets } from "../../core/text/secrets.ts";
import { masked } from "../../machine/run/load/masked.ts";
import { readProcessTree } from "../../machine/run/probe/process-tree.ts";
import { systemClock } from "../../machine/sys/clock.ts";
import { readOrEmpty } from "../../machine/sys/or-null.ts";
import { type LaunchContext, runLaunch } from "./launch.ts";

const SERVER = join(import.meta.dirname, "../../../test/fixtures/service/server.mjs");
const CAPACITY_RPS = 400;
const { scenario, settings } = makeCapacitySamples({ launches: 1 });

let folder = "";
beforeEach(() => {
  folder = makeFolder();
});

/** One server that takes 1 / capacity for each request, with a queue before it. */
function answered(rateRps: number, requests: number): LoadResult {
  const release = Float64Array.from({ length: requests }, (_, i) => (1e6 * i) / rateRps);
  let free = 0;
  const end = release.map((at) => {
    free = Math.max(at, free) + 1e6 / CAPACITY_RPS;
    return free;
  });
  return {
    kind: "done",
    rows: { release, start: release, end },
    statuses: { "200": requests },
    errors: {},
    wallMs: 2000,
  };
}

interface Case {
  behaviour?: string;
  load?: (call: number, port: number) => Promise<LoadResult | null>;
  /** What the service's `before` prints. */
  said?: string;
  request?: Partial<Scenario["request"]>;
  onPath?: (path: string) => void;
  abort?: AbortController;
  overTime?: () => boolean;
}

async function run(
  input: Case,
): Promise<{ launch: CapacityLaunch; kept: number; servers: number }> {
  const [service] = makeConfig().services;
  if (service === undefined) throw new Error("no service");
  let calls = 0;
  const generator: LoadGenerator = {
    name: "scripted",
    run: async ({ scenario: { rateRps, request }, requests, port }) => {
      input.onPath?.(request.path);
      return (await input.load?.(calls++, port)) ?? answered(rateRps, requests);
    },
  };
  let kept = 0;
  const secrets = new Secrets();
  const sent = {
    ...scenario,
    warmupRequests: 10,
    request: { ...scenario.request, ...input.request },
  };
  const context: LaunchContext = {
    targets: {
      candidate: {
        folder,
        artifact: null,
        recipe: {
          ...service.recipe,
          run: [process.execPath, SERVER, "{port}", input.behaviour ?? "good"],
          ready: {
            kind: "http",
            path: "/healthz",
            timeoutMs: input.behaviour === "never-ready" ? 3000 : 10_000,
          },
          stop: { signal: "SIGTERM", graceMs: 300 },
          ...(input.said === undefined ? {} : { before: ["echo", input.said] }),
        },
      },
    },
    scheme: "alternate",
    scenario: sent,
    scenarios: [sent],
    errorBudget: settings.errorBudget,
    secrets,
    settings,
    cpuSets: { service: [0], generator: [0], disjoint: false },
    generator: masked(generator, secrets),
    // Pauses between slices are not what is tried here.
    clock: { ...systemClock, sleep: (ms, abort) => systemClock.sleep(Math.min(ms, 5), abort) },
    runStartMs: systemClock.nowMs(),
    folder,
    abort: (input.abort ?? new AbortController()).signal,
    onSlice: () => kept++,
    onProgress: () => {},
    overTime: input.overTime ?? (() => false),
    readCounters: quietCounters,
  };
  const launch = await runLaunch({ index: 0, startRps: 250 }, context);
  const servers = readProcessTree(process.pid).filter(({ pid }) =>
    readOrEmpty(`/proc/${pid}/cmdline`).includes(SERVER),
  );
  return { launch, kept, servers: servers.length };
}

test("a launch searches until it has the capacity, and leaves no process", async () => {
  const { launch, kept, servers } = await run({});
  expect(launch.failure).toBeNull();
  expect(kept).toBe(launch.slices.length);
  expect(servers).toBe(0);
  const sustained = launch.slices.filter(({ verdict }) => verdict.kind === "sustained");
  const best = Math.max(...sustained.map(({ rateRps }) => rateRps));
  expect(best).toBeGreaterThan(CAPACITY_RPS * 0.97);
  // A queue that grows for a slice stays within the objective for 1 % above.
  expect(best).toBeLessThan(CAPACITY_RPS * 1.02);
});

test("what ends a launch early is told, and what it measured is kept", async () => {
  const never = await run({ behaviour: "never-ready" });
  expect(never.launch.failure?.text).toMatch(/^api was not ready within 3 s.*in launch 1$/);
  expect(never.servers).toBe(0);

  const broken = await run({
    load: async (call) =>
      call < 3 ? null : { kind: "failed", text: "oha exited with 1", detail: "no such file" },
  });
  expect(broken.launch.failure).toEqual({
    text: expect.stringMatching(/^oha exited with 1 in launch 1, at \d+(\.\d)?\/s$/),
    detail: "no such file",
  });
  expect(broken.launch.slices).toHaveLength(2);
});

test("a signal and the time budget end it without blame", async () => {
  const abort = new AbortController();
  const cut = await run({
    abort,
    load: async (call) => {
      if (call === 3) abort.abort();
      return null;
    },
  });
  expect([cut.launch.failure, cut.launch.slices.length, cut.servers]).toEqual([null, 2, 0]);

  let asked = 0;
  const late = await run({ overTime: () => asked++ >= 4 });
  expect([late.launch.failure, late.launch.slices.length]).toEqual([null, 4]);
});

test("what the service's before gives is sent, and told to nobody", async () => {
  const paths = new Set<string>();
  const { launch } = await run({
    said: '{"token":"hush-hush"}',
    request: { path: "/{token}" },
    onPath: (path) => paths.add(path),
    load: async (call) =>
      call === 0 ? null : { kind: "failed", text: "no hush-hush", detail: "at /hush-hush" },
  });
  expect([...paths]).toEqual(["/hush-hush"]);
  expect(launch.failure?.text).toMatch(/^no \*\*\* in launch 1/);
  expect(launch.failure?.detail).toBe("at /***");

  const lacking = await run({ said: "{}", request: { path: "/{token}" } });
  expect(lacking.launch.failure?.text).toBe(
    "api, echo: {token} in the path is not among what `before` gives (nothing), in launch 1",
  );
  const wrong = await run({ said: "hush-hush" });
  expect(wrong.launch.failure?.text).toBe(
    "api was ready, and its `before` exited with code 0, and its standard output is not JSON, in launch 1",
  );
  expect(wrong.launch.failure?.detail).toMatch(/^Correct `before` /);
  expect([lacking.servers, wrong.servers]).toEqual([0, 0]);
});
