// Schemas of what satellites write for other programs. They stand here, not beside the types that they
// repeat, since a schema in a satellite would ship all of zod with it. One that differs from its type
// does not compile.
import { z } from "zod";
import type { BisectRecord } from "../../satellites/bisect/record.ts";
import type { ExplanationRecord } from "../../satellites/explain/explain.ts";

/** Each may stand for the other. */
type Same<A, B> = [A, B] extends [B, A] ? true : never;

const Change = z.strictObject({ name: z.string(), before: z.number(), after: z.number() });

const Cause = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("cpu") }),
  z.strictObject({
    kind: z.literal("waiting"),
    for: z.enum(["timer", "disk", "service", "unknown"]),
  }),
  z.strictObject({
    kind: z.literal("memory"),
    mapping: z.enum([
      ...(["anonymous", "heap", "stack", "program-text", "program-data"] as const),
      ...(["libraries", "other"] as const),
    ]),
  }),
  z.strictObject({ kind: z.literal("start") }),
]);

const Nothing = z.strictObject({ kind: z.literal("nothing") });

const Row = z.strictObject({
  function: z.string(),
  calledBy: z.string().nullable().describe("The nearest own function above it; null: none seen."),
  within: z
    .string()
    .nullable()
    .describe("What it calls, where most of the change is; null: the function itself."),
  before: z.number().describe("In the unit of the rows, a mean over the rounds."),
  after: z.number(),
  interval: z
    .strictObject({ low: z.number(), high: z.number() })
    .nullable()
    .describe("Of the difference, for all names together; null: too few rounds."),
  p: z.number().describe("For all names together."),
  changedHere: z
    .array(z.strictObject({ file: z.string(), from: z.int(), to: z.int() }))
    .nullable()
    .describe("Lines of it that the change wrote; null: unknown."),
});

const Moved = z.strictObject({
  function: z.string(),
  from: z.string().nullable().describe("Null: from no function that could be told."),
  ms: z.number().describe("CPU per 1,000 requests."),
});

export const ExplanationSchema = z.strictObject({
  schema: z.literal("tailgate.explanation.v1"),
  tool: z.string(),
  sentence: z.string().describe("Why, for a person. Names in it are foreign text."),
  again: z.string().describe("The command that explains it again."),
  cause: z.union([...Cause.options, Nothing]).describe("Of what was red, if there was a gate."),
  also: z.array(Cause).describe("What else there is more of."),
  share: z
    .number()
    .nullable()
    .describe("Of the change that the gate measured, what the rows hold: may exceed 1."),
  unit: z
    .enum(["cpu", "memory", "start"])
    .describe("Of the rows: CPU ms per 1,000 requests, resident bytes, or CPU ms of a start."),
  rows: z.array(Row).describe("Functions that cost more, most first."),
  more: z.int().describe("How many there are beyond the rows."),
  moved: z.array(Moved).describe("What costs as much as before, elsewhere."),
  calls: z.array(Change).describe("System calls of a request."),
  mappings: z.array(Change).describe("Kinds of mapping that rose, in bytes."),
  waits: z.array(Change).describe("Kinds of wait that rose, in shares of looks at threads."),
  latencyUs: Change.describe("Mean latency."),
  cpuMs: Change.describe("CPU per 1,000 requests."),
  startMs: Change.describe("From the launch to the first answer."),
  rounds: z.int(),
  samples: z.int(),
  refused: z
    .strictObject({ why: z.string(), next: z.string() })
    .nullable()
    .describe("Why there are no profiles, and what permits some; null: there are."),
  notes: z.array(z.string()).readonly().describe("What else could not be had."),
});
true satisfies Same<z.infer<typeof ExplanationSchema>, ExplanationRecord>;

const Commit = z.strictObject({ id: z.string(), subject: z.string() });
const Place = z.int().min(0).describe("On the line: 0 is the good commit.");

const Seen = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("built"), at: Place, key: z.string().nullable() }),
  z.strictObject({ kind: z.literal("skipped"), at: Place, why: z.string() }),
  z.strictObject({
    kind: z.literal("rounds"),
    purpose: z.enum(["change", "side", "proof"]),
    from: Place,
    to: Place,
    rounds: z.int(),
    d: z
      .record(z.string(), z.array(z.number()))
      .describe("By question: ln(to / from) of each round that has a value."),
  }),
]);

export const BisectSchema = z.strictObject({
  schema: z.literal("tailgate.bisect.v1"),
  tool: z.string(),
  state: z
    .enum(["running", "found", "one-of", "undecided", "no-change", "invalid"])
    .describe("`one-of`: several, of which only the last can be measured."),
  why: z.string(),
  question: z.string().nullable().describe("That led to the commit; null: no change was shown."),
  change: z.number().nullable().describe("Log ratio of the bad commit to the good one."),
  step: z.number().nullable().describe("Log ratio of the named commit to the one before."),
  suspects: z
    .array(z.strictObject({ ...Commit.shape, chance: z.number().min(0).max(1) }))
    .describe("The likeliest first; where it is found, one."),
  again: z.string().nullable().describe("Measures the answer again; null: there is none."),
  commits: z.array(Commit).describe("The line, from the good commit to the bad one."),
  identity: z.string().describe("Of the commits, questions and configuration."),
  seen: z.array(Seen),
});
true satisfies Same<z.infer<typeof BisectSchema>, BisectRecord>;
