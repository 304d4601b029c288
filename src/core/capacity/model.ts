// capacity-samples.v1 and capacity.v1. Rates are requests a second, latencies µs from the scheduled
// instant.
import * as z from "zod";
import { CostParametersSchema, ScenarioSchema } from "../model/config.ts";
import { CpuSetsSchema, HostSchema } from "../model/host.ts";
import { coded, count } from "../model/number.ts";
import { ArtifactFactsSchema, RunEndSchema, SliceSchema, SourceSchema } from "../model/samples.ts";

const rate = z.number().positive();

const CapacitySettingsSchema = z.strictObject({
  /** p99 may be this much. */
  objectiveUs: z.number().positive(),
  /** Share of a slice's requests that may fail. */
  errorBudget: z.number().min(0).max(1),
  launches: z.int().positive(),
  /** Length of a slice's schedule; longer at rates that would give too few requests for a p99. */
  sliceMs: z.number().positive(),
  /** Share of a slice at its head that counts in nothing. */
  warmupShare: z.number().min(0).lt(1),
  /** Width at which a bracket is narrow and its search ends, as a fraction of its low end. */
  precision: z.number().gt(0).max(1),
  startRps: rate,
  leastRps: rate,
  mostRps: rate,
  timeBudgetMs: z.number().positive(),
});
export type CapacitySettings = z.infer<typeof CapacitySettingsSchema>;

const SliceVerdictSchema = z.discriminatedUnion("kind", [
  /** `clear`: far from the limit, so that one slice is enough. */
  z.strictObject({ kind: z.literal("sustained"), clear: z.boolean(), reason: z.string() }),
  z.strictObject({ kind: z.literal("exceeded"), clear: z.boolean(), reason: z.string() }),
  /** No evidence on the service. */
  z.strictObject({
    kind: z.literal("void"),
    by: z.enum(["generator", "host"]),
    reason: z.string(),
  }),
]);
export type SliceVerdict = z.infer<typeof SliceVerdictSchema>;

const CapacitySliceSchema = z.strictObject({
  rateRps: rate,
  startedAtMs: z.number(),
  durationMs: z.number().positive(),
  /** Requests the schedule asked for; the first `dropped` of them count in nothing but errors. */
  scheduled: count,
  dropped: count,
  statuses: z.record(z.string(), count),
  errors: z.record(z.string(), count),
  /** From the scheduled instant, lag and wait included. Null: nothing was answered. */
  latency: z.strictObject({ p50Us: z.number(), p99Us: z.number(), maxUs: z.number() }).nullable(),
  /** Parts of it: the generator's lag, and p99 of the wait for a free connection. */
  lag: z.strictObject({ p99Us: z.number(), maxUs: z.number() }).nullable(),
  connectionWaitP99Us: z.number().nullable(),
  /** Share of the kept requests that were answered by the end of the slice plus the objective. */
  answeredShare: z.number().min(0).max(1),
  /** CPU time of the service over the slice and its drain; known to 10 ms. */
  serviceCpuMs: z.number().min(0),
  wallMs: z.number().min(0),
  host: SliceSchema.shape.host,
  verdict: SliceVerdictSchema,
});
export type CapacitySlice = z.infer<typeof CapacitySliceSchema>;

const CapacityLaunchSchema = z.strictObject({
  index: count,
  /** Where the search began: the settings' rate, moved at random by less than the precision. */
  startRps: rate,
  startedAtMs: z.number(),
  endedAtMs: z.number(),
  slices: z.array(CapacitySliceSchema),
  /** Why the launch does not count, and the last output of the service or tool. */
  failure: z.strictObject({ text: z.string(), detail: z.string() }).nullable(),
});
export type CapacityLaunch = z.infer<typeof CapacityLaunchSchema>;

const RunSchema = z.strictObject({
  id: z.string(),
  startedAt: z.iso.datetime(),
  seed: z.int().min(0).max(0xffffffff),
  measuredMs: z.number().min(0),
  /** `running` in a file means that the run was killed. */
  state: z.enum(["running", "complete", "interrupted", "failed"]),
  ended: RunEndSchema,
});

