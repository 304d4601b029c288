// profile.v1: the noise of a runner's A/A rounds and what it allows. No verdict depends on it, but
// by margins that are `auto`.
import * as z from "zod";
import { CpuSetsSchema, FingerprintSchema } from "./host.ts";
import { EstimatorSchema, LevelSchema, MetricSchema } from "./metric.ts";
import { count, logBounds, logRatio } from "./number.ts";

const share = z.number().min(0).max(1);
const fraction = z.number().min(0);

/** How long simulated runs went on, over those that ended as they should; null: none did. */
const RoundsSchema = z.strictObject({
  median: count,
  /** Nine in ten took no more. */
  p90: count,
  /** Wall time of the median, alone on the machine. */
  medianMs: z.number(),
});

/** What one margin costs here: the decision rule on noise like the recorded one. */
const SimulatedSchema = z.strictObject({
  trials: count,
  passed: share,
  regressed: share,
  rounds: RoundsSchema.nullable(),
});

const MarginCostSchema = z.strictObject({
  margin: fraction,
  floor: fraction,
  /** Nothing changed: share of simulated runs that passed, and that blamed somebody. */
  unchanged: SimulatedSchema,
  /** The candidate is worse by the margin: share of runs that found it, and that passed it. */
  worse: SimulatedSchema,
  /** Both hold in at least 95 of 100. */
  kept: z.boolean(),
});
export type MarginCost = z.infer<typeof MarginCostSchema>;

const ProfileMetricSchema = z.strictObject({
  id: z.string(),
  service: z.string(),
  scenario: z.string().nullable(),
  metric: MetricSchema,
  estimator: EstimatorSchema,
  level: LevelSchema,
  /** Log ratio of each round of identical arms, in order. */
  d: z.array(logRatio),
  /** Of `d`: 1.4826 · MAD with its 95 % interval, and the plain one, which outliers dominate. */
  sd: z.strictObject({ robust: z.number(), low: z.number(), high: z.number(), plain: z.number() }),
  /** Centre of `d`: 0 when the arms are treated alike. At 95 %. */
  bias: z.strictObject({ estimate: logRatio, ...logBounds }),
  /** Of the log ratio: what launches add, and one slice pair; null without slices. */
  components: z.strictObject({ launch: z.number(), slice: z.number() }).nullable(),
  /** As configured then; the floor is the larger of the relative and the absolute one. */
  limits: z.strictObject({ margin: fraction, tolerance: fraction, floor: fraction }),
  /** For the configured margin and for 5, 10 and 20 %, ascending; empty for what is not gated. */
  costs: z.array(MarginCostSchema),
  /** The closest margin that this runner keeps; null: none up to 200 %, or not gated. */
  proposed: z.strictObject({ margin: fraction, floor: fraction }).nullable(),
});
export type ProfileMetric = z.infer<typeof ProfileMetricSchema>;

export const ProfileSchema = z.strictObject({
  schema: z.literal("tailgate.profile.v1"),
  tool: z.string(),
  runnerClass: z.string(),
  run: z.strictObject({
    id: z.string(),
    startedAt: z.iso.datetime(),
    commit: z.string(),
    measuredMs: z.number(),
  }),
  fingerprint: FingerprintSchema,
  cpuSets: CpuSetsSchema,
  /** Hash of each scenario's definition: noise of another load says nothing. */
  workloads: z.record(z.string(), z.string()),
  slices: z.strictObject({
    measured: count,
    void: count,
    byRule: z.record(z.string(), count),
    examples: z.record(z.string(), z.string()),
    /** Slices that count although the host disturbed them, by rule. */
    disturbed: z.record(z.string(), count),
  }),
  services: z.array(z.strictObject({ service: z.string(), rounds: count, roundMs: z.number() })),
  /** The whole gate when nothing changed: share that passed everything, and how long it took. */
  gate: z.strictObject({
    trials: count,
    passed: share,
    medianMs: z.number().nullable(),
    p90Ms: z.number().nullable(),
    timeBudgetMs: z.number(),
    /** Rounds of everything that the time budget has room for. */
    roomForRounds: count,
  }),
  metrics: z.array(ProfileMetricSchema),
  /** Of profiles from before advice on slices was dropped; nothing reads it. */
  slicePlans: z.unknown().optional(),
  seed: z.int().min(0).max(0xffffffff),
});
export type Profile = z.infer<typeof ProfileSchema>;

/** What a calibration let a run expect. */
const ExpectationSchema = z.strictObject({
  id: z.string(),
  /** Robust, of the log ratio when calibrated, and the upper end of its interval. */
  sd: z.number(),
  sdHigh: z.number(),
  /** Median wall time until an unchanged build passes; null: not known, or never. */
  passMs: z.number().nullable(),
  rounds: count.nullable(),
  /** Closest margin that the runner keeps, a fraction; null: none. */
  margin: fraction.nullable(),
  /**
   * An unchanged build passes in 95 of 100 runs; where not calibrated, the margin is at least
   * `margin`.
   */
  kept: z.boolean(),
});
export type Expectation = z.infer<typeof ExpectationSchema>;

export const RunnerFactsSchema = z.strictObject({
  calibratedAt: z.iso.datetime(),
  rounds: count,
  /** Why the profile says nothing about this run; null: it does. */
  unusable: z.string().nullable(),
  expectations: z.array(ExpectationSchema),
  /** The whole gate when nothing changed, median; null: not known. */
  gateMs: z.number().nullable(),
});
export type RunnerFacts = z.infer<typeof RunnerFactsSchema>;

/** Those that the calibration simulated. */
export function gatedMetrics({ metrics }: { metrics: readonly ProfileMetric[] }): ProfileMetric[] {
  return metrics.filter(({ costs }) => costs.length > 0);
}

/** Those whose limit this machine cannot show in 95 of 100 runs. */
export function unkept(profile: { metrics: readonly ProfileMetric[] }): ProfileMetric[] {
  return gatedMetrics(profile).filter((metric) => configuredCost(metric)?.kept !== true);
}

export function configuredCost({ costs, limits }: ProfileMetric): MarginCost | null {
  return costs.find(({ margin }) => margin === limits.margin) ?? null;
}
