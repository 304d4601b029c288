// The verdict: what samples, policy and baseline say, with every step that led there.
import * as z from "zod";
import { WaiverSchema } from "./config.ts";
import { type Caution, type Fault, FaultSchema, WAIVER_STATES, WarningSchema } from "./fault.ts";
import { EstimatorSchema, LevelSchema, MetricSchema } from "./metric.ts";
import { coded, count, logBounds, logRatio, micros, number, text } from "./number.ts";
import { CulpritSchema, OneArmSchema, type Unchanged, UnchangedSchema } from "./samples.ts";

/** `pass` and `improved` let a pull request through; the other four never look like them. */
export const VerdictStateSchema = z.enum([
  "pass",
  "improved",
  "regressed",
  "inconclusive",
  "invalid",
  "no-baseline",
]);
export type VerdictState = z.infer<typeof VerdictStateSchema>;

/**
 * These let a change through and never look like a pass. `worse-within`: worse than tolerated, less
 * than the margin. `waived`: within what a waiver accepts. `new`: the reference does not have it.
 */
export const ComparisonStateSchema = z.enum([
  ...VerdictStateSchema.options,
  "worse-within",
  "waived",
  "new",
]);
export type ComparisonState = z.infer<typeof ComparisonStateSchema>;

/** Evidence as a share of what is needed: 1 is enough. */
const evidence = { regress: z.number().min(0), pass: z.number().min(0) };

const StepSchema = z.strictObject({ rounds: z.int().positive(), ...evidence });

/** How a comparison stands to its waiver: the same rule with every limit at `upTo`. */
const WaivedComparisonSchema = z.strictObject({
  upTo: z.number(),
  /** The policy's own rule has proven a regression. */
  regressionProven: z.boolean(),
  /** `within`: shown to be less than `upTo` worse. `beyond`: proven to be more. `open`: neither. */
  answer: z.enum(["within", "beyond", "open"]),
  /** Evidence of this rule: `regress` for more than `upTo`, `pass` for less. */
  trail: z.array(StepSchema),
});
export type WaivedComparison = z.infer<typeof WaivedComparisonSchema>;

/** Why a comparison has its state. `rounds`: those that it rests on. */
const FindingSchema = z
  .discriminatedUnion("code", [
    z.strictObject({
      /** `better-at-other-work`: no improvement, since the builds' answers differ. */
      code: z.enum(["worse", "worse-within", "within", "better", "better-at-other-work"]),
      rounds: count,
    }),
    /**
     * Undecided. `likely-worse`: the estimate exceeds margin and waiver, or without a waiver the
     * interval lies above 0. `more`: rounds still needed at least.
     */
    z.strictObject({
      code: z.enum(["open", "likely-worse"]),
      rounds: count,
      more: count.optional(),
    }),
    /** A waiver made it what it is; see the comparison's `waiver`. */
    coded("waiver", { rounds: count, expires: text }),
    /** A value of 0 has no ratio; the other rounds alone would be a selection. */
    coded("zero", { rounds: count, zeros: count }),
    coded("unmeasured", {}),
    coded("new", { rounds: count }),
    coded("fault", { fault: FaultSchema }),
    coded("no-baseline", { runnerClass: text }),
    coded("no-stored-value", { key: text }),
    coded("incomparable", { difference: text }),
    /** The history has too few nights to know the machine's drift, or none of the last week. */
    coded("no-drift", {
      rounds: count,
      needed: count,
      nights: count,
      /** Day by which it is known if nights go on, YYYY-MM-DD; null: none goes on. */
      ready: text.nullable(),
    }),
  ])
  .meta({ id: "Finding" });
export type Finding = z.infer<typeof FindingSchema>;

/**
 * Whether more memory comes with requests (`leak`) or was there before them (`ballast`). Medians of
 * candidate less reference.
 */
const GrowthSchema = z.strictObject({
  kind: z.enum(["leak", "ballast"]),
  /** At the end of the launch. */
  bytes: number,
  bytesPerRequest: number,
  requests: number,
});
export type Growth = z.infer<typeof GrowthSchema>;

