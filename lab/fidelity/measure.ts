// Each generator against each profile at each rate, through the gate's own adapters, summaries
// and rules of validity.
import { rmSync } from "node:fs";
import { dirname } from "node:path";
import type { Scenario } from "../../src/core/model/config.ts";
import type { CpuSets, Host } from "../../src/core/model/host.ts";
import { requestsDropped, TLS_SETTLE_MS } from "../../src/core/model/load-rules.ts";
import type { Slice, VoidReason } from "../../src/core/model/samples.ts";
import { planCpuSets } from "../../src/core/plan/cpu-sets.ts";
import {
  type Disturbance,
  describeDisturbance,
  disturbancesOf,
  isDisturbed,
} from "../../src/core/slice/disturbance.ts";
import type {
  LoadDistribution,
  LoadDone,
  LoadGenerator,
  PartLoad,
} from "../../src/core/slice/load.ts";
import { summarizeSlice } from "../../src/core/slice/slice.ts";
import { voidReason } from "../../src/core/slice/validity.ts";
import { quantile, sortSample } from "../../src/core/stats/quantile.ts";
import { findOha } from "../../src/machine/build/oha-tool.ts";
import { readHost } from "../../src/machine/host/host.ts";
import { keepAwake } from "../../src/machine/host/keep-awake.ts";
import { mixing } from "../../src/machine/run/load/mix.ts";
import { createOha } from "../../src/machine/run/load/oha/oha.ts";
import { expandCounts } from "../../src/machine/run/load/wrk2/parse-report.ts";
import { findWrk2 } from "../../src/machine/run/load/wrk2/tool.ts";
import { createWrk2 } from "../../src/machine/run/load/wrk2/wrk2.ts";
import {
  hostShares,
  measuredCpus,
  readHostCounters,
} from "../../src/machine/run/probe/host-counters.ts";
import { systemClock } from "../../src/machine/sys/clock.ts";
import { makeTemporaryFolder, memoryFolder } from "../../src/machine/sys/files.ts";
import {
  buildKnownLatency,
  type Floor,
  type KnownLatencyServer,
  startKnownLatency,
} from "../../test/support/known-latency.ts";
import { FAR_PROFILES, PROFILES, type Profile } from "../../test/support/known-latency-profiles.ts";
import { isTls, TRANSPORTS, type TransportName } from "../../test/support/transport-address.ts";

/** What one generator made of one profile at one rate. */
export interface Cell {
  profile: string;
  generator: Scenario["generator"];
  rateRps: number;
  connections: number;
  answers: number;
  /** Microseconds, by probability. */
  quantiles: Readonly<Record<Level, number>>;
  /** Null: the generator does not tell. */
  sinceSendP99Us: number | null;
  lagP99Us: number | null;
  slackUs: number | null;
  generatorShare: number;
  floor: Floor;
  /** Why a gate would not have counted it, or would have called the host noisy. */
  void: string | null;
  slices: Slice[];
  /** Another transport than HTTP/1.1 over TCP, or a mix of so many requests. Absent: neither. */
  way?: TransportName | number;
  /** Of a mix: requests that were scheduled and answered, and their p99. */
  parts?: PartSeen[];
}

interface PartSeen {
  requests: number;
  answers: number;
  p99Us: number;
}

export interface Results {
  measuredAt: string;
  seconds: number;
  host: Host;
  keptAwake: boolean;
  cpuSets: CpuSets;
  tools: string[];
  cells: Cell[];
}

/** Rate, connections, runs. */
type Load = readonly [number, number, number];

interface Context {
  cpuSets: CpuSets;
  folder: string;
  startedMs: number;
}

interface Run {
  slice: Slice;
  latencies: Iterable<number>;
  sinceSend: Iterable<number>;
  parts: PartSeen[];
  floor: Floor;
}

const RUN_MS = 8000;
/** Rate, connections, runs. Of wrk2 each connection is used every 12.8 to 80 ms. */
const LOADS: readonly Load[] = [
  [200, 16, 2],
  [1000, 16, 2],
  [2000, 32, 1],
  [5000, 64, 1],
  [10_000, 128, 1],
];
/** Through each transport; a stall delays fewer requests than there are connections. */
const FAR_LOAD: Load = [500, 128, 1];
const MIX_LOADS: readonly Load[] = [
  [1000, 64, 1],
  [5000, 64, 1],
];
/** Parts of a mix: the first gets nine tenths of two, or half of eight. */
const MIXES: readonly number[] = [2, 8];
const MIXED_PROFILES: readonly string[] = ["modes", "stalls"];
/** What the host or the generator itself disturbed is measured again, so often. */
const MAX_ATTEMPTS = 3;
const SEED = 20_261_121;
const LEVELS = [0.5, 0.75, 0.9, 0.95, 0.99, 0.995, 0.999, 1] as const;
type Level = (typeof LEVELS)[number];

