// Every bisection that was kept: what was sought, where it was, and what was found.
import { join } from "node:path";
import { z } from "zod";
import { EditSchema, MachineSchema } from "../evidence/runs.ts";
import { ROOT } from "../evidence/working-copy.ts";
import { addLine, readBatches } from "../lines.ts";

export const BISECTED_RUNS = join(ROOT, "lab/bisect/runs");

/** Of a bisect.v1, what is kept. */
const FoundSchema = z.object({
  state: z.enum(["found", "one-of", "undecided", "no-change", "invalid"]),
  why: z.string(),
  question: z.string().nullable(),
  change: z.number().nullable(),
  step: z.number().nullable(),
  suspects: z.array(z.object({ id: z.string(), subject: z.string(), chance: z.number() })),
  commits: z.array(z.object({ id: z.string(), subject: z.string() })),
  seen: z.array(z.looseObject({ kind: z.string() })),
});

const BisectedRunSchema = z.strictObject({
  /** When it began, and its kind: unique. */
  name: z.string(),
  kind: z.string(),
  /** The cost. */
  edit: EditSchema,
  /** Its place on the line, from 1. */
  place: z.int(),
  /** Of the line, those that touch the service. */
  touching: z.int(),
  /** The commit before the line, and whose program it is. */
  commit: z.string(),
  machine: MachineSchema,
  /** Of the whole command. */
  minutes: z.number(),
  /** Null: a signal ended it. */
  exitCode: z.int().nullable(),
  /** Null: it gave no answer. */
  found: FoundSchema.nullable(),
  /** The last lines, where it gave no answer. */
  failure: z.array(z.string()).readonly(),
});
export type BisectedRun = z.infer<typeof BisectedRunSchema>;

/** What the program printed; an error where that is no result of a bisection. */
export const parseFound = (text: string): BisectedRun["found"] =>
  FoundSchema.parse(JSON.parse(text));

export const readBisected = (folder: string): BisectedRun[] =>
  readBatches(folder).map((value) => BisectedRunSchema.parse(value));

/** Adds a run at the end of a batch. */
export const storeBisected = (batch: string, run: BisectedRun): void =>
  addLine(batch, BisectedRunSchema.parse(run));
