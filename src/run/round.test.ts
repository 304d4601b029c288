// A whole round against real processes. The generator here is scripted: it sends a few real requests and then says what the
// case needs; oha itself is tried against a real service in test/e2e.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { makeConfig } from "../../test/support/samples.ts";
import type { Scenario } from "../model/config.ts";
import type { Round, Slice } from "../model/samples.ts";
import { planRound } from "../plan/round.ts";
import { systemClock } from "../sys/clock.ts";
import type { LoadGenerator, LoadRequest, LoadResult } from "./load/load-generator.ts";
import type { ProcStat } from "./probe/parse-proc.ts";
import { readOrEmpty, readProcessTree } from "./probe/process-tree.ts";
import { runRound } from "./round.ts";
import type { RoundContext } from "./round-context.ts";
import type { ServiceTarget } from "./service/launch.ts";

const SERVER = join(import.meta.dirname, "../../test/fixtures/service/server.mjs");
const PAIRS = 2;

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tailgate-round-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function targetOf(behaviour: string): ServiceTarget {
  const [service] = makeConfig().services;
  if (service === undefined) throw new Error("no service");
  return {
    folder,
    artifact: null,
    recipe: {
      ...service.recipe,
      run: [process.execPath, SERVER, "{port}", behaviour],
      ready: {
        kind: "http",
        path: "/healthz",
        timeoutMs: behaviour === "never-ready" ? 500 : 10_000,
      },
      stop: { signal: "SIGTERM", graceMs: 300 },
    },
  };
}

function scenarioOf(): Scenario {
  const [scenario] = makeConfig().scenarios;
  if (scenario === undefined) throw new Error("no scenario");
  return {
    ...scenario,
    rateRps: 1000,
    connections: 2,
    warmupRequests: 10,
    slice: { durationMs: 100, pairs: PAIRS },
  };
}

type Script = (request: LoadRequest, call: number) => Promise<LoadResult>;

/** Sends forty requests for real and reports a perfect schedule around what came back. */
const honest: Script = async ({ port, requests, scenario }) => {
  const statuses: Record<string, number> = {};
  for (let i = 0; i < 40; i++) {
    const status = await fetch(`http://127.0.0.1:${port}${scenario.request.path}`, {
      headers: { connection: "close" },
    }).then(
      (response) => response.status,
      () => 0,
    );
    statuses[status] = (statuses[status] ?? 0) + 1;
  }
  const [status = "200"] = Object.keys(statuses);
  return perfect(requests, status);
};

function perfect(requests: number, status: string): LoadResult {
  const release = Float64Array.from({ length: requests }, (_, i) => i * 1000);
  return {
    kind: "done",
    rows: { release, start: release, end: release.map((at) => at + 300) },
    statuses: { [status]: requests },
    errors: {},
    wallMs: 100,
  };
}

/** Our server processes, running or frozen. */
function servers(): ProcStat[] {
  return readProcessTree(process.pid).filter(({ pid }) =>
    readOrEmpty(`/proc/${pid}/cmdline`).includes(SERVER),
  );
}

interface Case {
  candidate?: string;
  reference?: string;
  script?: Script;
  scheme?: RoundContext["scheme"];
  abort?: AbortController;
  onProgress?: (line: string) => void;
}

async function run(input: Case): Promise<{ round: Round; servers: number }> {
  let calls = 0;
  const script = input.script ?? honest;
  const generator: LoadGenerator = { name: "scripted", run: (request) => script(request, calls++) };
  const scenario = scenarioOf();
  const round = await runRound(
    planRound({
      service: "api",
      index: 4,
      seed: 1,
      arms: "both",
      scenarios: [{ id: scenario.id, pairs: PAIRS }],
    }),
    {
      targets: {
        candidate: targetOf(input.candidate ?? "good"),
        reference: targetOf(input.reference ?? "good"),
      },
      scheme: input.scheme ?? "sliced",
      scenarios: [scenario],
      cpuSets: { service: [0], generator: [0], disjoint: false },
      generator,
      clock: systemClock,
      errorBudget: 0,
      runStartMs: systemClock.nowMs(),
      folder,
      abort: (input.abort ?? new AbortController()).signal,
      onProgress: input.onProgress ?? (() => {}),
    },
  );
  return { round, servers: servers().length };
}

const quiet = (slice: Slice): Slice => ({
  ...slice,
  host: { ...slice.host, foreign: 0, steal: 0 },
});