function scenarioOf(
  profile: Profile,
  generator: Scenario["generator"],
  [rateRps, connections]: Load,
): Scenario {
  return {
    id: `known/${profile.name}`,
    service: "known",
    name: profile.name,
    request: { method: "GET", path: "/", pathIsPattern: false, headers: {}, body: null },
    expectStatus: 200,
    rateRps,
    connections,
    keepAlive: true,
    requestTimeoutMs: 5000,
    warmupRequests: 0,
    slice: { durationMs: RUN_MS, pairs: 1 },
    generator,
    metrics: [],
  };
}

/** What a client sees that starts its clock when it gets to send. */
function sinceSend(load: LoadDone | LoadDistribution): Float64Array {
  if (load.kind === "distribution") return expandCounts(load.sinceSend);
  return load.rows.end.map((end, i) => end - (load.rows.start[i] ?? Number.NaN));
}

async function measureRun(
  server: KnownLatencyServer,
  generator: LoadGenerator,
  scenario: Scenario,
  context: Context,
): Promise<Run> {
  const { cpuSets, folder } = context;
  // What is counted lasts RUN_MS, a whole number of stalls, whatever is dropped at its head.
  const requests = (scenario.rateRps * RUN_MS) / 1000 + requestsDropped(scenario);
  await server.begin();
  const known = { service: [server.pid], dependencies: [] };
  const before = readHostCounters(cpuSets, known, systemClock.nowMs());
  const load = await generator.run({
    scenario,
    ...server.address,
    requests,
    cpus: cpuSets.generator,
    folder,
    abort: new AbortController().signal,
  });
  const after = readHostCounters(cpuSets, known, systemClock.nowMs());
  if (load.kind === "failed") throw new Error(`${load.text}\n${load.detail}`);
  const { slice, latencies } = summarizeSlice(load, scenario, {
    arm: "candidate",
    pair: 0,
    attempt: 0,
    startedAtMs: before.atMs - context.startedMs,
    scheduled: requests,
    host: hostShares(before, after, cpuSets),
  });
  slice.void = voidReason(slice, scenario, 0);
  const parts = load.kind === "done" ? (load.parts ?? []).map(partSeen) : [];
  return { slice, latencies, sinceSend: sinceSend(load), parts, floor: await server.floor() };
}

function partSeen({ requests, scenario, load }: PartLoad): PartSeen {
  const { release, end } = load.rows;
  const kept = end.map((at, i) => at - (release[i] ?? Number.NaN));
  return {
    requests,
    answers: end.length,
    p99Us: quantile(sortSample(kept.subarray(requestsDropped(scenario))), 0.99),
  };
}

async function measureCell(
  server: KnownLatencyServer,
  generator: LoadGenerator,
  scenario: Scenario,
  runs: number,
  context: Context,
): Promise<Cell> {
  const measured: Run[] = [];
  for (let run = 0; run < runs; run++) {
    for (let attempt = 1; ; attempt++) {
      const result = await measureRun(server, generator, scenario, context);
      if (isDisturbed(result.slice) && attempt < MAX_ATTEMPTS) continue;
      measured.push(result);
      break;
    }
  }
  return summarizeCell(scenario, measured);
}

/** Null where nothing was measured. */
function worst(values: readonly (number | null | undefined)[]): number | null {
  const measured = values.filter((value) => value != null);
  return measured.length === 0 ? null : Math.max(...measured);
}

function summarizeCell(scenario: Scenario, measured: readonly Run[]): Cell {
  const latencies = sortSample(measured.flatMap(({ latencies }) => [...latencies]));
  const sent = sortSample(measured.flatMap(({ sinceSend }) => [...sinceSend]));
  const slices = measured.map(({ slice }) => slice);
  const [voided] = slices.flatMap((slice) => slice.void ?? []);
  const [disturbance] = slices.flatMap(disturbancesOf);
  const [first] = measured;
  const [floor] = measured.map((run) => run.floor).sort((a, b) => b.p99 - a.p99);
  if (floor === undefined) throw new Error("no run: bug");
  return {
    profile: scenario.name,
    generator: scenario.generator,
    rateRps: scenario.rateRps,
    connections: scenario.connections,
    answers: latencies.length,
    quantiles: Object.fromEntries(
      LEVELS.map((p) => [p, quantile(latencies, p)]),
    ) as Cell["quantiles"],
    sinceSendP99Us: sent.length === 0 ? null : quantile(sent, 0.99),
    lagP99Us: worst(slices.map(({ lag }) => lag?.p99)),
    slackUs: worst(slices.map(({ slackUs }) => slackUs)),
    generatorShare: worst(slices.map(({ host }) => host.generator)) ?? Number.NaN,
    floor,
    void: unfitness(voided, disturbance),
    slices,
    ...(first === undefined || first.parts.length === 0 ? {} : { parts: first.parts }),
  };
}

