// The verdict: what samples, policy and baseline together say, with every step that led there. Pure
// data.
import { z } from "zod";
import { WaiverSchema } from "./config.ts";
import { formerly, MARGIN, without } from "./formerly.ts";
import { EstimatorSchema, MetricSchema } from "./metric.ts";
import {
  ArmSchema,
  CulpritSchema,
  DISTURBANCE_RULES,
  JsonDifferenceSchema,
  RunEndSchema,
  SLICE_RULES,
  type Unchanged,
  UnchangedSchema,
} from "./samples.ts";

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
 * Neither of these blocks anybody, and no renderer may let them look like a pass. `worse-within`: worse
 * than is tolerated, and shown to be less than the margin. `waived`: worse than its policy allows, or
 * not shown to be within it, and shown to be within what a waiver accepts.
 */
export const COMPARISON_STATES = [...VERDICT_STATES, "worse-within", "waived"] as const;
export type ComparisonState = (typeof COMPARISON_STATES)[number];
export const ComparisonStateSchema = z.enum(COMPARISON_STATES);

/**
 * Logs of ratios are natural logs of candidate / reference. `null` bounds are infinite: too few
 * rounds to say.
 */
const logRatio = z.number();

/** Evidence as a share of what is needed: 1 is enough. */
const evidence = { regress: z.number().min(0), pass: z.number().min(0) };

/** The evidence after so many rounds. */
export const StepSchema = z.strictObject({ rounds: z.int().positive(), ...evidence });

/**
 * How a comparison stands to the waiver that covers it: the same exact rule with every limit at
 * `upTo`.
 */
export const WaivedComparisonSchema = without(
  ["looks"],
  z.strictObject({
    /** Fraction. */
    upTo: z.number(),
    /** The policy's own rule has proven a regression. */
    regressionProven: z.boolean(),
    /** `within`: shown to be less than `upTo` worse. `beyond`: proven to be more. `open`: neither. */
    answer: z.enum(["within", "beyond", "open"]),
    /** Evidence of this rule: `regress` for more than `upTo`, `pass` for less. */
    trail: z.array(StepSchema).default([]),
  }),
);
export type WaivedComparison = z.infer<typeof WaivedComparisonSchema>;

const count = z.int().min(0);
const text = z.string();
const number = z.number();

/** `scenario` null: it spoils the whole run. `rule`: by which most of its void slices are void. */
const spoiled = { scenario: text.nullable(), rule: z.enum(SLICE_RULES).nullable() };
const fault = <K extends string, S extends z.ZodRawShape>(kind: K, shape: S) =>
  z.strictObject({ kind: z.literal(kind), ...spoiled, ...shape });
/** A member of a union that `code` tells apart. */
export const coded = <C extends string, S extends z.ZodRawShape>(code: C, shape: S) =>
  z.strictObject({ code: z.literal(code), ...shape });
const different = <W extends string, S extends z.ZodRawShape>(what: W, shape: S) =>
  z.strictObject({ what: z.literal(what), ...shape });

/** An arm's answers were wrong, or not all there, in too many slices of all tries. */
export const WrongAnswersSchema = z
  .strictObject({
    kind: z.literal("errors"),
    ...spoiled,
    arm: ArmSchema,
    failed: count,
    slices: count,
    /** The status or the generator's word that was met most often. */
    mostly: z.strictObject({ what: text, times: count }).nullable(),
    /** What the last such slice says. */
    example: text,
  })
  .meta({ id: "WrongAnswers" });
export type WrongAnswers = z.infer<typeof WrongAnswersSchema>;

/**
 * What an arm did of the rate that it could not keep; medians of the slices that count. Absent in
 * reports of versions before.
 */
const CapacitySchema = z
  .strictObject({
    rateRps: number,
    /** Null: the generator does not tell. */
    servedRps: number.nullable(),
    /** The service's CPU time as a share of its CPUs. */
    cpuShare: number,
  })
  .optional();
