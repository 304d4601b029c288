// samples.v1: everything a run measured, written as rounds end; the only input of a verdict besides policy and baseline.
// Times inside a run are milliseconds since it began; latencies are microseconds.
import { z } from "zod";
import { ConfigSchema } from "./config.ts";
import { CpuSetsSchema, HostSchema } from "./host.ts";
import { ServiceMetricSchema } from "./metric.ts";
import { RunnerFactsSchema } from "./profile.ts";

export const ARMS = ["candidate", "reference"] as const;
export type Arm = (typeof ARMS)[number];
export const ArmSchema = z.enum(ARMS);

const count = z.int().min(0);
const micros = z.number();

/** Quantiles by nearest rank (Hyndman & Fan type 1) over `requests` kept requests. */
export const LatencySchema = z.strictObject({
  requests: count,
  p50: micros,
  p90: micros,
  p95: micros,
  p99: micros,
  p999: micros,
  max: micros,
});
export type Latency = z.infer<typeof LatencySchema>;

/** The quantiles that the requests of a window suffice for. */
export const WindowSchema = LatencySchema.pick({
  requests: true,
  p50: true,
  p90: true,
  p95: true,
  p99: true,
});
export type Window = z.infer<typeof WindowSchema>;

/** Why a slice does not count. The rules are blind to the arm and never look at latency. */
export const VOID_RULES = [
  "incomplete",
  "status",
  "transport",
  "lag",
  "generator-busy",
  "steal",
  "foreign-cpu",
  "throttled",
  "service-gone",
  "generator-failed",
] as const;
export const VoidSchema = z.strictObject({
  rule: z.enum(VOID_RULES),
  /** One line: what was seen against what was allowed. */
  detail: z.string(),
});
export type VoidReason = z.infer<typeof VoidSchema>;
export type VoidRule = (typeof VOID_RULES)[number];

/** One stretch of fixed-rate load on one arm. */
export const SliceSchema = z.strictObject({
  arm: ArmSchema,
  /** Which pair of the scenario in this round, from 0, and which try at it, from 0. */
  pair: count,
  attempt: count,
  startedAtMs: z.number(),
  /** Requests the schedule asked for; of these `dropped` belong to connection set-up and are in no quantile. */
  scheduled: count,
  dropped: count,
  /** Responses by status code, and failures by the generator's own words. */
  statuses: z.record(z.string(), count),
  errors: z.record(z.string(), count),
  /**
   * Latency from release (see lag), kept requests only; of a generator that does not tell releases, from the ideal instant. Null
   * when nothing was answered.
   */
  latency: LatencySchema.nullable(),
  /**
   * The same requests cut into stretches of equal length, in the order of release (see run/windows.ts). Absent where the slice is too short
   * for two of them, and of a generator that does not tell releases.
   */
  windows: z.array(WindowSchema).min(2).optional(),
  /** p99 counted from the ideal instant i/rate instead: release latency plus the generator's own timer lag. */
  p99FromIdealUs: micros.nullable(),
  /** Generator's lateness: release minus ideal instant, over kept requests. Null: the generator does not tell. */
  lag: z.strictObject({ p50: micros, p99: micros, max: micros }).nullable(),
  /** p99 of the wait for a free connection, which is inside the latency. Null: the generator does not tell. */
  queueWaitP99Us: micros.nullable(),
  achievedRps: z.number().nullable(),
  /**
   * Mean time by which the generator itself lengthened each latency: wrk2's timers, and what they make wait on the same
   * connection. Absent: latency is free of it (see lag).
   */
  slackUs: micros.optional(),
  host: z.strictObject({
    /** Shares of the measured CPUs' time, 0 to 1, during the slice. */
    steal: z.number(),
    foreign: z.number(),
    /** The generator's CPU time as a share of its CPUs. */
    generator: z.number(),
    /** The service's CPU time as a share of its CPUs. */
    service: z.number(),
    /** Increase of the cgroup's throttled count. */
    throttled: count,
    /** Clock of the service's CPUs at the end of the load, mean; absent where the kernel shows none. */
    mhz: z.number().optional(),
  }),
  void: VoidSchema.nullable(),
});
export type Slice = z.infer<typeof SliceSchema>;

/** Quantile points of the pooled latency, for curves: `[probability, microseconds]`, ascending. */
export const CurveSchema = z.array(z.tuple([z.number(), micros]));
export type Curve = z.infer<typeof CurveSchema>;

export const ScenarioArmSchema = z.strictObject({
  /** Over the kept requests of all valid slices; null when a slice stayed void after its repeats. */
  pooled: LatencySchema.nullable(),
  curve: CurveSchema,
  /** The arm could not keep up: requests waited for a free connection in most of its slices. */
  saturated: z.boolean(),
});
export type ScenarioArm = z.infer<typeof ScenarioArmSchema>;