const SlowCountSchema = z.strictObject({
  windows: count,
  /** Of these, with an answer that took so long. */
  slow: count,
  /** About one request in so many did. Absent: quantiles of windows do not tell. */
  oneIn: number.optional(),
});
export type SlowCount = z.infer<typeof SlowCountSchema>;

/**
 * Slow answers as events: from which latency on the arms differ clearest in how many windows have
 * one. It is chosen after the test, to describe what was found.
 */
const SlowAnswersSchema = z.strictObject({
  /** Id of the scenario, or of the part of one, where they are. */
  scenario: text,
  us: micros,
  /** Median of the slowest answers of those windows, in the arm that has more. */
  typicalUs: micros,
  windowMs: number,
  candidate: SlowCountSchema,
  reference: SlowCountSchema,
});

/** Requests of all tries, those that went wrong, and how: by status or word, the most frequent. */
const AnswerCountSchema = z.strictObject({ wrong: count, of: count, kinds: z.record(text, count) });

export type AnswerCount = z.infer<typeof AnswerCountSchema>;

const ComparisonSchema = z
  .strictObject({
    /** `service/scenario p99 typical`, unique in a verdict. */
    id: z.string(),
    service: z.string(),
    scenario: z.string().nullable(),
    /**
     * Ids of scenarios whose log ratios of the slowest answers each round's is the mean of, each
     * weighted by its size; it has no value in an arm. Absent: it is of `scenario` or of launches.
     */
    among: z.array(z.string()).optional(),
    metric: MetricSchema,
    estimator: EstimatorSchema,
    level: LevelSchema,
    /** Memory after load is PSS, of a service with several processes. Absent: it is RSS. */
    isPss: z.literal(true).optional(),
    state: ComparisonStateSchema,
    /** With a reference measured in the same rounds, a stored baseline, or an absolute limit. */
    against: z.enum(["alongside", "stored", "limit"]),
    finding: FindingSchema,
    /** The finding as a sentence for a person. */
    reason: z.string(),
    /**
     * In the metric's unit; null where nothing was measured. The reference is a median over the
     * rounds that the estimate is of, the candidate is that and the change (see docs/adr/0025); of
     * a candidate measured alone, a median. Against a limit the reference is the limit.
     */
    candidate: z.number().nullable(),
    reference: z.number().nullable(),
    /** Hodges-Lehmann estimate of the log ratio, and a confidence sequence for it. */
    estimate: logRatio.nullable(),
    /**
     * The estimate counts rounds far out as less than they were: the change is proven, and at least
     * as large; candidate and reference have all of it.
     */
    clipped: z.literal(true).optional(),
    interval: z.strictObject({ ...logBounds, level: number }).nullable(),
    /**
     * Fractions as in the policy; the floor includes the absolute one, and the margin is never
     * below it.
     */
    margin: z.number(),
    tolerance: z.number(),
    floor: z.number(),
    evidence: z.strictObject(evidence),
    /** After each round up to the deciding one; against stored values, after some of them. */
    trail: z.array(StepSchema),
    rounds: z.int().min(0),
    sd: z.number().nullable(),
    /**
     * The smallest true change, a fraction, that this run detects with 95 % power (see
     * stats/detectable-effect.ts).
     */
    detectable: z.number().nullable(),
    /** Fewest requests beyond the quantile in any arm and round; null for launch metrics. */
    requestsBeyond: z.number().nullable(),
    /** Log ratio of each valid round, in order, including those after the deciding one. */
    series: z.array(z.strictObject({ round: z.int().min(0), d: logRatio })),
    /** Against stored values: the drift allowed for, a log ratio; null: not known. */
    drift: z.number().nullable().optional(),
    /** The machine that the stored values are of, where that is of another model. */
    machine: text.optional(),
    /** Of RSS that regressed. Absent: neither is shown, or it was not read twice. */
    growth: GrowthSchema.optional(),
    /** Of slowest answers that regressed or improved. Absent: it is not known. */
    slowAnswers: SlowAnswersSchema.optional(),
    /** Of wrong answers, whose shares candidate and reference are. Absent: of another metric. */
    answers: z
      .strictObject({ candidate: AnswerCountSchema, reference: AnswerCountSchema })
      .optional(),
    /** Null: no waiver that counts covers it. */
    waiver: WaivedComparisonSchema.nullable(),
  })
  .meta({ id: "Comparison" });
