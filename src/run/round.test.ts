// A whole round against real processes. The generator here is scripted: it sends a few real requests and then says what the
// case needs; oha itself is tried against a real service in test/e2e.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { makeConfig } from "../../test/support/samples.ts";
import type { Scenario } from "../model/config.ts";
import type { Round, RoundFailure } from "../model/samples.ts";
import { planRound } from "../plan/round.ts";
import { systemClock } from "../sys/clock.ts";
import type { LoadGenerator, LoadRequest, LoadResult } from "./load/load-generator.ts";
import type { readHostCounters } from "./probe/host-counters.ts";
import type { ProcStat } from "./probe/parse-proc.ts";
import { readOrEmpty, readProcessTree } from "./probe/process-tree.ts";
import { runRound } from "./round.ts";
import type { RoundContext, RoundDependencies } from "./round-context.ts";
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
  connections?: number;
  abort?: AbortController;
  onProgress?: (line: string) => void;
  readCounters?: typeof readHostCounters;
  dependencies?: RoundDependencies;
}

/** The one measured CPU was always idle. */
const quietCounters: typeof readHostCounters = (_cpuSets, _pids, nowMs) => ({
  atMs: nowMs,
  idleMs: nowMs,
  stealMs: 0,
  childrenMs: 0,
  ownMs: 0,
  serviceMs: 0,
  dependencyMs: 0,
  throttled: 0,
});

async function run(input: Case): Promise<{ round: Round; servers: number }> {
  let calls = 0;
  const script = input.script ?? honest;
  const generator: LoadGenerator = { name: "scripted", run: (request) => script(request, calls++) };
  const scenario = { ...scenarioOf(), connections: input.connections ?? 2 };
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
      readCounters: input.readCounters ?? quietCounters,
      ...(input.dependencies === undefined ? {} : { dependencies: input.dependencies }),
    },
  );
  return { round, servers: servers().length };
}

function expectMeasured(round: Round): void {
  expect(round.failure).toBeNull();
  const [entry] = round.scenarios;
  expect(entry?.slices).toHaveLength(2 * PAIRS);
  for (const slice of entry?.slices ?? []) {
    expect(slice).toMatchObject({ scheduled: 100, void: null });
    expect(slice.latency).toMatchObject({ requests: 80, p99: 300 });
  }
  for (const arm of [entry?.arms.candidate, entry?.arms.reference]) {
    expect(arm).toMatchObject({ pooled: { requests: PAIRS * 80, p99: 300 }, saturated: false });
    expect(arm?.curve.at(-1)).toEqual([1, 300]);
  }
  for (const launch of [round.launches?.candidate, round.launches?.reference]) {
    expect(launch?.requests).toBe(10 + PAIRS * 100);
    expect(launch?.values.rss).toBeGreaterThan(10_000_000);
    expect(launch?.values.startup).toBeGreaterThan(5);
    expect(launch?.values.anon).toBeLessThan(launch?.values.rss ?? 0);
    expect(launch?.values.rssPerConnection).toBeUndefined();
  }
}

test("both arms are measured and nothing is left running", async () => {
  const { round, servers } = await run({});
  expectMeasured(round);
  expect(round).toMatchObject({ service: "api", index: 4 });
  expect(servers).toBe(0);
});

test("many connections share out what the launch has grown by", async () => {
  const { round } = await run({ connections: 1000 });
  expect(round.failure).toBeNull();
  for (const launch of [round.launches?.candidate, round.launches?.reference]) {
    const { rssPeak = 0, rssIdle = 0, rssPerConnection = 0 } = launch?.values ?? {};
    expect(rssPerConnection).toBeGreaterThan(0);
    expect(rssPerConnection * 1000).toBeCloseTo(rssPeak - rssIdle, 3);
  }
});

test("one arm at a time, for a service that cannot run twice", async () => {
  const { round, servers } = await run({ scheme: "alternate" });
  expectMeasured(round);
  expect(servers).toBe(0);
});

test("one arm at a time: what one was loaded more with, its memory is not judged by", async () => {
  const { round } = await run({
    scheme: "alternate",
    script: async (request, call) =>
      // Call 0 is the warm-up of the arm that is first, 1 its first slice.
      call === 1
        ? { kind: "failed", text: "oha was ended by SIGKILL", detail: "" }
        : perfect(request.requests, "200"),
  });
  expect(round.failure).toBeNull();
  expect(round.scenarios[0]?.arms.candidate.pooled?.requests).toBe(PAIRS * 80);
  const launches = [round.launches?.candidate, round.launches?.reference];
  expect(launches.map((launch) => launch?.requests).sort()).toEqual([210, 310]);
  for (const launch of launches) {
    expect(Object.keys(launch?.values ?? {}).sort()).toEqual(["rssIdle", "startup"]);
  }
});

