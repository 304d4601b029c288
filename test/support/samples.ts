// Synthetic samples with known effects, for tests of everything behind the measurement.
import { createPrng, type Prng } from "../../src/core/base/prng.ts";
import type {
  Config,
  MetricPolicy,
  Recipe,
  Request,
  Scenario,
} from "../../src/core/model/config.ts";
import type { Host } from "../../src/core/model/host.ts";
import type {
  Answer,
  Arm,
  ArtifactFacts,
  Latency,
  Launch,
  Round,
  Samples,
  ScenarioRound,
  Slice,
  Window,
} from "../../src/core/model/samples.ts";
import { cutWindows } from "../../src/core/slice/slice.ts";

export interface SamplesRecipe {
  rounds: number;
  /** Standard deviation of a round's log ratio. */
  noise: number;
  /** Candidate over reference, by scenario id; default 1. */
  p99Ratio?: Record<string, number>;
  /** Candidate over reference, by service; default 1. */
  rssRatio?: Record<string, number>;
  /** p99 of the reference; default 300. */
  p99Us?: number;
  absoluteFloorUs?: number;
  /** The candidate of `api` crashes in this round (from 0), which ends the run. */
  crashInRound?: number;
  /** Share of extra, void slices. */
  voidShare?: number;
  saturated?: "both" | "candidate";
  omitScenario?: string;
  /** Level of every metric; default gate for p99 and rss. */
  levels?: "info";
  seed?: number;
  compare?: Samples["run"]["compare"];
  state?: Samples["run"]["state"];
  /** With what a round may lack: windows, answers, memory after warm-up, programs of others. */
  whole?: boolean;
}

const PAIRS = 4;

export function makeRequest(change: Partial<Request> = {}): Request {
  return {
    method: "GET",
    path: "/echo",
    pathIsPattern: false,
    headers: {},
    body: null,
    ...change,
  };
}

export function makeScenario(change: Partial<Scenario> = {}, name = "echo"): Scenario {
  return {
    id: `api/${name}`,
    service: "api",
    name,
    request: makeRequest({ path: `/${name}` }),
    expectStatus: 200,
    rateRps: 2000,
    connections: 16,
    keepAlive: true,
    requestTimeoutMs: 5000,
    warmupRequests: 1000,
    slice: { durationMs: 500, pairs: PAIRS },
    generator: "oha",
    metrics: [],
    ...change,
  };
}

export function makePolicy(
  metric: MetricPolicy["metric"],
  estimator: MetricPolicy["estimator"],
  level: MetricPolicy["level"],
  [margin, floor, absoluteFloor]: readonly [number, number, number],
): MetricPolicy {
  return { metric, estimator, level, margin, tolerance: 0.01, floor, absoluteFloor };
}

export function makeHost(change: Partial<Host["fingerprint"]> = {}): Host {
  return {
    fingerprint: {
      cpuModel: "Test CPU",
      cpus: 2,
      memoryGiB: 8,
      kernel: "6.1.0",
      microcode: "0x1",
      governor: "performance",
      smt: "off",
      virtual: false,
      generator: "oha 1.16.0",
      ...change,
    },
    allowedCpus: [0, 1],
    cores: [[0], [1]],
    findings: [],
  };
}

export function makeRecipe(change: Partial<Recipe> = {}): Recipe {
  return {
    dir: "api",
    build: [],
    artifact: null,
    run: ["node", "server.mjs", "{port}"],
    env: {},
    ready: { kind: "http", path: "/healthz", timeoutMs: 10_000 },
    stop: { signal: "SIGTERM", graceMs: 5000 },
    prometheus: null,
    port: null,
    needs: [],
    ...change,
  };
}

export function makeConfig(overrides: Partial<Config> = {}): Config {
  return {
    dependencies: [],
    waivers: [],
    services: [
      {
        name: "api",
        scheme: "sliced",
        recipe: makeRecipe(),
      },
    ],
    scenarios: [makeScenario(), makeScenario({}, "hello")],
    policy: {
      metrics: [
        makePolicy("p99", "typical", "gate", [0.1, 0.05, 0]),
        makePolicy("p99", "pooled", "gate", [1, 0.25, 0]),
        makePolicy("rss", "launch", "gate", [0.05, 0.025, 0]),
      ],
      alpha: 0.01,
      beta: 0.05,
      answerAll: false,
      errorBudget: 0,
      timeBudgetMs: 900_000,
    },
    compare: "base",
    seed: null,
    runner: { class: "test", cpus: null },
    baselines: { dir: "baselines", maxAgeDays: 30 },
    ...overrides,
  };
}