export type Comparison = z.infer<typeof ComparisonSchema>;

const SimpleAdviceSchema = z.enum([
  "look-at-change",
  "look-at-slow",
  "look-at-answers",
  "look-at-leak",
  "look-at-memory",
  "look-at-cpu",
  "look-at-cpu-first",
  "look-at-startup",
  "look-at-resources",
  "look-at-limit",
  "raise-waiver",
  "add-waiver",
  "raise-unproven-waiver",
  "record-more-days",
  "record-baseline",
  "doctor",
  "lower-rate",
  "own-data",
  "try-start",
  "more-time",
  "resume-shards",
  "near-limit",
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
const AdviceSchema = z.discriminatedUnion("code", [
  z.strictObject({ code: SimpleAdviceSchema }),
  /** At most so many rounds are looked at. */
  coded("measure-on", { mostRounds: count }),
  /** Programs of others that were at work when the host was noisy; never none. */
  coded("stop-others", { culprits: z.array(CulpritSchema) }),
  /** The run ended at its first regression with so many gated metrics open. */
  coded("answer-all", { open: count }),
  coded("ungate", { comparisons: z.array(text) }),
  coded("noise", { comparison: text }),
]);
export type Advice = z.infer<typeof AdviceSchema>;

/** A reason of the verdict: a comparison's finding, or a fault. */
const CauseSchema = z.strictObject({ comparison: z.string().nullable(), finding: FindingSchema });
export type Cause = z.infer<typeof CauseSchema>;

const WaiverOutcomeSchema = z.strictObject({
  /** `reason` and `owner` are foreign text. */
  waiver: WaiverSchema,
  /** `change`: the change brings or alters it. `base`: the base branch has it. Null: not known. */
  origin: z.enum(["base", "change"]).nullable(),
  state: z.enum(WAIVER_STATES),
  /** Ids of the comparisons that led to the state, or that it would cover. */
  comparisons: z.array(z.string()),
  /** One sentence without reason and owner. */
  text: z.string(),
});
export type WaiverOutcome = z.infer<typeof WaiverOutcomeSchema>;

export const VerdictSchema = z.strictObject({
  state: VerdictStateSchema,
  /** The verdict in one line, naming service, scenario and metric where one is to blame. */
  headline: z.string(),
  /** The headline without the state's word before it. */
  summary: z.string(),
  /**
   * Every reason for the state, most important first; lines after the first are output of programs.
   */
  reasons: z.array(z.string()),
  causes: z.array(CauseSchema),
  next: z.array(z.string()),
  advice: z.array(AdviceSchema),
  comparisons: z.array(ComparisonSchema),
  /** Services that pass because both arms are the same. Absent: none. */
  unchanged: z.array(UnchangedSchema).optional(),
  /** What one arm alone has; against stored values the other one is the baseline. Absent: nothing. */
  oneArm: OneArmSchema.optional(),
  /** Against the stored baseline: context only, unless `compare: stored`. */
  stored: z.array(ComparisonSchema),
  warnings: z.array(WarningSchema),
  /** All of the configuration. */
  waivers: z.array(WaiverOutcomeSchema),
});
export type Verdict = z.infer<typeof VerdictSchema>;

export type JudgedComparison = Omit<Comparison, "reason">;
export type JudgedWaiver = Omit<WaiverOutcome, "text">;

export interface Judgement {
  state: VerdictState;
  causes: Cause[];
  advice: Advice[];
  comparisons: JudgedComparison[];
  unchanged: readonly Unchanged[];
  oneArm: z.infer<typeof OneArmSchema>;
  stored: JudgedComparison[];
  cautions: Caution[];
  waivers: JudgedWaiver[];
  /** Whether or not they led to the state. */
  faults: readonly Fault[];
}

/**
 * What to know of how the base branch's terms were applied. `overruled`: settings of the pull
 * request. Names are foreign.
 */
export type BaseNote =
  | { code: "fault"; fault: Fault }
  | { code: "overruled"; settings: string[] }
  | { code: "not-judged" | "left-out"; scenario: string }
  | { code: "more-rounds" | "killed" };