export type SeenCapacity = NonNullable<z.infer<typeof CapacitySchema>>;

const answer = z.strictObject({ bytes: count, contentType: text.nullable() });
const answers = { candidate: answer, reference: answer };

/** Why the measurement, or that of a scenario, cannot be trusted. */
export const FaultSchema = z
  .discriminatedUnion("kind", [
    WrongAnswersSchema,
    /**
     * A service, a dependency or the generator failed; text and detail are of the round's failure.
     * With a scenario: the service crashed under it, or answered it wrongly before any load.
     */
    fault("failure", { arm: ArmSchema.nullable().optional(), text, detail: text }),
    /** Of versions before: more void slices than `limit`, a share. */
    fault("void", { voided: count, slices: count, example: text, limit: number }),
    /** The rate is beyond what the arm can serve. */
    fault("saturated", {
      arm: ArmSchema,
      saturated: count,
      rounds: count,
      capacity: CapacitySchema,
    }),
    /** The scenario's `answers` wants them to be the same, and they are not. */
    fault("answers-differ", {
      ...answers,
      what: z.enum(["size", "content", "json"]),
      difference: JsonDifferenceSchema.optional(),
    }),
    /** It does, and no two answers of each arm agree; where the arms' differ, where they first do. */
    fault("answers-unsteady", { difference: JsonDifferenceSchema.optional() }),
    /** It wants JSON, and the arm's answer is none. */
    fault("answers-not-json", { arm: ArmSchema }),
    /** No round has a value. */
    fault("missing", { voided: count, slices: count, example: text, ended: RunEndSchema }),
    /** Not measured as the base branch's configuration asks. */
    fault("otherwise", {
      difference: z.discriminatedUnion("what", [
        different("not-measured", {}),
        /** Names of the scenario's settings that differ. */
        different("workload", { settings: z.array(text) }),
        different("error-budget", { slices: count }),
        different("compare", { measured: text, wanted: text }),
        /** A database was shared that the base branch does not let be shared. */
        different("isolation", { dependency: text }),
        different("scheme", { service: text, measured: text, wanted: text }),
      ]),
    }),
  ])
  .meta({ id: "Fault" });
export type Fault = z.infer<typeof FaultSchema>;

/**
 * Why a comparison has its state; the numbers are the comparison's own. `rounds`: those the finding
 * rests on.
 */
export const FindingSchema = z
  .discriminatedUnion("code", [
    z.strictObject({
      code: z.enum(["worse", "worse-within", "within", "better"]),
      rounds: count,
      /** Of versions that tested at looks. */
      p: number.optional(),
    }),
    /**
     * Undecided. `likely-worse`: the estimate lies beyond the margin, and beyond what a waiver
     * accepts. `more`: rounds that an answer takes at least; absent: any further round may be enough.
     */
    z.strictObject({
      code: z.enum(["open", "likely-worse"]),
      rounds: count,
      more: count.optional(),
      /** Of versions that tested at looks. */
      p: number.optional(),
    }),
    /** A waiver made it what it is; see the comparison's `waiver`. */
    coded("waiver", { rounds: count, expires: text }),
    /** A value of 0 has no ratio; the other rounds alone would be a selection. */
    coded("zero", { rounds: count, zeros: count }),
    coded("unmeasured", {}),
    coded("fault", { fault: FaultSchema }),
    coded("no-baseline", { runnerClass: text }),
    coded("no-stored-value", { key: text }),
    coded("incomparable", { difference: text }),
    /** The baseline's history has fewer records than `needed` to know the machine's drift. */
    coded("no-drift", { rounds: count, needed: count }),
  ])
  .meta({ id: "Finding" });
export type Finding = z.infer<typeof FindingSchema>;

/**
 * Where more memory comes from. `leak`: mostly from the requests between the two readings of a
 * launch; `ballast`: mostly there before them. Medians over rounds of candidate less reference.
 */
