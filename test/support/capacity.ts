// Synthetic capacity samples: the real search and the real rules on slices of a service of known
// capacity.

import { createPrng, type Prng } from "../../src/core/base/prng.ts";
import type {
  CapacityLaunch,
  CapacitySamples,
  CapacitySettings,
} from "../../src/core/capacity/model.ts";
import { searchCapacity } from "../../src/core/capacity/search.ts";
import {
  judgeTry,
  leastRate,
  type SliceFacts,
  sliceDurationMs,
} from "../../src/core/capacity/slice.ts";
import { COST } from "../../src/core/config/source/source.ts";
import type { CostParameters, Scenario } from "../../src/core/model/config.ts";
import { makeHost, makeScenario } from "./samples.ts";

export interface CapacityRecipe {
  launches?: number;
  /** Requests a second that the service can answer; each launch within 3 % of it. */
  capacityRps?: number;
  /** Above this rate the generator's CPU is used up. */
  generatorLimitRps?: number;
  /** Other processes use the machine all the time. */
  disturbed?: boolean;
  /** Of the service's one CPU at its capacity. */
  busyShare?: number;
  /** This launch (from 0) ends with a crash; a run with one launch fails. */
  crashInLaunch?: number;
  /** A signal ends the run in the last launch. */
  interrupted?: boolean;
  objectiveMs?: number;
  scenario?: Partial<Scenario>;
  cost?: Partial<CostParameters>;
  seed?: number;
}

export function makeCapacitySamples(recipe: CapacityRecipe = {}): CapacitySamples {
  const prng = createPrng(recipe.seed ?? 7);
  const scenario = makeScenario({ connections: 8, rateRps: 250, ...recipe.scenario });
  const sizing = { sliceMs: 2000, warmupShare: 0.25 };
  const settings: CapacitySettings = {
    ...sizing,
    objectiveUs: (recipe.objectiveMs ?? 20) * 1000,
    errorBudget: 0,
    launches: recipe.launches ?? 8,
    precision: 0.03,
    startRps: scenario.rateRps,
    leastRps: leastRate(sizing),
    mostRps: 1_000_000,
    timeBudgetMs: 900_000,
  };
  const launches: CapacityLaunch[] = [];
  let atMs = 0;
  for (let index = 0; index < settings.launches; index++) {
    const launch = simulateLaunch({ index, atMs, scenario, settings, recipe, prng });
    launches.push(launch);
    atMs = launch.endedAtMs;
    if (recipe.crashInLaunch === index && settings.launches === 1) break;
  }
  const failed = recipe.crashInLaunch !== undefined && settings.launches === 1;
  return {
    schema: "tailgate.capacity-samples.v1",
    tool: "tailgate 0.1.0",
    run: {
      id: "20260102T030405Z-0000002a",
      startedAt: "2026-01-02T03:04:05.000Z",
      seed: 42,
      measuredMs: atMs,
      state: failed ? "failed" : recipe.interrupted ? "interrupted" : "complete",
      ended: failed ? "failed" : recipe.interrupted ? "interrupted" : "launches",
    },
    host: makeHost({ cpuModel: "Example CPU @ 2.50GHz", virtual: true, generator: "oha 1.14.0" }),
    cpuSets: { service: [1], generator: [0], disjoint: true },
    scenario,
    source: {
      commit: "9f1c2d3e4a5b6c7d8e9f0a1b2c3d4e5f60718293",
      label: "main",
      dirty: false,
      subject: "Use a pool",
    },
    artifact: null,
    settings,
    cost: { ...COST, ...recipe.cost },
    launches,
  };
}

interface Simulation {
  index: number;
  atMs: number;
  scenario: Scenario;
  settings: CapacitySettings;
  recipe: CapacityRecipe;
  prng: Prng;
}

function simulateLaunch(simulation: Simulation): CapacityLaunch {
  const { index, scenario, settings, recipe, prng } = simulation;
  const capacityRps = (recipe.capacityRps ?? 400) * (0.97 + 0.06 * prng.next());
  const startRps = settings.startRps * (1 + settings.precision) ** prng.next();
  const launch: CapacityLaunch = {
    index,
    startRps,
    startedAtMs: simulation.atMs,
    endedAtMs: 0,
    slices: [],
    failure: null,
  };
  let atMs = simulation.atMs + 800;
  const search = searchCapacity({ ...settings, startRps });
  let turn = search.next();
  while (!turn.done) {
    const facts = simulateSlice(turn.value, capacityRps, atMs, simulation);
    const verdict = judgeTry(facts, scenario, settings);
    launch.slices.push({ ...facts, verdict });
    atMs += Math.round(facts.wallMs) + 200;
    const cut =
      recipe.crashInLaunch === index || (recipe.interrupted && index === settings.launches - 1);
    if (cut && launch.slices.length === 3) {
      if (recipe.crashInLaunch === index) {
        launch.failure = {
          text: `api exited with code 1 in launch ${index + 1}, at ${turn.value.toPrecision(4)}/s`,
          detail: "out of memory",
        };
      }
      break;
    }
    turn = search.next(verdict);
  }
  launch.endedAtMs = atMs;
  return launch;
}

function simulateSlice(
  rateRps: number,
  capacityRps: number,
  startedAtMs: number,
  { settings, recipe, prng }: Simulation,
): SliceFacts {
  const durationMs = sliceDurationMs(rateRps, settings);
  const scheduled = Math.round((rateRps * durationMs) / 1000);
  const load = rateRps / capacityRps;
  const backlogMs = Math.max(0, load - 1) * durationMs;
  const queueMs = Math.min(12, 0.6 / Math.max(0.02, 1 - Math.min(load, 1)));
  const noise = 0.9 + 0.2 * prng.next();
  const p99Us = Math.round((2500 + 1000 * (queueMs + backlogMs)) * noise);
  const wallMs = durationMs + backlogMs + 60;
  const busy = Math.min(1, load) * (recipe.busyShare ?? 0.97);
  return {
    rateRps,
    startedAtMs,
    durationMs,
    scheduled,
    dropped: Math.ceil(scheduled * settings.warmupShare),
    statuses: { "200": scheduled },
    errors: {},
    latency: { p50Us: Math.round(2200 + 500 * backlogMs), p99Us, maxUs: p99Us + 900 },
    lag: { p99Us: 1500, maxUs: 2100 },
    connectionWaitP99Us: Math.max(0, p99Us - 4000),
    answeredShare: Math.min(
      1,
      (durationMs + settings.objectiveUs / 1000) / (durationMs + backlogMs),
    ),
    serviceCpuMs: Math.round((busy * wallMs) / 10) * 10,
    wallMs,
    host: {
      steal: 0,
      foreign: recipe.disturbed ? 0.22 : 0.01,
      generator: rateRps > (recipe.generatorLimitRps ?? Infinity) ? 0.93 : 0.2,
      service: Math.round(busy * 1000) / 1000,
      throttled: 0,
    },
  };
}
