// What a person should know of a run although it decides nothing. Pure data.
import * as z from "zod";
import { WaiverSchema } from "./config.ts";
import { answers, CapacitySchema, WrongAnswersSchema } from "./fault.ts";
import { EstimatorSchema, MetricSchema } from "./metric.ts";
import { coded, count, number, text } from "./number.ts";
import { ArmSchema, CulpritSchema, DISTURBANCE_RULES } from "./samples.ts";
import { WAIVER_STATES } from "./waiver-outcome.ts";

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
  /** Slices slower than the other arm's beside them by `factor`, and the chance of as many. */
  coded("stall", { scenario: text, factor: number, candidate: count, reference: count, p: number }),
  /** Quantiles without a gate are proven worse. */
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
