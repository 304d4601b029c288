// One generator against one server of known latencies at one rate, through the gate's own adapters,
// summaries and rules of validity.
import type { Scenario } from "../../src/core/model/config.ts";
import type { CpuSets } from "../../src/core/model/host.ts";
import { requestsDropped } from "../../src/core/model/load-rules.ts";
import { total } from "../../src/core/model/parts.ts";
import type { Slice, VoidReason } from "../../src/core/model/samples.ts";
import {
  type Disturbance,
  describeDisturbance,
  disturbancesOf,
  isDisturbed,
} from "../../src/core/slice/disturbance.ts";
import type { LoadDistribution, LoadDone, LoadGenerator } from "../../src/core/slice/load.ts";
import { summarizeSlice } from "../../src/core/slice/slice.ts";
import { voidReason } from "../../src/core/slice/validity.ts";
import { quantile, type SortedSample, sortSample } from "../../src/core/stats/quantile.ts";
import { expandCounts } from "../../src/machine/run/load/wrk2/parse-report.ts";
import { hostShares, readHostCounters } from "../../src/machine/run/probe/host-counters.ts";
import { systemClock } from "../../src/machine/sys/clock.ts";
import type { Floor, KnownLatencyServer } from "../../test/support/known-latency.ts";
import type { TransportName } from "../../test/support/transport-address.ts";

/** What one generator made of one profile, or of one mix, at one rate. */
export interface Cell {
  profile: string;
  generator: Scenario["generator"];
  rateRps: number;
  connections: number;
  answers: number;
  /** Microseconds, by probability. */
  quantiles: Quantiles;
  /** Null: the generator does not tell. */
  sinceSendP99Us: number | null;
  lagP99Us: number | null;
  slackUs: number | null;
  generatorShare: number;
  floor: Floor;
  /** Why a gate would not have counted it, or would have called the host noisy. */
  void: string | null;
  slices: Slice[];
  /** From a server that speaks this by net/http. Absent: from the polling one. */
  over?: TransportName;
  /** Of a mix, in their order. */
  parts?: PartSeen[];
}

interface PartSeen {
  scheduled: number;
  /** Of the scheduled ones; some of them count in no quantile. */
  answered: number;
  answers: number;
  quantiles: Quantiles;
}

/** Rate, connections, runs. */
export type Load = readonly [number, number, number];

export interface Place {
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
/** What the host or the generator itself disturbed is measured again, so often. */
const MAX_ATTEMPTS = 3;
const LEVELS = [0.5, 0.75, 0.9, 0.95, 0.99, 0.995, 0.999, 1] as const;
type Quantiles = Readonly<Record<(typeof LEVELS)[number], number>>;

export function scenarioOf(
  name: string,
  generator: Scenario["generator"],
  [rateRps, connections]: Load,
): Scenario {
  return {
    id: `known/${name}`,
    service: "known",
    name,
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
function sinceSend(load: LoadDone | LoadDistribution, dropped: number): Float64Array {
  if (load.kind === "distribution") return expandCounts(load.sinceSend);
  const { start, end } = load.rows;
  return end.map((at, i) => at - (start[i] ?? Number.NaN)).subarray(dropped);
}

async function measureRun(
  server: KnownLatencyServer,
  generator: LoadGenerator,
  scenario: Scenario,
  { cpuSets, folder, startedMs }: Place,
): Promise<Run> {
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
  const facts = {
    arm: "candidate",
    pair: 0,
    attempt: 0,
    startedAtMs: before.atMs - startedMs,
    host: hostShares(before, after, cpuSets),
  } as const;
  const { slice, latencies } = summarizeSlice(load, scenario, { ...facts, scheduled: requests });
  slice.void = voidReason(slice, scenario, 0);
  const loads = load.kind === "done" ? (load.parts ?? []) : [];
  const parts = loads.map((part): PartSeen => {
    const scheduled = part.requests;
    const own = summarizeSlice(part.load, part.scenario, { ...facts, scheduled }).latencies;
    const quantiles = quantilesOf(sortSample(own));
    return { scheduled, answered: total(part.load.statuses), answers: own.length, quantiles };
  });
  const sent = sinceSend(load, slice.dropped);
  return { slice, latencies, sinceSend: sent, parts, floor: await server.floor() };
}

function quantilesOf(sorted: SortedSample): Quantiles {
  return Object.fromEntries(LEVELS.map((p) => [p, quantile(sorted, p)])) as Quantiles;
}

export async function measureCell(
  server: KnownLatencyServer,
  generator: LoadGenerator,
  scenario: Scenario,
  runs: number,
  place: Place,
): Promise<Cell> {
  const measured: Run[] = [];
  for (let run = 0; run < runs; run++) {
    for (let attempt = 1; ; attempt++) {
      const result = await measureRun(server, generator, scenario, place);
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

/** Of a mix there is one run. */
function summarizeCell(scenario: Scenario, measured: readonly Run[]): Cell {
  const latencies = sortSample(measured.flatMap(({ latencies }) => [...latencies]));
  const sent = sortSample(measured.flatMap(({ sinceSend }) => [...sinceSend]));
  // Nothing is asked of windows here, and they are most of a slice.
  const slices = measured.map(({ slice: { windows: _, ...slice } }) => slice);
  const [voided] = slices.flatMap((slice) => slice.void ?? []);
  const [disturbance] = slices.flatMap(disturbancesOf);
  const [floor] = measured.map((run) => run.floor).sort((a, b) => b.p99 - a.p99);
  if (floor === undefined) throw new Error("no run: bug");
  const [{ parts } = { parts: [] }] = measured;
  return {
    profile: scenario.name,
    generator: scenario.generator,
    rateRps: scenario.rateRps,
    connections: scenario.connections,
    answers: latencies.length,
    quantiles: quantilesOf(latencies),
    sinceSendP99Us: sent.length === 0 ? null : quantile(sent, 0.99),
    lagP99Us: worst(slices.map(({ lag }) => lag?.p99)),
    slackUs: worst(slices.map(({ slackUs }) => slackUs)),
    generatorShare: worst(slices.map(({ host }) => host.generator)) ?? Number.NaN,
    floor,
    void: unfitness(voided, disturbance),
    slices,
    ...(parts.length === 0 ? {} : { parts }),
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
