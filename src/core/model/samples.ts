// samples.v1: all a run measured, rewritten as rounds end. Times are ms since the run began,
// latencies µs.
import * as z from "zod";
import { ConfigSchema, IsolationSchema } from "./config.ts";
import { CpuSetsSchema, HostSchema } from "./host.ts";
import { ServiceMetricSchema } from "./metric.ts";
import { bounded, count, launchValue, micros } from "./number.ts";
import { RunnerFactsSchema } from "./profile.ts";

export const ArmSchema = z.enum(["candidate", "reference"]);
export type Arm = z.infer<typeof ArmSchema>;
export const ARMS = ArmSchema.options;

/** Quantiles by nearest rank (Hyndman & Fan type 1) over `requests` kept requests. */
const LatencySchema = z.strictObject({
  requests: count,
  p50: micros,
  p90: micros,
  p95: micros,
  p99: micros,
  p999: micros,
  max: micros,
});
export type Latency = z.infer<typeof LatencySchema>;

/** The quantiles that the requests of a window suffice for, and its slowest request. */
const WindowSchema = LatencySchema.omit({ p999: true, max: true }).extend({
  /** Absent: not kept, and then nothing is known of the slowest. */
  max: micros.optional(),
  /** Largest lag of its requests (see a slice's lag). Absent: not known. */
  lagMax: micros.optional(),
  /** As of a slice, while its requests may have been released. Absent: not known. */
  slowed: bounded.optional(),
});
export type Window = z.infer<typeof WindowSchema>;

/** What the host may do to a slice, which counts all the same (see slice/disturbance.ts). */
export const DISTURBANCE_RULES = ["lag", "steal", "slow-cpu", "foreign-cpu", "throttled"] as const;
export type DisturbanceRule = (typeof DISTURBANCE_RULES)[number];

/**
 * Checks of a slice, blind to arm and latency; see slice/rules.ts. Disturbances no longer discard.
 */
export const SLICE_RULES = [
  "incomplete",
  "unanswered",
  "status",
  "transport",
  "generator-busy",
  "service-gone",
  "generator-failed",
  ...DISTURBANCE_RULES,
] as const;
export type SliceRule = (typeof SLICE_RULES)[number];

const VoidSchema = z.strictObject({
  rule: z.enum(SLICE_RULES),
  /** One line: what was seen against what was allowed. */
  detail: z.string(),
});
export type VoidReason = z.infer<typeof VoidSchema>;

export const SliceSchema = z.strictObject({
  arm: ArmSchema,
  /** Which pair of the scenario in this round, from 0, and which try at it, from 0. */
  pair: count,
  attempt: count,
  startedAtMs: bounded,
  /** Requests that the schedule held; the first `dropped` count in no quantile. */
  scheduled: count,
  dropped: count,
  /** Responses by status code, and failures by the generator's own words. */
  statuses: z.record(z.string(), count),
  errors: z.record(z.string(), count),
  /** Kept requests, from release (from the ideal instant for wrk2). Null: nothing was answered. */
  latency: LatencySchema.nullable(),
  /**
   * The same in stretches by order of release (see slice/slice.ts). Absent: too short, or wrk2.
   */
  windows: z.array(WindowSchema).min(2).optional(),
  /** p99 from the ideal instant i/rate: latency plus the generator's lag. */
  p99FromIdealUs: micros.nullable(),
  /** Release minus ideal instant, over kept requests. Null: the generator does not record it. */
  lag: z.strictObject({ p50: micros, p99: micros, max: micros }).nullable(),
  /** p99 of the wait for a free connection, part of the latency. Null: not recorded. */
  queueWaitP99Us: bounded.nullable(),
  achievedRps: bounded.nullable(),
  /** Mean size of the answers' bodies. Absent: none, wrk2, or a mix, whose parts have it. */
  answerBytes: bounded.optional(),
  /** Mean time that wrk2 itself added to each latency. Absent: none. */
  slackUs: bounded.optional(),
  /** Requests that the generator had not sent by its end, after a stop. Absent: none. */
  unsent: count.optional(),
  /**
   * How long the generator stalled with no request under way, mean of its threads. Absent: not at
   * all.
   */
  oversleptUs: bounded.optional(),
  host: z.strictObject({
    /** Shares of the measured CPUs' time, 0 to 1, during the slice. */
    steal: bounded,
    foreign: bounded,
    generator: bounded,
    service: bounded,
    /**
     * Share of its CPUs that the service needs for the rate, by CPU time per answer; above 1 is too
     * much. Absent: no answer.
     */
    needed: bounded.optional(),
    /** Increase of the cgroup's throttled count. */
    throttled: count,
    /** Mean clock of the service's CPUs after the load; absent: not known. */
    mhz: bounded.optional(),
    /** Share of its time that the slowest measured CPU lost to being slow; absent: not known. */
    slowed: bounded.optional(),
  }),
  void: VoidSchema.nullable(),
});
export type Slice = z.infer<typeof SliceSchema>;