export function makeSamples(recipe: SamplesRecipe): Samples {
  const config = makeConfig();
  for (const metric of config.policy.metrics) {
    if (recipe.levels !== undefined) metric.level = recipe.levels;
    if (recipe.absoluteFloorUs !== undefined && metric.metric === "p99") {
      metric.absoluteFloor = recipe.absoluteFloorUs;
    }
  }
  const prng = createPrng(recipe.seed ?? 1);
  const rounds: Round[] = [];
  for (let index = 0; index < recipe.rounds; index++) {
    rounds.push(makeRound(config, recipe, index, prng));
    if (recipe.crashInRound === index) break;
  }
  return {
    schema: "tailgate.samples.v1",
    tool: "tailgate 0.0.0-test",
    run: {
      id: "test",
      startedAt: "2026-01-02T03:04:05.000Z",
      seed: recipe.seed ?? 1,
      compare: recipe.compare ?? "base",
      measuredMs: rounds.length * 10_000,
      state: recipe.state ?? "complete",
      ended: "answered",
    },
    host: makeHost(),
    cpuSets: { service: [1], generator: [0], disjoint: true },
    config,
    sources: {
      candidate: { commit: "c".repeat(40), label: "working tree", dirty: false, subject: "change" },
      reference:
        recipe.compare === "stored"
          ? null
          : { commit: "b".repeat(40), label: "merge base", dirty: false, subject: "base" },
    },
    artifacts: [],
    rounds,
  };
}

function makeRound(config: Config, recipe: SamplesRecipe, index: number, prng: Prng): Round {
  const crashed = recipe.crashInRound === index;
  const alone = recipe.compare === "stored";
  const rssBytes = 20_000_000 * Math.exp(normal(prng) * 0.002);
  const launch = (ratio: number): Launch => {
    const rss = Math.round(rssBytes * ratio * Math.exp((normal(prng) * recipe.noise) / 8));
    const warm = { requests: 2000, rss: rss * 0.9 };
    const values = { rss, rssPeak: 30_000_000, startup: 20, cpuPer1k: 100 };
    return { requests: 10_000, ...(recipe.whole === true ? { warm } : {}), values };
  };
  return {
    service: "api",
    index,
    startedAtMs: index * 10_000,
    endedAtMs: index * 10_000 + 9000,
    loadMs: 8000,
    launches: crashed
      ? null
      : {
          candidate: launch(recipe.rssRatio?.api ?? 1),
          reference: alone ? null : launch(1),
        },
    scenarios: config.scenarios
      .filter(({ id }) => id !== recipe.omitScenario)
      .map((scenario) => makeScenarioRound(scenario, recipe, index, prng)),
    dependencies: [],
    ...(recipe.whole === true ? { culprits: [{ command: "backup", share: 0.03 }] } : {}),
    failure: crashed
      ? {
          kind: "crash",
          arm: "candidate",
          scenario: "api/echo",
          text: `api (candidate) exited with code 70 in round ${index + 1} while api/echo was running`,
          detail: "boom",
        }
      : null,
  };
}

function makeScenarioRound(
  scenario: Scenario,
  recipe: SamplesRecipe,
  index: number,
  prng: Prng,
): ScenarioRound {
  const base = (recipe.p99Us ?? 300) * Math.exp(normal(prng) * 0.2);
  const ratio = (recipe.p99Ratio?.[scenario.id] ?? 1) * Math.exp(normal(prng) * recipe.noise);
  const slices: Slice[] = [];
  const alone = recipe.compare === "stored";
  const arms: Arm[] = alone ? ["candidate"] : ["candidate", "reference"];
  const keep = (slice: Slice): unknown =>
    slices.push(recipe.whole === true ? withWindows(slice, scenario) : slice);
  for (let pair = 0; pair < PAIRS; pair++) {
    if (prng.next() < (recipe.voidShare ?? 0) * 2) {
      for (const arm of arms) keep(makeSlice(arm, pair, 0, base, index, "lag"));
    }
    for (const arm of arms) {
      keep(makeSlice(arm, pair, 1, arm === "candidate" ? base * ratio : base, index, null));
    }
  }
  const saturated = (arm: Arm): boolean =>
    recipe.saturated === "both" || (recipe.saturated === "candidate" && arm === "candidate");
  return {
    scenario: scenario.id,
    ...(recipe.whole === true
      ? { answers: Object.fromEntries(arms.map((arm) => [arm, ANSWER])) }
      : {}),
    arms: {
      candidate: {
        pooled: makeLatency(base * ratio, 3800),
        curve: [
          [0.5, base * ratio * 0.5],
          [0.99, base * ratio],
        ],
        saturated: saturated("candidate"),
      },
      reference: alone
        ? null
        : {
            pooled: makeLatency(base, 3800),
            curve: [
              [0.5, base * 0.5],
              [0.99, base],
            ],
            saturated: saturated("reference"),
          },
    },
    slices,
  };
}

