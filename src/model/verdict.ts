// The verdict: what samples, policy and baseline together say, with every step that led there. Pure data.
import { z } from "zod";
import { WaiverSchema } from "./config.ts";
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

/**
 * `waived`: worse than its policy allows, or not shown to be within it, and shown to be within what a waiver accepts. It
 * blocks nobody, and no renderer may let it look like a pass.
 */
export const COMPARISON_STATES = [...VERDICT_STATES, "waived"] as const;
export type ComparisonState = (typeof COMPARISON_STATES)[number];
export const ComparisonStateSchema = z.enum(COMPARISON_STATES);

/** Logs of ratios are natural logs of candidate / reference. `null` bounds are infinite: too few rounds to say. */
const logRatio = z.number();

export const LookSchema = z.strictObject({
  rounds: z.int().positive(),
  pRegress: z.number(),
  pPass: z.number(),
  estimate: logRatio,
});
export type Look = z.infer<typeof LookSchema>;

/** How a comparison stands to the waiver that covers it: the same exact rule with every limit at `upTo`. */
export const HeldAgainstWaiverSchema = z.strictObject({
  /** Fraction. */
  upTo: z.number(),
  /** The policy's own rule has proven a regression. */
  regressionProven: z.boolean(),
  /** `within`: shown to be less than `upTo` worse. `beyond`: proven to be more. `open`: neither. */
  answer: z.enum(["within", "beyond", "open"]),
  /** Looks of this rule: `pRegress` is of more than `upTo`, `pPass` of at least that much. */
  looks: z.array(LookSchema),
});
export type HeldAgainstWaiver = z.infer<typeof HeldAgainstWaiverSchema>;

export const ComparisonSchema = z.strictObject({
  /** `service/scenario p99 typical`, unique in a verdict. */
  id: z.string(),
  service: z.string(),
  scenario: z.string().nullable(),
  metric: MetricSchema,
  estimator: EstimatorSchema,
  level: z.enum(["gate", "warn", "info"]),
  state: ComparisonStateSchema,
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
  /**
   * The smallest true change, as a fraction, that this run would have called with 95 % probability: proven, of the floor or
   * more, and measured up to the first look at which a regression can be called where the run ended before.
   */
  detectable: z.number().nullable(),
  /** Fewest requests beyond the quantile in any arm and round; null for launch metrics. */
  requestsBeyond: z.number().nullable(),
  /** Log ratio of each valid round, in order, including those after the deciding look. */
  series: z.array(z.strictObject({ round: z.int().min(0), d: logRatio })),
  /** Null: no waiver that counts covers it. */
  waiver: HeldAgainstWaiverSchema.nullable().default(null),
});
export type Comparison = z.infer<typeof ComparisonSchema>;

export const WarningSchema = z.strictObject({
  /** `errors`, `stall`, `shape`, `thin`, `host`, `void`, `stored`, `creep`, `stale`, `build`, … */
  kind: z.string(),
  text: z.string(),
});
export type Warning = z.infer<typeof WarningSchema>;

/**
 * What became of a waiver in this run. Worst first:
 * `exceeded`: something it covers is proven to be worse than it accepts, and blocks.
 * `expired`: its last day had passed when the run began, so it does not count.
 * `proposed`: the change brings it, and the change comes from where waivers count only once they are merged.
 * `used`: something it covers would not have passed without it.
 * `undecided`: what it covers was not measured, or could not be told.
 * `unused`: all that it covers passes without it; it can go.
 */
export const WAIVER_STATES = [
  "exceeded",
  "expired",
  "proposed",
  "used",
  "undecided",
  "unused",
] as const;
export type WaiverState = (typeof WAIVER_STATES)[number];

export const WaiverOutcomeSchema = z.strictObject({
  /** `reason` and `owner` are foreign text. */
  waiver: WaiverSchema,
  /** `change`: the change under test brings it or alters it. `base`: the base branch has it. Null: not known, as at a desk. */
  origin: z.enum(["base", "change"]).nullable(),
  state: z.enum(WAIVER_STATES),
  /** Ids of the comparisons that led to the state; for `proposed` and `expired` those it would cover. */
  comparisons: z.array(z.string()),
  /** One sentence without reason and owner: what it covers, how far, until when, and what became of it. */
  text: z.string(),
});
export type WaiverOutcome = z.infer<typeof WaiverOutcomeSchema>;

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
  /** Every waiver of the configuration, in its order, then those that are only proposed. */
  waivers: z.array(WaiverOutcomeSchema).default([]),
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