export const ScenarioRoundSchema = z.strictObject({
  scenario: z.string(),
  arms: z.strictObject({ candidate: ScenarioArmSchema, reference: ScenarioArmSchema.nullable() }),
  /** In the order they ran, void ones included. */
  slices: z.array(SliceSchema),
});
export type ScenarioRound = z.infer<typeof ScenarioRoundSchema>;

/** One start of a service's process. A metric that was not to be had is absent. */
export const LaunchSchema = z.strictObject({
  requests: count,
  values: z.partialRecord(ServiceMetricSchema, z.number()),
});
export type Launch = z.infer<typeof LaunchSchema>;

/** What one dependency used in a round. */
export const DependencyUseSchema = z.strictObject({
  name: z.string(),
  /** CPU time during the round. */
  cpuMs: z.number(),
  /** At its end: proportional set size of all its processes. */
  pssBytes: z.number(),
});
export type DependencyUse = z.infer<typeof DependencyUseSchema>;

/** One dependency as it was started. */
export const DependencyFactsSchema = z.strictObject({
  name: z.string(),
  /** What runs, with its version where it has one: `PostgreSQL 15.18`. */
  program: z.string(),
  /** What each arm finds in it when a run begins: equal for equal contents. Null: nothing. */
  contents: z.strictObject({ candidate: z.string().nullable(), reference: z.string().nullable() }),
  /** Settings that are not the program's own defaults. */
  settings: z.record(z.string(), z.string()),
});
export type DependencyFacts = z.infer<typeof DependencyFactsSchema>;

/** One launch of each arm of one service, and all the load it got. The unit of every test. */
export const RoundSchema = z.strictObject({
  service: z.string(),
  /** From 0, for each service; failed rounds count. */
  index: count,
  startedAtMs: z.number(),
  endedAtMs: z.number(),
  /** Milliseconds of the round in which a slice's load was running: the rest is overhead. */
  loadMs: z.number(),
  launches: z
    .strictObject({ candidate: LaunchSchema, reference: LaunchSchema.nullable() })
    .nullable(),
  scenarios: z.array(ScenarioRoundSchema),
  /** In the order of the configuration; empty when the service needs none. */
  dependencies: z.array(DependencyUseSchema).default([]),
  /** Why the round does not count; what it did measure is kept. */
  failure: z
    .strictObject({
      kind: z.enum(["start", "not-ready", "crash", "dependency", "generator"]),
      arm: ArmSchema.nullable(),
      scenario: z.string().nullable(),
      text: z.string(),
      /** Last lines the service or the tool printed. */
      detail: z.string(),
    })
    .nullable(),
});
export type Round = z.infer<typeof RoundSchema>;
export type RoundFailure = NonNullable<Round["failure"]>;

/** Where an arm's code came from. */
export const SourceSchema = z.strictObject({
  /** Full commit id. */
  commit: z.string(),
  /** Branch, tag or how it was chosen, for people. */
  label: z.string(),
  /** The working tree had changes on top of the commit. */
  dirty: z.boolean(),
  subject: z.string(),
});
export type Source = z.infer<typeof SourceSchema>;

export const ArtifactFactsSchema = z.strictObject({
  arm: ArmSchema,
  service: z.string(),
  /** Hash of the service's tree, recipe and toolchain: equal keys are the same build. */
  key: z.string(),
  sha256: z.string(),
  binaryBytes: count.nullable(),
  strippedBytes: count.nullable(),
  /** Wall time of the build that made it, now or when it was cached. */
  buildMs: z.number(),
  cached: z.boolean(),
  toolchain: z.string(),
});
export type ArtifactFacts = z.infer<typeof ArtifactFactsSchema>;

export const SamplesSchema = z.strictObject({
  schema: z.literal("tailgate.samples.v1"),
  tool: z.string(),
  run: z.strictObject({
    id: z.string(),
    startedAt: z.iso.datetime(),
    seed: z.int().min(0).max(0xffffffff),
    compare: z.enum(["base", "replay", "stored"]),
    /** Measuring time so far, over all sessions of a resumed run. */
    measuredMs: z.number(),
    /** `running` in a file means that the run was killed; it can be resumed. */
    state: z.enum(["running", "complete", "interrupted", "failed"]),
    /** Why it ended, in words; empty while running. */
    ended: z.string(),
  }),
  host: HostSchema,
  cpuSets: CpuSetsSchema,
  config: ConfigSchema,
  sources: z.strictObject({ candidate: SourceSchema, reference: SourceSchema.nullable() }),
  artifacts: z.array(ArtifactFactsSchema),
  /** What a calibration of this runner let expect; absent: there was none. */
  runner: RunnerFactsSchema.optional(),
  /** Those that were started; absent in files of versions that started none. */
  dependencies: z.array(DependencyFactsSchema).optional(),
  rounds: z.array(RoundSchema),
});
export type Samples = z.infer<typeof SamplesSchema>;