export const GrowthSchema = z.strictObject({
  kind: z.enum(["leak", "ballast"]),
  /** At the end of the launch. */
  bytes: number,
  /** Between the readings. */
  bytesPerRequest: number,
  /** Between the readings. */
  requests: number,
});
export type Growth = z.infer<typeof GrowthSchema>;

export const ComparisonSchema = formerly(
  MARGIN,
  // Of versions that tested at looks.
  without(
    ["thresholds", "looks", "kept"],
    z.strictObject({
      /** `service/scenario p99 typical`, unique in a verdict. */
      id: z.string(),
      service: z.string(),
      scenario: z.string().nullable(),
      metric: MetricSchema,
      estimator: EstimatorSchema,
      level: z.enum(["gate", "warn", "info"]),
      state: ComparisonStateSchema,
      /**
       * With a reference measured in the same rounds, or with a stored baseline. Absent in reports of
       * versions before.
       */
      against: z.enum(["alongside", "stored"]).optional(),
      /** Why this state. Absent in reports of versions before. */
      finding: FindingSchema.optional(),
      /** The finding as a sentence for a person. */
      reason: z.string(),
      /** Median over rounds, in the metric's unit; null where nothing was measured. */
      candidate: z.number().nullable(),
      reference: z.number().nullable(),
      /** Hodges-Lehmann estimate of the log ratio, and a confidence sequence for it. */
      estimate: logRatio.nullable(),
      interval: z
        .strictObject({ low: logRatio.nullable(), high: logRatio.nullable(), level: z.number() })
        .nullable(),
      /**
       * Fractions, as in the policy, but that the floor is the larger of the relative and the
       * absolute one, and the margin never below it.
       */
      margin: z.number(),
      tolerance: z.number(),
      floor: z.number(),
      evidence: z.strictObject(evidence).default({ regress: 0, pass: 0 }),
      /** After each round up to the deciding one; against stored values, after some of them. */
      trail: z.array(StepSchema).default([]),
      /** Rounds used. */
      rounds: z.int().min(0),
      /** Robust standard deviation of the log ratio. */
      sd: z.number().nullable(),
      /**
       * The smallest true change, as a fraction, that this run would have called with 95 %
       * probability: proven, of the floor or more, and measured up to the first round in which a
       * regression can be called where the run ended before.
       */
      detectable: z.number().nullable(),
      /** Fewest requests beyond the quantile in any arm and round; null for launch metrics. */
      requestsBeyond: z.number().nullable(),
      /** Log ratio of each valid round, in order, including those after the deciding one. */
      series: z.array(z.strictObject({ round: z.int().min(0), d: logRatio })),
      /**
       * Against a stored baseline: the drift of the machine that is allowed for, a log ratio; null:
       * not known.
       */
      drift: z.number().nullable().optional(),
      /** Of RSS that regressed. Absent: neither is shown, or it was not read twice. */
      growth: GrowthSchema.optional(),
      /** Null: no waiver that counts covers it. */
      waiver: WaivedComparisonSchema.nullable().default(null),
    }),
  ),
).meta({ id: "Comparison" });
export type Comparison = z.infer<typeof ComparisonSchema>;

/**
 * What became of a waiver in this run. Worst first: `exceeded`: something it covers is proven to be
 * worse than it accepts, and blocks. `expired`: its last day had passed when the run began, so it
 * does not count. `proposed`: the change brings it, and the change comes from where waivers count
 * only once they are merged. `used`: something it covers would not have passed without it.
 * `undecided`: what it covers was not measured, or could not be told. `unused`: all that it covers
 * passes without it; it can go.
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
  /**
   * `change`: the change under test brings it or alters it. `base`: the base branch has it. Null:
   * not known, as at a desk.
   */
  origin: z.enum(["base", "change"]).nullable(),
  state: z.enum(WAIVER_STATES),
  /**
   * Ids of the comparisons that led to the state; for `proposed` and `expired` those it would
   * cover.
   */
  comparisons: z.array(z.string()),
  /**
   * One sentence without reason and owner: what it covers, how far, until when, and what became of
   * it.
   */
  text: z.string(),
});
export type WaiverOutcome = z.infer<typeof WaiverOutcomeSchema>;

