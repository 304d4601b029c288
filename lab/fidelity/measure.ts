// Which cells are measured: each generator against each profile at each rate; and oha over each
// transport, and in mixes.
import { rmSync } from "node:fs";
import { dirname } from "node:path";
import type { Scenario } from "../../src/core/model/config.ts";
import type { CpuSets, Host } from "../../src/core/model/host.ts";
import { TLS_SETTLE_MS } from "../../src/core/model/load-rules.ts";
import { planCpuSets } from "../../src/core/plan/cpu-sets.ts";
import type { LoadGenerator } from "../../src/core/slice/load.ts";
import { findOha } from "../../src/machine/build/oha-tool.ts";
import { readHost } from "../../src/machine/host/host.ts";
import { keepAwake } from "../../src/machine/host/keep-awake.ts";
import { generatorOf } from "../../src/machine/run/load/generator.ts";
import { createOha } from "../../src/machine/run/load/oha/oha.ts";
import { findWrk2 } from "../../src/machine/run/load/wrk2/tool.ts";
import { createWrk2 } from "../../src/machine/run/load/wrk2/wrk2.ts";
import { measuredCpus } from "../../src/machine/run/probe/host-counters.ts";
import { systemClock } from "../../src/machine/sys/clock.ts";
import { makeTemporaryFolder, memoryFolder } from "../../src/machine/sys/files.ts";
import {
  buildKnownLatency,
  type KnownLatencyServer,
  startKnownLatency,
} from "../../test/support/known-latency.ts";
import {
  type KnownMix,
  MIXES,
  PROFILES,
  type Profile,
  profileNamed,
} from "../../test/support/known-latency-profiles.ts";
import { isTls, TRANSPORTS, type TransportName } from "../../test/support/transport-address.ts";
import { type Cell, type Load, measureCell, type Place, scenarioOf } from "./cell.ts";

/** Measured at one time on one machine. */
export interface Measurement {
  measuredAt: string;
  seconds: number;
  host: Host;
  keptAwake: boolean;
  cpuSets: CpuSets;
  tools: string[];
  cells: Cell[];
}

export const SECTIONS = ["generators", "transports", "mixes"] as const;
export type Section = (typeof SECTIONS)[number];

/** What is stored: `generators`, and in it the others as far as they were measured. */
export interface Results extends Measurement {
  transports?: Measurement;
  mixes?: Measurement;
}

interface Context extends Place {
  program: string;
  generator: LoadGenerator;
  names: readonly Scenario["generator"][];
}

/** Of wrk2 each connection is used every 12.8 to 80 ms. */
const LOADS: readonly Load[] = [
  [200, 16, 2],
  [1000, 16, 2],
  [2000, 32, 1],
  [5000, 64, 1],
  [10_000, 128, 1],
];
const TRANSPORT_LOADS: readonly (readonly [profile: string, Load])[] = [
  ["constant", [2000, 32, 1]],
  ["modes", [1000, 16, 1]],
  ["stalls", [1000, 16, 1]],
];
/** Of the slow tenth whole thousands, of which each has the same latencies. */
const MIX_LOADS: readonly (readonly [mix: string, Load])[] = [
  ["slow-tenth", [2500, 40, 1]],
  ["slow-tenth", [5000, 64, 1]],
  ["eight", [5000, 64, 1]],
  ["stalled", [1000, 32, 1]],
];
const SEED = 20_261_121;

async function withServer(
  { program, cpuSets }: Context,
  profiles: readonly Profile[],
  over: { over?: TransportName },
  work: (server: KnownLatencyServer) => Promise<void>,
): Promise<void> {
  const options = { cpus: cpuSets.service, seed: SEED, ...over };
  const server = await startKnownLatency(program, profiles, options);
  try {
    await work(server);
  } finally {
    await server.stop();
  }
}

type Measure = (context: Context, add: (cell: Cell) => void) => Promise<void>;