function makeSlice(
  arm: Arm,
  pair: number,
  attempt: number,
  p99Us: number,
  round: number,
  voidRule: "lag" | null,
): Slice {
  return {
    arm,
    pair,
    attempt,
    startedAtMs: round * 10_000 + pair * 1000,
    scheduled: 1000,
    dropped: 40,
    statuses: { "200": 1000 },
    errors: {},
    latency: makeLatency(p99Us, 960),
    p99FromIdealUs: p99Us + 900,
    lag: { p50: 500, p99: 1000, max: 1400 },
    queueWaitP99Us: 2,
    achievedRps: 2000,
    host: { steal: 0, foreign: 0, generator: 0.2, service: 0.2, throttled: 0 },
    void: voidRule === null ? null : { rule: voidRule, detail: "lag p99 9.1 ms, limit 2 ms" },
  };
}

const ANSWER: Answer = {
  status: 200,
  contentType: "application/json",
  bytes: 2,
  sha256: "a".repeat(64),
  json: "b".repeat(64),
};

/** As even as a slice can be: each window has its quantiles, its slowest and its largest lag. */
function withWindows(slice: Slice, { rateRps }: Scenario): Slice {
  const { latency, lag } = slice;
  if (latency === null || lag === null) throw new Error("nothing to be cut");
  const { requests, p999: _, ...own } = latency;
  const windows = cutWindows(requests, rateRps)?.map(
    ({ from, to }): Window => ({ requests: to - from, ...own, lagMax: lag.max }),
  );
  return windows === undefined ? slice : { ...slice, windows };
}

function makeLatency(p99Us: number, requests: number): Latency {
  return {
    requests,
    p50: p99Us * 0.5,
    p90: p99Us * 0.7,
    p95: p99Us * 0.8,
    p99: p99Us,
    p999: p99Us * 2,
    max: p99Us * 3,
  };
}

/** Standard normal (Box and Muller 1958). */
export function normal(prng: Prng): number {
  return Math.sqrt(-2 * Math.log(1 - prng.next())) * Math.cos(2 * Math.PI * prng.next());
}

/** A build of the candidate that is of no interest but for its key. */
export function makeArtifactFacts(key: string): ArtifactFacts {
  return {
    arm: "candidate",
    service: "api",
    key,
    sha256: "",
    binaryBytes: null,
    strippedBytes: null,
    buildMs: 0,
    cached: true,
    toolchain: "",
  };
}

/** Others have a third of the CPUs during the first rounds. */
export function beBusy({ rounds }: Samples, busy: number): void {
  for (const round of rounds.slice(0, busy)) {
    round.culprits = [{ command: "stress", share: 0.35 }];
    for (const { slices } of round.scenarios) {
      for (const { host } of slices) host.foreign = 0.35;
    }
  }
}

/** The reference does not have this scenario. */
/** Holds the candidate to absolute limits, by metric in its unit, unless an estimate is pooled. */
export function withLimits(
  samples: Samples,
  limits: Partial<Record<MetricPolicy["metric"], number>>,
  level: MetricPolicy["level"] = "gate",
): Samples {
  const { config } = samples;
  const metrics = config.policy.metrics.map((one) => {
    const value = one.estimator === "pooled" ? undefined : limits[one.metric];
    return value === undefined ? one : { ...one, max: { value, level } };
  });
  return { ...samples, config: { ...config, policy: { ...config.policy, metrics } } };
}

export function withNew(samples: Samples, scenario: string): Samples {
  const rounds = samples.rounds.map((round) => ({
    ...round,
    scenarios: round.scenarios.map((entry) =>
      entry.scenario === scenario
        ? {
            ...entry,
            arms: { ...entry.arms, reference: null },
            slices: entry.slices.filter(({ arm }) => arm === "candidate"),
          }
        : entry,
    ),
  }));
  return { ...samples, rounds };
}

/** Makes CPU a request vary from round to round, as on cores of unsteady speed. */
export function varyCpu({ config, rounds }: Samples): void {
  config.policy.metrics.push(makePolicy("cpuPer1k", "launch", "gate", [0.1, 0.05, 1]));
  for (const [nth, { launches }] of rounds.entries()) {
    if (launches?.candidate) launches.candidate.values.cpuPer1k = nth % 2 === 0 ? 80 : 120;
  }
}