const SubjectSchema = z.strictObject({
  tool: z.string(),
  run: RunSchema,
  host: HostSchema,
  cpuSets: CpuSetsSchema,
  scenario: ScenarioSchema,
  source: SourceSchema,
  artifact: ArtifactFactsSchema.nullable(),
  settings: CapacitySettingsSchema,
});

export const CapacitySamplesSchema = SubjectSchema.extend({
  schema: z.literal("tailgate.capacity-samples.v1"),
  cost: CostParametersSchema,
  launches: z.array(CapacityLaunchSchema),
});
export type CapacitySamples = z.infer<typeof CapacitySamplesSchema>;

/** Three readings of one quantity; null: unbounded. */
const CarriedSchema = z.strictObject({
  estimate: z.number(),
  low: z.number().nullable(),
  high: z.number().nullable(),
});
export type Carried = z.infer<typeof CarriedSchema>;

/** Median over launches with an interval from order statistics. */
const MedianSchema = CarriedSchema.extend({
  /** Chance that the interval holds the median; below 0.95 with fewer than 6 launches. */
  level: z.number(),
  launches: count,
});
export type Median = z.infer<typeof MedianSchema>;

/** `at-least` and `below`: only a bound is known. */
const CAPACITY_STATES = ["found", "at-least", "below", "invalid"] as const;
export type CapacityState = (typeof CAPACITY_STATES)[number];

const LimitSchema = z.enum(["service", "generator", "host", "range"]);

const CostRowSchema = z.strictObject({
  requestsPerDay: z.number(),
  peakRps: z.number(),
  cores: CarriedSchema,
  hosts: CarriedSchema,
  pricePerMonth: CarriedSchema,
});
export type CostRow = z.infer<typeof CostRowSchema>;

/** What a reader has to know to judge the number. */
const CapacityCautionSchema = z.discriminatedUnion("code", [
  /** Not every launch was measured to its end. `failed`: of those that were begun. */
  coded("launches", { counted: count, of: count, failed: count, ended: RunEndSchema }),
  coded("failure", { text: z.string(), detail: z.string() }),
  coded("few-launches", { level: z.number(), launches: count }),
  /** What the search of some launches was limited by instead of the service. */
  coded("limited", { limits: z.array(LimitSchema), of: count }),
  coded("idle-cpus", { busyShare: z.number(), connections: count }),
  coded("short-slice", { sliceMs: z.number(), objectiveUs: z.number() }),
  coded("shared-cpus", {}),
]);
export type CapacityCaution = z.infer<typeof CapacityCautionSchema>;

export const CapacityResultSchema = SubjectSchema.extend({
  schema: z.literal("tailgate.capacity.v1"),
  state: z.enum(CAPACITY_STATES),
  headline: z.string(),
  cautions: z.array(CapacityCautionSchema),
  /** The same in words; lines after the first are what a service or tool printed. */
  warnings: z.array(z.string()),
  /** `estimate` is the bound itself unless the state is `found`; null when invalid. */
  capacity: MedianSchema.nullable(),
  /** Requests per second of the service's CPU time, at each launch's highest sustained rate. */
  perCore: MedianSchema.nullable(),
  launches: z.array(
    z.strictObject({
      index: count,
      /** Highest rate sustained and lowest not; null: none. `open`: the search did not end. */
      lowRps: z.number().nullable(),
      highRps: z.number().nullable(),
      limit: LimitSchema,
      state: z.enum(["ended", "open", "failed"]),
      perCoreRps: z.number().nullable(),
      /** Share of the service's CPUs that was used at the highest sustained rate. */
      busyShare: z.number().nullable(),
      slices: count,
      voidSlices: count,
      note: z.string(),
    }),
  ),
  /** Every slice that counts, by rate. */
  curve: z.array(
    z.strictObject({
      rateRps: z.number(),
      launch: count,
      p50Us: z.number(),
      p99Us: z.number(),
      sustained: z.boolean(),
    }),
  ),
  cost: z.strictObject({ parameters: CostParametersSchema, rows: z.array(CostRowSchema) }),
});
export type CapacityResult = z.infer<typeof CapacityResultSchema>;
/** It without its words, and without what it costs by the assumptions. */
export type CapacityFacts = Omit<CapacityResult, "headline" | "warnings" | "cost"> &
  Pick<CapacitySamples, "cost">;
