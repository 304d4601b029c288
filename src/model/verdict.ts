// The verdict: what samples, policy and baseline together say, with every step that led there. Pure data.
import { z } from "zod";
import { EstimatorSchema, MetricSchema } from "./metric.ts";

/** `pass` and `improved` let a pull request through; the other four never look like them. */
export const VERDICT_STATES = [
  "pass",
  "improved",
  "regressed",
  "inconclusive",
  "invalid",
  "no-baseline",
] as const;
export type VerdictState = (typeof VERDICT_STATES)[number];
export const VerdictStateSchema = z.enum(VERDICT_STATES);

/** Logs of ratios are natural logs of candidate / reference. `null` bounds are infinite: too few rounds to say. */
const logRatio = z.number();

export const LookSchema = z.strictObject({
  rounds: z.int().positive(),
  pRegress: z.number(),
  pPass: z.number(),
  estimate: logRatio,
});
export type Look = z.infer<typeof LookSchema>;

export const ComparisonSchema = z.strictObject({
  /** `service/scenario p99 typical`, unique in a verdict. */
  id: z.string(),
  service: z.string(),
  scenario: z.string().nullable(),
  metric: MetricSchema,
  estimator: EstimatorSchema,
  level: z.enum(["gate", "warn", "info"]),
  state: VerdictStateSchema,
  /** One sentence for a person: why this state. */
  reason: z.string(),
  /** Median over rounds, in the metric's unit; null where nothing was measured. */
  candidate: z.number().nullable(),
  reference: z.number().nullable(),
  /** Hodges-Lehmann estimate of the log ratio with its exact interval. */
  estimate: logRatio.nullable(),
  interval: z
    .strictObject({ low: logRatio.nullable(), high: logRatio.nullable(), level: z.number() })
    .nullable(),
  /** Fractions, as in the policy; the floor is the larger of the relative and the absolute one. */
  promise: z.number(),
  tolerance: z.number(),
  floor: z.number(),
  /** Thresholds the p-values were held against, and each look up to the deciding one. */
  thresholds: z.strictObject({ regress: z.number(), pass: z.number() }).nullable(),
  looks: z.array(LookSchema),
  /** Rounds used, and how many of them the trim kept at the last look. */
  rounds: z.int().min(0),
  kept: z.int().min(0),
  /** Robust standard deviation of the log ratio. */
  sd: z.number().nullable(),
  /** The smallest true change that this run would have called with 95 % probability, as a fraction. */
  detectable: z.number().nullable(),
  /** Fewest requests beyond the quantile in any arm and round; null for launch metrics. */
  requestsBeyond: z.number().nullable(),
  /** Log ratio of each valid round, in order, including those after the deciding look. */
  series: z.array(z.strictObject({ round: z.int().min(0), d: logRatio })),
});
export type Comparison = z.infer<typeof ComparisonSchema>;

export const WarningSchema = z.strictObject({
  /** `stall`, `shape`, `thin`, `host`, `void`, `stored`, `creep`, `stale`, `build`, … */
  kind: z.string(),
  text: z.string(),
});
export type Warning = z.infer<typeof WarningSchema>;

export const VerdictSchema = z.strictObject({
  state: VerdictStateSchema,
  /** The verdict in one line, naming service, scenario and metric where one is to blame. */
  headline: z.string(),
  /** Every reason that led to the state, most important first; lines after the first are what a service or tool printed. */
  reasons: z.array(z.string()),
  /** What to do next, for a person. */
  next: z.array(z.string()),
  comparisons: z.array(ComparisonSchema),
  /** Against the stored baseline, where there is one: context, never the state unless `compare: stored`. */
  stored: z.array(ComparisonSchema),
  warnings: z.array(WarningSchema),
});
export type Verdict = z.infer<typeof VerdictSchema>;

/** The documented contract of the command line. */
export const EXIT_CODES: Readonly<Record<VerdictState, number>> = {
  pass: 0,
  improved: 0,
  regressed: 1,
  "no-baseline": 2,
  invalid: 3,
  inconclusive: 4,
};
