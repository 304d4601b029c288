// What became of a waiver. Pure data.
import * as z from "zod";
import { WaiverSchema } from "./config.ts";

/**
 * What became of a waiver, worst first. `exceeded`: proven to be worse than it accepts. `expired`:
 * does not count. `used`: needed. `undecided`: not measured or not told. `unused`: can go.
 */
export const WAIVER_STATES = ["exceeded", "expired", "used", "undecided", "unused"] as const;
export type WaiverState = (typeof WAIVER_STATES)[number];

export const WaiverOutcomeSchema = z.strictObject({
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