const measureGenerators: Measure = async (context, add) => {
  for (const profile of PROFILES) {
    await withServer(context, [profile], {}, async (server) => {
      for (const load of LOADS) {
        for (const name of context.names) {
          const scenario = scenarioOf(profile.name, name, load);
          add(await measureCell(server, context.generator, scenario, load[2], context));
        }
      }
    });
  }
};

const measureTransports: Measure = async (context, add) => {
  for (const over of TRANSPORTS) {
    const settle = isTls(over) ? { settleMs: TLS_SETTLE_MS } : {};
    for (const [profile, load] of TRANSPORT_LOADS) {
      await withServer(context, [profileNamed(profile)], { over }, async (server) => {
        const scenario = { ...scenarioOf(profile, "oha", load), ...settle };
        add({
          ...(await measureCell(server, context.generator, scenario, load[2], context)),
          over,
        });
      });
    }
  }
};

const measureMixes: Measure = async (context, add) => {
  for (const [name, load] of MIX_LOADS) {
    const mix = MIXES.find((one) => one.name === name);
    if (mix === undefined) throw new Error(`no mix ${name}`);
    const profiles = mix.parts.map(({ profile }) => profile);
    await withServer(context, profiles, {}, async (server) => {
      const scenario = mixOf(mix, load);
      add(await measureCell(server, context.generator, scenario, load[2], context));
    });
  }
};

function mixOf({ name, parts }: KnownMix, load: Load): Scenario {
  const scenario = scenarioOf(name, "oha", load);
  const { request, expectStatus } = scenario;
  return {
    ...scenario,
    mix: parts.map((part, i) => ({
      name: part.name,
      weight: part.weight,
      request: { ...request, path: `/${i}` },
      expectStatus,
    })),
  };
}

const MEASURES: Readonly<Record<Section, Measure>> = {
  generators: measureGenerators,
  transports: measureTransports,
  mixes: measureMixes,
};

function describeCell({ profile, rateRps, generator, over, quantiles, ...cell }: Cell): string {
  const through = over === undefined ? generator : `${generator} over ${over}`;
  const why = cell.void === null ? "" : `, ${cell.void}`;
  return `${profile} ${rateRps}/s ${through}: p99 ${quantiles[0.99]} us, server late ${cell.floor.p99} us${why}`;
}

export async function measureFidelity(
  sections: readonly Section[],
  tell: (line: string) => void,
): Promise<Partial<Record<Section, Measurement>>> {
  const { oha } = await findOha({ cache: "", env: process.env });
  const wrk2 = sections.includes("generators") ? await findWrk2(process.env.PATH) : null;
  const found = {
    ...(oha === null ? {} : { oha: createOha(oha) }),
    ...(wrk2 === null ? {} : { wrk2: createWrk2(wrk2) }),
  };
  const tools = Object.values(found).map(({ name }) => name);
  const host = readHost({ generator: tools.join(", ") });
  const cpuSets = planCpuSets(host, null, { dependencies: false });
  const folder = makeTemporaryFolder(memoryFolder());
  const program = await buildKnownLatency();
  const hasQuota = host.findings.some(({ id }) => id === "quota");
  const awake = await keepAwake(measuredCpus(cpuSets), { hasQuota });
  const names = Object.keys(found) as Scenario["generator"][];
  const measured: Partial<Record<Section, Measurement>> = {};
  try {
    for (const section of sections) {
      if (section !== "generators" && oha === null) continue;
      const startedMs = systemClock.nowMs();
      const measuredAt = systemClock.wallTime();
      const cells: Cell[] = [];
      await MEASURES[section](
        { program, cpuSets, folder, startedMs, generator: generatorOf(found), names },
        (cell) => {
          cells.push(cell);
          tell(describeCell(cell));
        },
      );
      const seconds = (systemClock.nowMs() - startedMs) / 1000;
      const keptAwake = "release" in awake;
      measured[section] = { measuredAt, seconds, host, keptAwake, cpuSets, tools, cells };
    }
  } finally {
    if ("release" in awake) awake.release();
    rmSync(folder, { recursive: true, force: true });
    rmSync(dirname(program), { recursive: true, force: true });
  }
  return measured;
}
