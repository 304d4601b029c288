// Every run of `tailgate explain` that was kept: what was changed, what was said of it, and where lists
// of the same samples have the service's functions.
import { join } from "node:path";
import { z } from "zod";
import { EditSchema, MachineSchema } from "../evidence/runs.ts";
import { ROOT } from "../evidence/working-copy.ts";
import { addLine, readBatches } from "../lines.ts";

export const EXPLAINED_RUNS = join(ROOT, "lab/explain/runs");

const Change = z.object({ name: z.string(), before: z.number(), after: z.number() });
const Cause = z.object({ kind: z.string(), for: z.string().optional() });

/** Of an explanation.v1, what is kept; fields that a later one adds are none of it. */
const SaidSchema = z.object({
  sentence: z.string(),
  cause: Cause,
  also: z.array(Cause),
  share: z.number().nullable(),
  unit: z.enum(["cpu", "memory", "start"]),
  rows: z.array(
    z.object({
      function: z.string(),
      calledBy: z.string().nullable(),
      within: z.string().nullable(),
      before: z.number(),
      after: z.number(),
      p: z.number(),
    }),
  ),
  more: z.int(),
  moved: z.array(z.object({ function: z.string(), from: z.string().nullable(), ms: z.number() })),
  calls: z.array(Change),
  mappings: z.array(Change),
  waits: z.array(Change),
  latencyUs: Change,
  cpuMs: Change,
  startMs: Change,
  rounds: z.int(),
  samples: z.int(),
  refused: z.object({ why: z.string(), next: z.string() }).nullable(),
  notes: z.array(z.string()).readonly(),
});
export type Said = z.infer<typeof SaidSchema>;

/** Of one of the service's functions, or of one that may hold them, its place in lists of all functions by how much each rose. */
const RankSchema = z.strictObject({
  /** As `explain` shortens names. */
  function: z.string(),
  /** By what it took itself, from 1; null: nothing, in either build. */
  flat: z.int().nullable(),
  /** With all that it called. */
  cumulative: z.int(),
});
export type Rank = z.infer<typeof RankSchema>;

const ExplainedRunSchema = z.strictObject({
  /** When it began, and its kind: unique. */
  name: z.string(),
  kind: z.string(),
  edit: EditSchema,
  scenario: z.string(),
  /** What else the machine did: a name of disturbances.ts; null: nothing that was meant. */
  disturbance: z.string().nullable(),
  /** The commit that was edited, and whose program it is. */
  commit: z.string(),
  machine: MachineSchema,
  /** Of the whole command, builds included. */
  minutes: z.number(),
  /** Null: a signal ended it. */
  exitCode: z.int().nullable(),
  /** Load average of one minute before it and its disturbance. */
  load: z.number(),
  /** Null: it gave no explanation. */
  said: SaidSchema.nullable(),
  /** Empty where there are no profiles. */
  plain: z.array(RankSchema),
  /** The last lines, where it gave no explanation. */
  failure: z.array(z.string()).readonly(),
});
export type ExplainedRun = z.infer<typeof ExplainedRunSchema>;

/** One that gave an explanation, of profiles. */
export type AnsweredRun = ExplainedRun & { said: Said };

export const isAnswered = (run: ExplainedRun): run is AnsweredRun => run.said?.refused === null;

/** What the program printed; an error where that is no explanation. */
export const parseSaid = (text: string): Said => SaidSchema.parse(JSON.parse(text));

export const readExplained = (folder: string): ExplainedRun[] =>
  readBatches(folder).map((value) => ExplainedRunSchema.parse(value));

/** Adds a run at the end of a batch. */
export const storeExplained = (batch: string, run: ExplainedRun): void =>
  addLine(batch, ExplainedRunSchema.parse(run));
