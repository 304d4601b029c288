// The measuring half of fidelity.mjs: each generator against each profile at each rate, through the gate's own adapters, summaries
// and rules of validity.
import { rmSync } from "node:fs";
import { dirname } from "node:path";
import { findOha } from "../src/build/oha-tool.ts";
import { requestsDropped } from "../src/model/load-rules.ts";
import { planCpuSets } from "../src/plan/cpu-sets.ts";
import { readHost } from "../src/run/host/host.ts";
import { keepAwake } from "../src/run/host/keep-awake.ts";
import { createOha } from "../src/run/load/oha.ts";
import { expandCounts } from "../src/run/load/parse-wrk2-report.ts";
import { createWrk2 } from "../src/run/load/wrk2.ts";
import { findWrk2 } from "../src/run/load/wrk2-tool.ts";
import { hostShares, measuredCpus, readHostCounters } from "../src/run/probe/host-counters.ts";
import { summarizeSlice } from "../src/run/slice.ts";
import { voidReason } from "../src/run/validity.ts";
import { quantile, sortSample } from "../src/stats/quantile.ts";
import { systemClock } from "../src/sys/clock.ts";
import { makeTemporaryFolder, memoryFolder } from "../src/sys/files.ts";
import { buildKnownLatency, startKnownLatency } from "../test/support/known-latency.ts";
import { PROFILES } from "../test/support/known-latency-profiles.ts";

const RUN_MS = 8000;
/** Rate, connections, runs. Of wrk2 each connection is used every 12.8 to 80 ms. */
const LOADS = [
  [200, 16, 2],
  [1000, 16, 2],
  [2000, 32, 1],
  [5000, 64, 1],
  [10_000, 128, 1],
];
/** What the host disturbed is measured again, so often. */
const MAX_ATTEMPTS = 3;
const HOST_RULES = new Set(["lag", "steal", "foreign-cpu", "throttled"]);
const SEED = 20_261_121;
const LEVELS = [0.5, 0.75, 0.9, 0.95, 0.99, 0.995, 0.999, 1];

function scenarioOf(profile, generator, [rateRps, connections]) {
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
function sinceSend(load) {
  if (load.kind === "distribution") return expandCounts(load.sinceSend);
  return load.rows.end.map((end, i) => end - load.rows.start[i]);
}

async function measureRun(server, generator, scenario, context) {
  const { cpuSets, folder } = context;
  // What is counted lasts RUN_MS, a whole number of stalls, whatever is dropped at its head.
  const requests = (scenario.rateRps * RUN_MS) / 1000 + requestsDropped(scenario);
  await server.begin();
  const known = { service: [server.pid], dependencies: [] };
  const before = readHostCounters(cpuSets, known, systemClock.nowMs());
  const load = await generator.run({
    scenario,
    port: server.port,
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
  return { slice, latencies, sinceSend: sinceSend(load), floor: await server.floor() };
}

async function measureCell(server, generator, scenario, runs, context) {
  const measured = [];
  for (let run = 0; run < runs; run++) {
    let result = null;
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      result = await measureRun(server, generator, scenario, context);
      if (result.slice.void === null || !HOST_RULES.has(result.slice.void.rule)) break;
    }
    measured.push(result);
  }
  return summarizeCell(scenario, measured);
}

const concatenate = (parts) => parts.flatMap((part) => [...part]);
const worst = (values) => (values.every((value) => value == null) ? null : Math.max(...values));

function summarizeCell(scenario, measured) {
  const latencies = sortSample(concatenate(measured.map(({ latencies }) => latencies)));
  const sent = sortSample(concatenate(measured.map(({ sinceSend }) => sinceSend)));
  const slices = measured.map(({ slice }) => slice);
  const voided = slices.find((slice) => slice.void !== null);
  const floors = measured.map(({ floor }) => floor).sort((a, b) => b.p99 - a.p99);
  return {
    profile: scenario.name,
    generator: scenario.generator,
    rateRps: scenario.rateRps,
    connections: scenario.connections,
    answers: latencies.length,
    quantiles: Object.fromEntries(LEVELS.map((p) => [p, quantile(latencies, p)])),
    sinceSendP99Us: sent.length === 0 ? null : quantile(sent, 0.99),
    lagP99Us: worst(slices.map(({ lag }) => lag?.p99)),
    slackUs: worst(slices.map(({ slackUs }) => slackUs)),
    generatorShare: worst(slices.map(({ host }) => host.generator)),
    floor: floors[0],
    void: voided === undefined ? null : `${voided.void.rule}: ${voided.void.detail}`,
    slices,
  };
}

export async function measureFidelity(tell) {
  const startedMs = systemClock.nowMs();
  const measuredAt = systemClock.wallTime();
  const { oha } = await findOha({ cache: "", env: process.env });
  const wrk2 = await findWrk2(process.env.PATH);
  const generators = [
    ...(oha === null ? [] : [["oha", createOha(oha)]]),
    ...(wrk2 === null ? [] : [["wrk2", createWrk2(wrk2)]]),
  ];
  const tools = generators.map(([, { name }]) => name);
  const host = readHost({ generator: tools.join(", ") });
  const cpuSets = planCpuSets(host, null, { dependencies: false });
  const folder = makeTemporaryFolder(memoryFolder());
  const program = await buildKnownLatency();
  const hasQuota = host.findings.some(({ id }) => id === "quota");
  const awake = await keepAwake(measuredCpus(cpuSets), { hasQuota });
  const cells = [];
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
            const context = { cpuSets, folder, startedMs };
            const cell = await measureCell(server, generator, scenario, load[2], context);
            cells.push(cell);
            tell(
              `${profile.name} ${load[0]}/s ${name}: p99 ${cell.quantiles[0.99]} us, server late ${cell.floor.p99} us${cell.void === null ? "" : `, ${cell.void}`}`,
            );
          }
        }
      } finally {
        await server.stop();
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