test("one arm at a time: workers that a service starts under load are no disturbance", async () => {
  const known: (readonly number[])[] = [];
  const { round } = await run({
    scheme: "alternate",
    candidate: "daemons",
    reference: "daemons",
    readCounters: (cpuSets, users, nowMs) => {
      known.push(users.service);
      return quietCounters(cpuSets, users, nowMs);
    },
  });
  expect(round.failure).toBeNull();
  // Two readings a slice; by the arm's second slice it has a group more than in its first.
  expect(known.map((leaders) => leaders.length)).toEqual([1, 1, 2, 2, 1, 1, 2, 2]);
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

test("a generator that fails each time ends the round", () =>
  checkBroken({
    script: async (request, call) =>
      call < 2
        ? perfect(request.requests, "200")
        : { kind: "failed", text: "oha was ended by SIGKILL", detail: "out of memory" },
    kind: "generator",
    text: /^oha was ended by SIGKILL in round 5, during api\/echo$/,
    detail: "out of memory",
  }));

test("the slice in which a service died is kept", async () => {
  let victim: ProcStat | undefined;
  const { round } = await run({
    script: async (request, call) => {
      if (call === 3) {
        victim = servers().find(({ state }) => state !== "T");
        process.kill(victim?.pid ?? 0, "SIGKILL");
        await systemClock.sleep(200);
      }
      return perfect(request.requests, "200");
    },
  });
  expect(round.failure?.text).toMatch(/was ended by SIGKILL in round 5, during api\/echo$/);
  const slices = round.scenarios[0]?.slices ?? [];
  expect(slices.map((slice) => slice.void?.rule ?? null)).toEqual([null, "service-gone"]);
});

test("a disturbed host gets time to calm down, and the pair another try", async () => {
  let readings = 0;
  const { round } = await run({
    // Two readings a slice; the second one of the first slice finds its CPU used up.
    readCounters: (cpuSets, pids, nowMs) => {
      const counters = quietCounters(cpuSets, pids, nowMs);
      return ++readings === 2 ? { ...counters, idleMs: counters.idleMs - 1000 } : counters;
    },
  });
  const slices = round.scenarios[0]?.slices ?? [];
  expect(slices[0]?.void?.rule).toBe("foreign-cpu");
  expect(slices).toHaveLength(2 * PAIRS + 2);
  expect((slices[2]?.startedAtMs ?? 0) - (slices[1]?.startedAtMs ?? 0)).toBeGreaterThan(500);
  expect(round.scenarios[0]?.arms.candidate.pooled?.requests).toBe(PAIRS * 80);
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

/** One dependency, which is gone once `gone` says so. */
function dependencyOf(change: Partial<RoundDependencies>): RoundDependencies {
  let used = 0;
  return {
    pids: () => [],
    use: () => {
      used += 50;
      return [{ name: "db", cpuMs: used, pssBytes: 1000 }];
    },
    reset: async () => null,
    failure: () => null,
    ...change,
  };
}

const goneIn = (when: string): RoundFailure => ({
  kind: "dependency",
  arm: null,
  scenario: null,
  text: `db, which the service needs, exited with code 1 ${when}`,
  detail: "out of disk",
});

test("what a dependency used in the round is kept", async () => {
  const reset: string[] = [];
  const { round } = await run({
    dependencies: dependencyOf({
      reset: async (arm) => {
        reset.push(arm);
        return null;
      },
    }),
  });
  expectMeasured(round);
  expect(round.dependencies).toEqual([{ name: "db", cpuMs: 50, pssBytes: 1000 }]);
  expect(reset.sort()).toEqual(["candidate", "reference"]);
});

test("a dependency that is gone ends the round at the next slice pair, and no arm is blamed", async () => {
  let gone = false;
  const { round, servers } = await run({
    candidate: "errors",
    dependencies: dependencyOf({ failure: (when) => (gone ? goneIn(when) : null) }),
    script: async (request, call) => {
      // Calls 0 and 1 are the warm-ups.
      gone = call >= 2;
      return perfect(request.requests, "500");
    },
  });
  expect(round.failure).toEqual(goneIn("in round 5"));
  expect(round.scenarios[0]?.slices).toHaveLength(2);
  expect(servers).toBe(0);
});

test("a service that ends because its dependency did is not to blame, though it is noticed first", async () => {
  let seenMs = Number.POSITIVE_INFINITY;
  const { round } = await run({
    candidate: "dies",
    dependencies: dependencyOf({
      failure: (when) => (systemClock.nowMs() >= seenMs ? goneIn(when) : null),
    }),
    script: async (request, call) => {
      seenMs = Math.min(seenMs, systemClock.nowMs() + 1000);
      return await honest(request, call);
    },
  });
  expect(round.failure).toEqual(goneIn("in round 5"));
});

test("a dependency that cannot be reset ends the round before the arm starts", async () => {
  const { round, servers } = await run({
    dependencies: dependencyOf({ reset: async () => ({ ...goneIn("now"), text: "db is full" }) }),
  });
  expect(round.failure).toMatchObject({ kind: "dependency", text: "db is full, in round 5" });
  expect(servers).toBe(0);
});