const metricOf = { metric: MetricSchema, estimator: EstimatorSchema };

/** What a person should know although it decides nothing. `comparison` is the id of one. */
export const CautionSchema = z.discriminatedUnion("code", [
  /** `limit`: of versions before. */
  coded("void", { voided: count, slices: count, limit: number.optional() }),
  /** Slices that count and that the host disturbed, by what told it first; and who was at work. */
  coded("disturbed", {
    disturbed: count,
    slices: count,
    byRule: z.partialRecord(z.enum(DISTURBANCE_RULES), count),
    culprits: z.array(CulpritSchema),
  }),
  coded("wrong-answers", { answers: WrongAnswersSchema }),
  /** Each arm agrees with itself, and not with the other. */
  coded("answers-differ", { scenario: text, ...answers, what: z.enum(["size", "content"]) }),
  /** Failures that the error budget, a share, let through. */
  coded("within-budget", {
    scenario: text,
    expected: text,
    budget: number,
    arms: z.array(z.strictObject({ arm: ArmSchema, failed: count, scheduled: count })),
  }),
  /**
   * Slices of an arm that were slower than the other's beside them by `factor`, and the chance of
   * as many without a cause.
   */
  coded("stall", { scenario: text, factor: number, candidate: count, reference: count, p: number }),
  /** Quantiles that nobody gates are proven worse. */
  coded("shape", {
    scenario: text,
    moved: z.array(z.strictObject({ ...metricOf, estimate: number.nullable() })),
  }),
  /** Requests of a round beyond a gated quantile, fewer than wanted. */
  coded("thin", { scenario: text, ...metricOf, beyond: number, wanted: count }),
  coded("unmeasured", { service: text, metric: MetricSchema }),
  /** The candidate alone cannot keep the rate. */
  coded("beyond-capacity", {
    scenario: text,
    saturated: count,
    rounds: count,
    capacity: CapacitySchema,
  }),
  z.strictObject({ code: z.enum(["shared-cpus", "uncommitted"]) }),
  /**
   * What the generator itself adds to the scenario's latencies: `slackUs` on average, `p50Us` with
   * it. `least`: the smallest change that gates, a fraction of `valueUs` as the generator measures
   * it; absent where no latency gates, and in reports of versions before.
   */
  coded("generator-slack", {
    scenario: text,
    slackUs: number,
    p50Us: number,
    least: z.strictObject({ ...metricOf, change: number, valueUs: number }).optional(),
  }),
  /**
   * A margin closer than the runner was calibrated to show; `least` is the closest that it keeps.
   */
  coded("beyond-runner", { comparison: text, margin: number, least: number.nullable() }),
  /**
   * Standard deviations of a round's log ratio: now, when calibrated, and the upper end of that.
   */
  coded("noisier", { comparison: text, sd: number, calibrated: number, most: number }),
  coded("stale", { service: text, ageDays: number, maxAgeDays: number }),
  /** Worse than the stored baseline, although not than the reference. */
  coded("creep", { comparison: text }),
  /** `daysLeft`: until its last day; negative: after it. */
  coded("waiver", { waiver: WaiverSchema, state: z.enum(WAIVER_STATES), daysLeft: number }),
]);
export type Caution = z.infer<typeof CautionSchema>;

export const WarningSchema = z.strictObject({
  /** `errors`, `stall`, `shape`, `thin`, `host`, `void`, `stored`, `creep`, `stale`, `build`, … */
  kind: text,
  text: text,
  /** The same as data. Absent in reports of versions before. */
  caution: CautionSchema.optional(),
});

const SimpleAdviceSchema = z.enum([
  "look-at-change",
  "raise-waiver",
  "merge-waiver",
  "add-waiver",
  "raise-unproven-waiver",
  "record-more-days",
  "record-baseline",
  "doctor",
  "lower-rate",
  "try-start",
  "more-time",
  "measure-as-base",
  "error-budget",
  "quiet-machine",
  "own-machine",
  "relieve-generator",
  "try-request",
  "check-request",
  "compare-answers",
  "lift-quota",
]);
export type SimpleAdvice = z.infer<typeof SimpleAdviceSchema>;

