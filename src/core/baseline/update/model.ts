// What a baseline update would change: every value old and new, what moved beyond noise, which
// waivers it makes superfluous.
import { z } from "zod";
import { BaselineRunSchema, BaselineSchema } from "../../model/baseline.ts";
import { WaiverSchema } from "../../model/config.ts";
import type { Fault } from "../../model/fault.ts";
import { FingerprintSchema } from "../../model/host.ts";
import { EstimatorSchema, MetricSchema } from "../../model/metric.ts";
import type { RunEnd } from "../../model/samples.ts";
import type { JudgedComparison } from "../../model/verdict.ts";

/** Logs of ratios are natural logs of new / old. */
const logRatio = z.number();

/**
 * `loosened`: worse beyond noise, so that merging accepts more than before. `tightened`: better
 * beyond noise. `steady`: neither is shown. `new`: there was nothing comparable. `dropped`: it is
 * measured no more.
 */
export const MOVES = ["loosened", "tightened", "new", "dropped", "steady"] as const;

const ValueChangeSchema = z.strictObject({
  service: z.string(),
  /** Scenario id; null for a metric of launches. */
  scenario: z.string().nullable(),
  metric: MetricSchema,
  estimator: EstimatorSchema,
  /** Gated or watched; others are shown and cause no update. */
  judged: z.boolean(),
  move: z.enum(MOVES),
  /** Medians of launches, in the metric's unit. */
  old: z.number().nullable(),
  new: z.number().nullable(),
  launches: z.strictObject({ old: z.int().min(0), new: z.int().min(0) }),
  /**
   * Hodges-Lehmann estimate of the log ratio, with its exact interval; null bounds are infinite.
   */
  estimate: logRatio.nullable(),
  interval: z
    .strictObject({ low: logRatio.nullable(), high: logRatio.nullable(), level: z.number() })
    .nullable(),
  /**
   * Changes within this are noise: what the machine was seen to wander by or, before that is known,
   * the metric's floor.
   */
  noise: z.strictObject({ margin: logRatio, from: z.enum(["drift", "floor"]) }).nullable(),
  /** The waiver that accepts what was loosened. */
  waiver: z.strictObject({ waiver: WaiverSchema, holds: z.enum(["within", "beyond"]) }).nullable(),
});
export type ValueChange = z.infer<typeof ValueChangeSchema>;

/** Why a service's file is written anew. */
const UPDATE_CAUSES = ["first", "incomparable", "moved", "stale"] as const;
export type UpdateCause = (typeof UPDATE_CAUSES)[number];

const ServiceUpdateSchema = z.strictObject({
  service: z.string(),
  cause: z.enum(UPDATE_CAUSES),
  /** The cause in one line. */
  text: z.string(),
  /** What takes the old file's place. */
  baseline: BaselineSchema,
  previous: BaselineRunSchema.nullable(),
  values: z.array(ValueChangeSchema),
});
export type ServiceUpdate = z.infer<typeof ServiceUpdateSchema>;

/** The run that an update is of. */
const UpdateRunSchema = z.strictObject({
  id: z.string(),
  startedAt: z.iso.datetime(),
  commit: z.string(),
  subject: z.string(),
  rounds: z.int().min(0),
});

/** Why a run cannot become a baseline. */
export type Refusal =
  | { code: "uncommitted" }
  | { code: "fault"; fault: Fault }
  | { code: "incomplete"; ended: RunEnd }
  /** Rounds with a value, fewer than the first look needs. */
  | { code: "few-launches"; service: string; key: string; launches: number; needed: number }
  | { code: "undecided"; comparison: JudgedComparison };

export const BaselineUpdateSchema = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("update"),
    runnerClass: z.string(),
    fingerprint: FingerprintSchema,
    /** Only those whose file changes. */
    services: z.array(ServiceUpdateSchema).min(1),
    run: UpdateRunSchema,
    /** Waivers of regressions that the new baseline holds: they can go. */
    consumed: z.array(WaiverSchema),
  }),
  /** Everything is within noise, and no file is too old. */
  z.strictObject({ kind: z.literal("none"), text: z.string() }),
  /** The run cannot become a baseline. */
  z.strictObject({
    kind: z.literal("refused"),
    refusals: z.array(z.custom<Refusal>()).min(1),
  }),
]);
export type BaselineUpdate = z.infer<typeof BaselineUpdateSchema>;
export type ProposedUpdate = Extract<BaselineUpdate, { kind: "update" }>;
