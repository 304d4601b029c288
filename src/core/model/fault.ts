// Why a measurement, or that of one scenario, cannot be trusted, and what a person should know of a run
// although it decides nothing. Pure data.
import * as z from "zod";
import { WaiverSchema } from "./config.ts";
import { EstimatorSchema, MetricSchema } from "./metric.ts";
import { coded, count, number, text } from "./number.ts";
import {
  ArmSchema,
  CulpritSchema,
  DISTURBANCE_RULES,
  JsonDifferenceSchema,
  RunEndSchema,
  SLICE_RULES,
} from "./samples.ts";

/**
 * What became of a waiver, worst first. `exceeded`: proven to be worse than it accepts. `expired`:
 * does not count. `used`: needed. `undecided`: not measured or not told. `unused`: can go.
 */
export const WAIVER_STATES = ["exceeded", "expired", "used", "undecided", "unused"] as const;
export type WaiverState = (typeof WAIVER_STATES)[number];

/** `scenario` null: it spoils the whole run. `rule`: by which most of its void slices are void. */
const spoiled = { scenario: text.nullable(), rule: z.enum(SLICE_RULES).nullable() };
const fault = <K extends string, S extends z.ZodRawShape>(kind: K, shape: S) =>
  z.strictObject({ kind: z.literal(kind), ...spoiled, ...shape });
const different = <W extends string, S extends z.ZodRawShape>(what: W, shape: S) =>
  z.strictObject({ what: z.literal(what), ...shape });

/** An arm's answers were wrong, or not all there, in too many slices of all tries. */
const WrongAnswersSchema = z
  .strictObject({
    kind: z.literal("errors"),
    ...spoiled,
    arm: ArmSchema,
    failed: count,
    slices: count,
    /** The most frequent status or failure. */
    mostly: z.strictObject({ what: text, times: count }).nullable(),
    example: text,
  })
  .meta({ id: "WrongAnswers" });
export type WrongAnswers = z.infer<typeof WrongAnswersSchema>;

/** How an arm failed to keep the rate; medians of the slices that count. */
const CapacitySchema = z
  .strictObject({
    rateRps: number,
    /** Null: not recorded. */
    servedRps: number.nullable(),
    /** The service's CPU time as a share of its CPUs. */
    cpuShare: number,
    /**
     * What all its CPUs would serve, by CPU time per answer. Absent: the host was quiet,
     * `servedRps` says it.
     */
    cpusRps: number.optional(),
  })
  .optional();
export type SeenCapacity = NonNullable<z.infer<typeof CapacitySchema>>;

const answer = z.strictObject({ bytes: count, contentType: text.nullable() });
const answers = { candidate: answer, reference: answer };
const overloaded = { saturated: count, rounds: count, capacity: CapacitySchema };

export const FaultSchema = z
  .discriminatedUnion("kind", [
    WrongAnswersSchema,
    /**
     * A service, a dependency or the generator failed; with a scenario: under it, or by its first
     * answer.
     */
    fault("failure", { arm: ArmSchema.nullable().optional(), text, detail: text }),
    fault("saturated", { arm: ArmSchema, ...overloaded }),
    /** The scenario's `answers` wants them to be the same, and they are not. */
    fault("answers-differ", {
      ...answers,
      /** `load`: the mean size of the answers to the load. */
      what: z.enum(["size", "load", "content", "json"]),
      difference: JsonDifferenceSchema.optional(),
    }),
    /** No two answers of an arm agree; where the arms' differ, the first difference. */
    fault("answers-unsteady", { difference: JsonDifferenceSchema.optional() }),
    /** The arm's answer is not JSON, which `answers` asks for. */
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
        /** A database was shared that the base branch isolates. */
        different("isolation", { dependency: text }),
        different("scheme", { service: text, measured: text, wanted: text }),
      ]),
    }),
  ])
  .meta({ id: "Fault" });
export type Fault = z.infer<typeof FaultSchema>;

const metricOf = { metric: MetricSchema, estimator: EstimatorSchema };

/** `comparison` is the id of one. */
const CautionSchema = z.discriminatedUnion("code", [
  coded("void", { voided: count, slices: count }),
  /** Slices that count and that the host disturbed, by their first rule, and the programs at work. */
  coded("disturbed", {
    disturbed: count,
    slices: count,
    byRule: z.partialRecord(z.enum(DISTURBANCE_RULES), count),
    culprits: z.array(CulpritSchema),
  }),
  coded("wrong-answers", { answers: WrongAnswersSchema }),
  /** Each arm agrees with itself, and not with the other; `load`: in the size of the answers to it. */
  coded("answers-differ", {
    scenario: text,
    ...answers,
    what: z.enum(["size", "load", "content"]),
  }),
  /** The arms were asked different requests, each that of its own configuration. */
  coded("moved", { scenario: text, candidate: text, reference: text }),
  /** Ids of those that were asked for without compression although the service compresses. */
  coded("uncompressed", { scenarios: z.array(text) }),
  /** Failures that the error budget, a share, let through. */
  coded("within-budget", {
    scenario: text,
    expected: text,
    budget: number,
    arms: z.array(z.strictObject({ arm: ArmSchema, failed: count, scheduled: count })),
  }),
  /** Quantiles without a gate are proven worse. */
  coded("shape", {
    scenario: text,
    moved: z.array(z.strictObject({ ...metricOf, estimate: number.nullable() })),
  }),
  /** Requests of a round beyond a gated quantile, fewer than wanted. */
  coded("thin", { scenario: text, ...metricOf, beyond: number, wanted: count }),
  coded("unmeasured", { service: text, metric: MetricSchema }),
  /** The candidate alone cannot keep the rate. */
  coded("beyond-capacity", { scenario: text, ...overloaded }),
  z.strictObject({ code: z.enum(["shared-cpus", "uncommitted"]) }),
  /** Shards, from 1, whose rounds are missing. */
  coded("lost-shards", { lost: z.array(count), of: count }),
  /**
   * wrk2's own part of the latencies, and the smallest change that gates; `least` absent: no
   * latency does.
   */
  coded("generator-slack", {
    scenario: text,
    slackUs: number,
    p50Us: number,
    least: z.strictObject({ ...metricOf, change: number, valueUs: number }).optional(),
  }),
  /** A margin below the least, `least`, that the runner was calibrated to show. */
  coded("beyond-runner", { comparison: text, margin: number, least: number.nullable() }),
  /** Standard deviation of a round's log ratio: now, calibrated, and the upper end of that. */
  coded("noisier", { comparison: text, sd: number, calibrated: number, most: number }),
  /** As above, of the steadiest service's CPU time: what slows the cores is seen in nothing else. */
  coded("unsteady-cpus", { comparison: text, sd: number }),
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
  caution: CautionSchema,
});