/** What to do next. `comparison` is the id of one. */
export const AdviceSchema = z.discriminatedUnion("code", [
  z.strictObject({ code: SimpleAdviceSchema }),
  /** At most so many rounds are looked at. */
  coded("measure-on", { mostRounds: count }),
  /** Programs of others that were at work when the host was noisy; never none. */
  coded("stop-others", { culprits: z.array(CulpritSchema) }),
  /** The run ended at its first regression, and did not wait for an answer to so many questions. */
  coded("answer-all", { open: count }),
  coded("ungate", { comparisons: z.array(text) }),
  /** The noisiest open question. */
  coded("noise", { comparison: text }),
]);
export type Advice = z.infer<typeof AdviceSchema>;

/** A reason of the verdict: a comparison's finding, or a fault. */
export const CauseSchema = z.strictObject({
  /** Its id; null: of no comparison. */
  comparison: z.string().nullable(),
  finding: FindingSchema,
});
export type Cause = z.infer<typeof CauseSchema>;

export const VerdictSchema = z.strictObject({
  state: VerdictStateSchema,
  /** The verdict in one line, naming service, scenario and metric where one is to blame. */
  headline: z.string(),
  /** The headline without the state's word before it. Absent in reports of versions before. */
  summary: z.string().optional(),
  /**
   * Every reason that led to the state, most important first; lines after the first are what a
   * service or tool printed.
   */
  reasons: z.array(z.string()),
  /** What the reasons are words for, in the same order. Absent in reports of versions before. */
  causes: z.array(CauseSchema).optional(),
  /** What to do next, for a person. */
  next: z.array(z.string()),
  /** What `next` is words for. Absent in reports of versions before. */
  advice: z.array(AdviceSchema).optional(),
  comparisons: z.array(ComparisonSchema),
  /** Services that pass because both arms are the same. Absent: none. */
  unchanged: z.array(UnchangedSchema).optional(),
  /**
   * Against the stored baseline, where there is one: context, never the state unless `compare:
   * stored`.
   */
  stored: z.array(ComparisonSchema),
  warnings: z.array(WarningSchema),
  /** Every waiver of the configuration, in its order, then those that are only proposed. */
  waivers: z.array(WaiverOutcomeSchema).default([]),
});
export type Verdict = z.infer<typeof VerdictSchema>;

/** What the judge says of a comparison: data alone. */
export type JudgedComparison = Omit<Comparison, "reason" | "against" | "finding"> & {
  against: "alongside" | "stored";
  finding: Finding;
};
export type JudgedWaiver = Omit<WaiverOutcome, "text">;

/** A verdict before it has words. */
export interface Judgement {
  state: VerdictState;
  causes: Cause[];
  advice: Advice[];
  comparisons: JudgedComparison[];
  unchanged: readonly Unchanged[];
  stored: JudgedComparison[];
  cautions: Caution[];
  waivers: JudgedWaiver[];
  /** Whether or not they led to the state. */
  faults: readonly Fault[];
}

/**
 * What a reader should know of how the base branch's terms were applied. Names are foreign.
 * `overruled`: settings of the pull request's configuration. `more-rounds`: than are looked at.
 */
export type BaseNote =
  | { code: "fault"; fault: Fault }
  | { code: "overruled"; settings: string[] }
  | { code: "not-judged" | "left-out"; scenario: string }
  | { code: "more-rounds" | "killed" }
  | { code: "unchecked-reference"; commit: string };

/** The documented contract of the command line. */
export const EXIT_CODES: Readonly<Record<VerdictState, number>> = {
  pass: 0,
  improved: 0,
  regressed: 1,
  "no-baseline": 2,
  invalid: 3,
  inconclusive: 4,
};
