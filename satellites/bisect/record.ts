// bisect.v1: the line, all that was seen on it, and in the end what was found. Rewritten after every
// step, so that a bisection that was stopped loses nothing.
import * as z from "zod";
import { UserError } from "../../src/core/base/errors.ts";
import { tryJson } from "../../src/core/base/try-json.ts";

const PURPOSES = ["change", "side", "proof"] as const;
/**
 * `change`: the bad commit against the good one. `side`: another against the good one. `proof`: one
 * against the commit before, to name it.
 */
export type Purpose = (typeof PURPOSES)[number];

const STATES = ["found", "one-of", "undecided", "no-change", "invalid"] as const;
/**
 * `found`: one commit is named. `one-of`: several, of which only the last can be measured. `no-change`:
 * the bad commit is not shown to be worse. `invalid`: an end of the line cannot be measured.
 */
export type BisectState = (typeof STATES)[number];

const place = z.int().min(0);

/** Places count from the good commit, which is 0. */
const SeenSchema = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("built"), at: place, key: z.string().nullable() }),
  /** It cannot be measured. */
  z.strictObject({ kind: z.literal("skipped"), at: place, why: z.string() }),
  z.strictObject({
    kind: z.literal("rounds"),
    purpose: z.enum(PURPOSES),
    from: place,
    to: place,
    rounds: z.int().min(1),
    /** By question: ln(to / from) of each round that has a value. */
    d: z.record(z.string(), z.array(z.number())),
  }),
]);
export type Seen = z.infer<typeof SeenSchema>;

const RecordSchema = z.strictObject({
  schema: z.literal("tailgate.bisect.v1"),
  tool: z.string(),
  /** `running`: it was stopped, and can go on. */
  state: z.enum(["running", ...STATES]),
  why: z.string(),
  /** Id of the question that led to the commit; null: no change was shown. */
  question: z.string().nullable(),
  /** Log ratio of the bad commit to the good one. */
  change: z.number().nullable(),
  /** Log ratio of the named commit, or the last of several, to the one before; null: not measured. */
  step: z.number().nullable(),
  /** What it is, the likeliest first, each with its chance; one: it is found. */
  suspects: z.array(z.strictObject({ id: z.string(), subject: z.string(), chance: z.number() })),
  /** Measures the answer again; null: there is none. */
  again: z.string().nullable(),
  /** The line, from the good commit to the bad one. */
  commits: z.array(z.strictObject({ id: z.string(), subject: z.string() })),
  /** Of the commits, questions and configuration. */
  identity: z.string(),
  seen: z.array(SeenSchema),
});
export type BisectRecord = z.infer<typeof RecordSchema>;

/** What an earlier session saw, if it was of the same. */
export function seenIn(text: string, identity: string): Seen[] {
  const record = RecordSchema.safeParse(tryJson(text));
  if (record.data?.identity === identity) return record.data.seen;
  const why = record.success ? "it is of other commits or questions" : "it cannot be read";
  throw new UserError(`--resume: the earlier bisection cannot be gone on with: ${why}`, {
    next: "Begin anew: leave out --resume.",
  });
}