/** Quantile points of the pooled latency, for curves: `[probability, microseconds]`, ascending. */
const CurveSchema = z.array(z.tuple([z.number().min(0).max(1), micros]));
export type Curve = z.infer<typeof CurveSchema>;

const ScenarioArmSchema = z.strictObject({
  /** Over kept requests of slices that count; null: a pair stayed discarded after its repeats. */
  pooled: LatencySchema.nullable(),
  curve: CurveSchema,
  /**
   * Requests waited for a connection in most of the slices that count; a disturbed slice is one of
   * these only if the arm also needed more CPU time than it has.
   */
  saturated: z.boolean(),
});
export type ScenarioArm = z.infer<typeof ScenarioArmSchema>;

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

const AnswerSchema = z.strictObject({
  status: z.int().min(100).max(999),
  contentType: z.string().nullable(),
  bytes: count,
  sha256,
  /** Of the body as JSON without ignored paths. Null: not JSON. Absent: not compared. */
  json: sha256.nullable().optional(),
  /** It was not asked for compressed, and would be so. Absent: it would not, or nobody asked. */
  couldCompress: z.literal(true).optional(),
});
export type Answer = z.infer<typeof AnswerSchema>;

/** What stands at a path of an answer. */
const JsonSeenSchema = z.strictObject({
  kind: z.enum(["absent", "null", "boolean", "number", "string", "array", "object"]),
  /** As JSON, shortened; of an array or an object how many are in it. Foreign text. */
  text: z.string().max(100),
});
export type JsonSeen = z.infer<typeof JsonSeenSchema>;

/** The first path at which the arms' answers differ. */
export const JsonDifferenceSchema = z.strictObject({
  /** `items.0.price`, shortened; empty: the whole. Foreign text. */
  path: z.string().max(300),
  candidate: JsonSeenSchema,
  reference: JsonSeenSchema,
});
export type JsonDifference = z.infer<typeof JsonDifferenceSchema>;

/** Why a round, or one scenario in it, does not count; what was measured is kept. */
const FailureSchema = z.strictObject({
  kind: z.enum(["start", "not-ready", "answer", "slow", "crash", "dependency", "generator"]),
  arm: ArmSchema.nullable(),
  scenario: z.string().nullable(),
  text: z.string(),
  detail: z.string(),
});
export type RoundFailure = z.infer<typeof FailureSchema>;

export const ScenarioRoundSchema = z.strictObject({
  scenario: z.string(),
  /** Absent: not asked in this round, or by a pattern of paths, or not answered. */
  answers: z.partialRecord(ArmSchema, AnswerSchema).optional(),
  /** Absent: as JSON they are equal, or were not compared. */
  difference: JsonDifferenceSchema.optional(),
  /** `reference` null: it does not have this scenario, or was not measured. */
  arms: z.strictObject({ candidate: ScenarioArmSchema, reference: ScenarioArmSchema.nullable() }),
  /** In the order they ran, void ones included. */
  slices: z.array(SliceSchema),
  /** Why it was not loaded although other scenarios were. Absent: nothing failed before load. */
  failure: FailureSchema.optional(),
  /**
   * `GET /old`: what the reference was asked, as its own configuration has it. Absent: the same as
   * the candidate.
   */
  referenceAsked: z.string().optional(),
});
export type ScenarioRound = z.infer<typeof ScenarioRoundSchema>;

/** One start of a service. A metric that could not be read is absent. */
const LaunchSchema = z.strictObject({
  /** In all, when it was read. */
  requests: count,
  /** RSS and PSS after warm-up, and requests until then. Absent: it was not read. */
  warm: z
    .strictObject({ requests: count, rss: launchValue, pss: launchValue.optional() })
    .optional(),
  /** When memory was read. Absent: one, or it was not counted. */
  processes: count.optional(),
  values: z.partialRecord(ServiceMetricSchema, launchValue),
});
export type Launch = z.infer<typeof LaunchSchema>;

