// What became of a waiver. Pure data.
import { z } from "zod";
import { WaiverSchema } from "./config.ts";

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
