// A whole round against real processes, for tests. The generator is scripted: it sends a few real
// requests and then says what the case needs; oha itself is tried against a real service in
// test/e2e.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import type { Scenario } from "../../src/core/model/config.ts";
import type { Round } from "../../src/core/model/samples.ts";
import { planRound } from "../../src/core/plan/round.ts";
import type { LoadGenerator, LoadRequest, LoadResult } from "../../src/core/slice/load.ts";
import type { ProcStat } from "../../src/machine/host/parse-proc.ts";
import { mixing } from "../../src/machine/run/load/mix.ts";
import type { readHostCounters } from "../../src/machine/run/probe/host-counters.ts";
import { readProcessTree } from "../../src/machine/run/probe/process-tree.ts";
import { runRound } from "../../src/machine/run/round.ts";
import type { RoundContext } from "../../src/machine/run/round-context.ts";
import type { ServiceTarget } from "../../src/machine/run/service/launch.ts";
import { systemClock } from "../../src/machine/sys/clock.ts";
import { readOrEmpty } from "../../src/machine/sys/or-null.ts";
import { makeConfig, makeScenario } from "./samples.ts";

const SERVER = join(import.meta.dirname, "../fixtures/service/server.mjs");
export const PAIRS = 2;

/** Behaviours that are waited for in vain. */
const SHORT = ["never-ready", "unready", "limited"];

function targetOf(behaviour: string, folder: string): ServiceTarget {
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
        timeoutMs: SHORT.includes(behaviour) ? 3000 : 10_000,
      },
      stop: { signal: "SIGTERM", graceMs: 300 },
    },
  };
}

type Script = (request: LoadRequest, call: number) => Promise<LoadResult>;

/** So many requests are sent for real. */
const SENT = 12;

/** Sends a few requests and reports a perfect schedule around what came back. */
export const honest: Script = async ({ port, requests, scenario }) => {
  const statuses: Record<string, number> = {};
  for (let i = 0; i < SENT; i++) {
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

export function perfect(requests: number, status: string): LoadResult {
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
export function servers(): ProcStat[] {
  return readProcessTree(process.pid).filter(({ pid }) =>
    readOrEmpty(`/proc/${pid}/cmdline`).includes(SERVER),
  );
}

export interface Case
  extends Partial<
    Pick<
      RoundContext,
      | "scheme"
      | "memoryRequests"
      | "timeBudgetMs"
      | "settlesIdle"
      | "onProgress"
      | "onAnswers"
      | "onKilled"
      | "readCounters"
      | "dependencies"
    >
  > {
  candidate?: string;
  reference?: string;
  script?: Script;
  connections?: number;
  /** Which round it is; default: one that asks for nothing before load. */
  index?: number;
  seed?: number;
  scenario?: Partial<Scenario>;
  readsMemory?: boolean;
  /** What is sent without a rate. */
  onSend?: (request: LoadRequest) => void;
  abort?: AbortController;
}

/** The one measured CPU was always idle. */
export const quietCounters: typeof readHostCounters = (_cpuSets, _pids, nowMs) => ({
  atMs: nowMs,
  idleMs: nowMs,
  stealMs: 0,
  childrenMs: 0,
  ownMs: 0,
  serviceMs: 0,
  dependencyMs: 0,
  throttled: 0,
});

/** `servers`: how many are left. */
export async function run(input: Case): Promise<{ round: Round; servers: number }> {
  const folder = mkdtempSync(join(tmpdir(), "tailgate-round-"));
  try {
    return { round: await roundIn(folder, input), servers: servers().length };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function roundIn(folder: string, input: Case): Promise<Round> {
  let calls = 0;
  const script = input.script ?? honest;
  const generator: LoadGenerator = {
    name: "scripted",
    run: (request) => script(request, calls++),
    send: async (request) => {
      input.onSend?.(request);
      const result = await script(request, calls++);
      if (result.kind === "failed") return result;
      return { kind: "sent", statuses: result.statuses, errors: result.errors };
    },
  };
  const scenario = makeScenario({
    rateRps: 1000,
    connections: input.connections ?? 2,
    warmupRequests: 10,
    slice: { durationMs: 100, pairs: PAIRS },
    ...input.scenario,
  });
  return await runRound(
    planRound({
      service: "api",
      index: input.index ?? 4,
      seed: input.seed ?? 1,
      arms: "both",
      scenarios: [{ id: scenario.id, pairs: PAIRS }],
      ...(input.readsMemory === undefined ? {} : { readsMemory: input.readsMemory }),
    }),
    {
      targets: {
        candidate: targetOf(input.candidate ?? "good", folder),
        reference: targetOf(input.reference ?? "good", folder),
      },
      scheme: input.scheme ?? "sliced",
      scenarios: [scenario],
      cpuSets: { service: [0], generator: [0], disjoint: false },
      generator: mixing(generator),
      clock: systemClock,
      errorBudget: 0,
      runStartMs: systemClock.nowMs(),
      folder,
      abort: (input.abort ?? new AbortController()).signal,
      onProgress: input.onProgress ?? (() => {}),
      onAnswers: input.onAnswers,
      readCounters: input.readCounters ?? quietCounters,
      onKilled: input.onKilled,
      memoryRequests: input.memoryRequests,
      timeBudgetMs: input.timeBudgetMs,
      settlesIdle: input.settlesIdle,
      dependencies: input.dependencies,
    },
  );
}

/** `asked`: requests to each arm before any load. */
export function expectMeasured(round: Round, asked = 0): void {
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
    expect(launch?.requests).toBe(asked + 10 + PAIRS * 100);
    expect(launch?.values.rss).toBeGreaterThan(10_000_000);
    expect(launch?.values.startup).toBeGreaterThan(5);
    expect(launch?.values.anon).toBeLessThan(launch?.values.rss ?? 0);
    expect(launch?.values.rssPerConnection).toBeUndefined();
  }
}