function unfitness(
  voided: VoidReason | undefined,
  disturbance: Disturbance | undefined,
): Cell["void"] {
  if (voided !== undefined) return `${voided.rule}: ${voided.detail}`;
  return disturbance === undefined
    ? null
    : `${disturbance.rule}: ${describeDisturbance(disturbance)}`;
}

async function measureMixes(
  server: KnownLatencyServer,
  generator: LoadGenerator,
  profile: Profile,
  context: Context,
  tell: (line: string) => void,
): Promise<Cell[]> {
  const cells: Cell[] = [];
  for (const load of MIX_LOADS) {
    for (const count of MIXES) {
      const scenario = scenarioOf(profile, "oha", load);
      const { request, expectStatus } = scenario;
      const mix = Array.from({ length: count }, (_, i) => ({
        name: `part${i}`,
        weight: i > 0 ? 1 : count === 2 ? 9 : count - 1,
        request,
        expectStatus,
      }));
      const cell = await measureCell(server, generator, { ...scenario, mix }, load[2], context);
      cells.push({ ...cell, way: count });
      tell(`${profile.name} ${load[0]}/s in a mix of ${count}: p99 ${cell.quantiles[0.99]} us`);
    }
  }
  return cells;
}

export async function measureFidelity(tell: (line: string) => void): Promise<Results> {
  const startedMs = systemClock.nowMs();
  const measuredAt = systemClock.wallTime();
  const { oha } = await findOha({ cache: "", env: process.env });
  const wrk2 = await findWrk2(process.env.PATH);
  const generators: (readonly [Scenario["generator"], LoadGenerator])[] = [
    ...(oha === null ? [] : [["oha", createOha(oha)] as const]),
    ...(wrk2 === null ? [] : [["wrk2", createWrk2(wrk2)] as const]),
  ];
  const tools = generators.map(([, { name }]) => name);
  const host = readHost({ generator: tools.join(", ") });
  const cpuSets = planCpuSets(host, null, { dependencies: false });
  const folder = makeTemporaryFolder(memoryFolder());
  const program = await buildKnownLatency();
  const hasQuota = host.findings.some(({ id }) => id === "quota");
  const awake = await keepAwake(measuredCpus(cpuSets), { hasQuota });
  const context = { cpuSets, folder, startedMs };
  const cells: Cell[] = [];
  try {
    for (const profile of PROFILES) {
      const server = await startKnownLatency(program, profile, {
        cpus: cpuSets.service,
        seed: SEED,
      });
      try {
        for (const load of LOADS) {
          for (const [name, generator] of generators) {
            const scenario = scenarioOf(profile, name, load);
            const cell = await measureCell(server, generator, scenario, load[2], context);
            cells.push(cell);
            tell(
              `${profile.name} ${load[0]}/s ${name}: p99 ${cell.quantiles[0.99]} us, server late ${cell.floor.p99} us${cell.void === null ? "" : `, ${cell.void}`}`,
            );
          }
        }
        if (oha !== null && MIXED_PROFILES.includes(profile.name)) {
          cells.push(
            ...(await measureMixes(server, mixing(createOha(oha)), profile, context, tell)),
          );
        }
      } finally {
        await server.stop();
      }
    }
    for (const over of oha === null ? [] : TRANSPORTS) {
      for (const profile of FAR_PROFILES) {
        const server = await startKnownLatency(program, profile, {
          cpus: cpuSets.service,
          seed: SEED,
          over,
        });
        try {
          const scenario = scenarioOf(profile, "oha", FAR_LOAD);
          const settled = isTls(over) ? { ...scenario, settleMs: TLS_SETTLE_MS } : scenario;
          const generator = createOha(oha as NonNullable<typeof oha>);
          const cell = await measureCell(server, generator, settled, FAR_LOAD[2], context);
          cells.push({ ...cell, way: over });
          tell(`${profile.name} over ${over}: p99 ${cell.quantiles[0.99]} us`);
        } finally {
          await server.stop();
        }
      }
    }
  } finally {
    if ("release" in awake) awake.release();
    rmSync(folder, { recursive: true, force: true });
    rmSync(dirname(program), { recursive: true, force: true });
  }
  const seconds = (systemClock.nowMs() - startedMs) / 1000;
  return { measuredAt, seconds, host, keptAwake: "release" in awake, cpuSets, tools, cells };
}