/** Another program may be at work while tests run; whether slices are void of that is not what is tested here. */
function expectMeasured(round: Round): void {
  expect(round.failure).toBeNull();
  const [entry] = round.scenarios;
  const lasting = entry?.slices.map(quiet) ?? [];
  expect(lasting.length).toBeGreaterThanOrEqual(2 * PAIRS);
  for (const { latency, scheduled } of lasting) {
    expect(scheduled).toBe(100);
    expect(latency).toMatchObject({ requests: 80, p99: 300 });
  }
  for (const launch of [round.launches?.candidate, round.launches?.reference]) {
    expect(launch?.requests).toBeGreaterThanOrEqual(10 + PAIRS * 100);
    expect(launch?.values.rss).toBeGreaterThan(10_000_000);
    expect(launch?.values.startup).toBeGreaterThan(5);
    expect(launch?.values.anon).toBeLessThan(launch?.values.rss ?? 0);
  }
}

test("both arms are measured and nothing is left running", async () => {
  const { round, servers } = await run({});
  expectMeasured(round);
  expect(round).toMatchObject({ service: "api", index: 4 });
  expect(servers).toBe(0);
});

test("one arm at a time, for a service that cannot run twice", async () => {
  const { round, servers } = await run({ scheme: "alternate" });
  expectMeasured(round);
  expect(servers).toBe(0);
});

test("only the loaded arm can run", async () => {
  const states: string[] = [];
  await run({
    script: async (request) => {
      states.push(
        servers()
          .map(({ state }) => (state === "T" ? "frozen" : "free"))
          .sort()
          .join(" "),
      );
      return perfect(request.requests, "200");
    },
  });
  expect(new Set(states)).toEqual(new Set(["free frozen"]));
});

interface Broken extends Case {
  kind: string;
  text: RegExp;
  detail?: string;
}

async function checkBroken({ kind, text, detail, ...input }: Broken): Promise<void> {
  const { round, servers } = await run(input);
  expect(round.failure).toMatchObject({ kind });
  expect(round.failure?.text).toMatch(text);
  expect(round.failure?.text).toContain("round 5");
  if (detail !== undefined) expect(round.failure?.detail).toContain(detail);
  expect(servers).toBe(0);
}

test("a service that ends before it is ready", () =>
  checkBroken({
    reference: "exits",
    kind: "start",
    text: /^api \(reference\) ended with code 3 before it was ready/,
    detail: "no configuration found",
  }));

test("a service that is never ready", () =>
  checkBroken({
    candidate: "never-ready",
    kind: "not-ready",
    text: /^api \(candidate\) was not ready within 0\.5 s: GET \/healthz answered 503/,
  }));

test("a service that dies under load", () =>
  checkBroken({
    candidate: "dies",
    kind: "crash",
    text: /^api \(candidate\) exited with code 7 .*during (warm-up of )?api\/echo/,
    detail: "out of cheese",
  }));

test("a generator that cannot be used", () =>
  checkBroken({
    script: async () => ({ kind: "failed", text: "oha exited with 1", detail: "no such flag" }),
    kind: "generator",
    text: /^oha exited with 1 .*warm-up of api\/echo/,
    detail: "no such flag",
  }));

test("a service that does not heed its signal is ended after its grace", async () => {
  const { round, servers } = await run({ candidate: "stubborn", reference: "stubborn" });
  expectMeasured(round);
  expect(servers).toBe(0);
});

test("wrong answers void slices, with the pair measured three times and the scenario given up", async () => {
  const { round } = await run({ candidate: "errors" });
  const [entry] = round.scenarios;
  expect(round.failure).toBeNull();
  expect(entry?.arms.candidate.pooled).toBeNull();
  expect(entry?.arms.reference?.pooled).toBeNull();
  const candidate = entry?.slices.filter(({ arm }) => arm === "candidate") ?? [];
  expect(candidate.map(({ attempt }) => attempt)).toEqual([0, 1, 2]);
  expect(candidate.map((slice) => slice.void?.rule)).toEqual(["status", "status", "status"]);
  expect(candidate[0]?.void?.detail).toBe("100 of 100 answers were not 200 (100 × 500), 0 allowed");
});

test("a pair with one void slice is measured again as a whole", async () => {
  const { round } = await run({
    script: async (request, call) =>
      // Calls 0 and 1 are the warm-ups, 2 is the first slice.
      call === 2
        ? { kind: "failed", text: "oha was ended by SIGKILL", detail: "" }
        : perfect(request.requests, "200"),
  });
  const slices = round.scenarios[0]?.slices ?? [];
  expect(slices[0]?.void?.rule).toBe("generator-failed");
  expect(slices.filter(({ pair, attempt }) => pair === 0 && attempt === 1)).toHaveLength(2);
});

test("a signal ends the round, running or frozen services included", async () => {
  const abort = new AbortController();
  const { round, servers } = await run({
    abort,
    script: async (request) => {
      abort.abort();
      return perfect(request.requests, "200");
    },
  });
  expect(round.failure).toBeNull();
  expect(round.launches).toBeNull();
  expect(servers).toBe(0);
});