const DependencyUseSchema = z.strictObject({
  name: z.string(),
  cpuMs: bounded,
  /** At its end: proportional set size of all its processes. */
  pssBytes: bounded,
});
export type DependencyUse = z.infer<typeof DependencyUseSchema>;

/** One dependency as it was started. */
export const DependencyFactsSchema = z.strictObject({
  name: z.string(),
  /** What runs, with its version where it has one: `PostgreSQL 15.18`. */
  program: z.string(),
  /** What each arm finds in it when a run begins: equal for equal contents. Null: nothing. */
  contents: z.strictObject({ candidate: z.string().nullable(), reference: z.string().nullable() }),
  /** Absent: of a program, which is always shared. */
  isolation: IsolationSchema.optional(),
  /** In files of versions that looked whether a service writes: what it wrote. */
  written: z
    .strictObject({
      service: z.string(),
      arm: ArmSchema,
      transactions: count,
      schemaChanged: z.boolean(),
    })
    .optional(),
  /** Settings that are not the program's own defaults. */
  settings: z.record(z.string(), z.string()),
});
export type DependencyFacts = z.infer<typeof DependencyFactsSchema>;

const names = z.array(z.string().max(400));
/** Ids of scenarios, and names of dependencies. */
export const OneArmSchema = z.strictObject({
  /** The candidate alone has them. */
  new: names,
  /** Each arm defines them otherwise. */
  changed: names,
  gone: names,
});
export type OneArm = z.infer<typeof OneArmSchema>;

/** Programs of others that are named for a round, at most. */
export const MOST_CULPRITS = 3;

/** What is neither ours nor the service's, and used the measured CPUs meanwhile. */
export const CulpritSchema = z.strictObject({
  /** What its processes call themselves: foreign text. Null: outside our container. */
  command: z.string().min(1).max(64).nullable(),
  /** Of the measured CPUs' time between a round's first slice and its last. */
  share: z.number().min(0).max(1),
});
export type Culprit = z.infer<typeof CulpritSchema>;

/** One launch of each arm of one service, and all the load it got. The unit of every test. */
export const RoundSchema = z.strictObject({
  service: z.string(),
  /** From 0, for each service; failed rounds count. A shard has every third, for example. */
  index: count,
  startedAtMs: bounded,
  endedAtMs: bounded,
  /** Milliseconds of the round in which a slice's load was running: the rest is overhead. */
  loadMs: bounded,
  launches: z
    .strictObject({ candidate: LaunchSchema, reference: LaunchSchema.nullable() })
    .nullable(),
  scenarios: z.array(ScenarioRoundSchema),
  /** In the order of the configuration; empty when the service needs none. */
  dependencies: z.array(DependencyUseSchema),
  /** The busiest first, none of less than 2 %. Absent: none. */
  culprits: z.array(CulpritSchema).max(MOST_CULPRITS).optional(),
  failure: FailureSchema.nullable(),
});
export type Round = z.infer<typeof RoundSchema>;

/**
 * What memory after load is of: RSS counts pages that processes share once for each of them, so where
 * an arm has several, both arms' memory is PSS.
 */
export function memoryOf({ launches }: Pick<Round, "launches">): "rss" | "pss" {
  const arms = [launches?.candidate, launches?.reference];
  return arms.some((launch) => (launch?.processes ?? 1) > 1) ? "pss" : "rss";
}

/** Where an arm's code came from. */
export const SourceSchema = z.strictObject({
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
  buildMs: bounded,
  cached: z.boolean(),
  toolchain: z.string(),
});
export type ArtifactFacts = z.infer<typeof ArtifactFactsSchema>;

/** A service that is the same in both arms, and so was not measured. */
export const UnchangedSchema = z.strictObject({
  service: z.string(),
  /** `sources`: known before a build. `artifact`: both builds made the same bytes. */
  by: z.enum(["sources", "artifact"]),
  /** Hash of all that reaches the service's process; equal in both arms. */
  key: z.string(),
});
export type Unchanged = z.infer<typeof UnchangedSchema>;

/**
 * Why a run ended, best first. `screened`: the screen ended. `max-rounds`: no more are looked at.
 * `futile`: the time left would hardly have answered what is open. `share`: a shard has its share.
 * `running`: not ended, or killed. `failed`: no further round could make it valid.
 */
export const RunEndSchema = z.enum([
  "answered",
  "regressed",
  "rounds",
  "launches",
  "screened",
  "share",
  "max-rounds",
  "out-of-time",
  "futile",
  "interrupted",
  "running",
  "failed",
]);
export type RunEnd = z.infer<typeof RunEndSchema>;

/** Of a program's function: foreign text. */
const functionName = z.string().max(200);

/** Why a verdict is red, as profiles of both builds show it: what reports have of it. */
export const ExplanationSchema = z.strictObject({
  /** What there is more of; `timer`, `disk`, `service`: waiting for one; `waiting`: for nobody knows what. */
  cause: z.enum(["cpu", "timer", "disk", "service", "waiting", "memory", "start", "nothing"]),
  /** CPU of 1,000 requests or of a start in ms, memory in bytes; of waiting and of nothing, latency in µs. */
  before: bounded,
  after: bounded,
  /** Functions that take more, most first, in the unit of the cause; of waiting, their CPU in ms. None: no profile could be taken. */
  rows: z
    .array(
      z.strictObject({
        function: functionName,
        calledBy: functionName.nullable(),
        before: bounded,
        after: bounded,
        /** Whether the change wrote lines of it. */
        changedHere: z.enum(["yes", "no", "unknown"]),
      }),
    )
    .max(5),
});
export type Explanation = z.infer<typeof ExplanationSchema>;

/** GitHub starts at most as many jobs from one matrix. */
export const MAX_SHARDS = 256;
const shardNumber = z.int().min(1).max(MAX_SHARDS);

export const SamplesSchema = z.strictObject({
  schema: z.literal("tailgate.samples.v1"),
  tool: z.string(),
  run: z.strictObject({
    id: z.string(),
    startedAt: z.iso.datetime(),
    seed: z.int().min(0).max(0xffffffff),
    compare: z.enum(["base", "replay", "stored"]),
    /** Measuring time so far, over all sessions of a resumed run. */
    measuredMs: bounded,
    /** `running` in a file means that the run was killed; it can be resumed. */
    state: z.enum(["running", "complete", "interrupted", "failed"]),
    ended: RunEndSchema,
    /** Rounds measured when each later session began; absent: one session. */
    continuedAfter: z.array(count).optional(),
    /** Which of several it is, from 1, that are judged together. Absent: it is judged alone. */
    shard: z
      .strictObject({
        index: shardNumber,
        of: shardNumber,
        /** It measures the rounds `part`, `part + parts`, … of its services. */
        part: count,
        parts: shardNumber,
      })
      .optional(),
    /** Shards that it is made of, and those that are missing. Absent: measured by one machine. */
    merged: z.strictObject({ of: shardNumber, lost: z.array(shardNumber) }).optional(),
  }),
  host: HostSchema,
  cpuSets: CpuSetsSchema,
  config: ConfigSchema,
  sources: z.strictObject({
    candidate: SourceSchema,
    reference: SourceSchema.nullable(),
    /**
     * Of services whose reference is of another commit than `reference`, by name; null: it has no
     * such service. Absent: none.
     */
    references: z.record(z.string(), SourceSchema.nullable()).optional(),
  }),
  artifacts: z.array(ArtifactFactsSchema),
  /** Absent: every service was measured. */
  unchanged: z.array(UnchangedSchema).optional(),
  /**
   * What only one arm's configuration has. Which scenarios are new the rounds tell. Absent: not known.
   */
  oneArm: OneArmSchema.optional(),
  /** Of a red verdict; absent: it is none, or nobody looked. */
  explanation: ExplanationSchema.optional(),
  /** What a calibration of this runner let expect; absent: there was none. */
  runner: RunnerFactsSchema.optional(),
  /** Those that were started; absent: none. */
  dependencies: z.array(DependencyFactsSchema).optional(),
  rounds: z.array(RoundSchema),
});
export type Samples = z.infer<typeof SamplesSchema>;

/** What the service was measured beside; null: nothing. */
export function referenceOf(
  { reference, references }: Samples["sources"],
  service: string,
): Samples["sources"]["reference"] {
  const own = references?.[service];
  return own === undefined ? reference : own;
}
