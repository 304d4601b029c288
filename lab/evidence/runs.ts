// Every run that the evidence rests on: one compressed file, one JSON line for each run. A line
// holds what was planted, what the program answered at the time, and the samples, so that it can be
// asked again.
import { z } from "zod";
import { type Samples, SamplesSchema } from "../../src/core/model/samples.ts";
import { readLines, writeLines } from "../lines.ts";
import { thinSamples } from "./thin.ts";

/** A fault in one service of the candidate. */
const PlantSchema = z.strictObject({
  service: z.string(),
  /** Value of TAILGATE_FAULTS. */
  faults: z.string(),
  /** It counts as found when a red hypothesis has an id that begins so. */
  finds: z.string(),
});
export type Plant = z.infer<typeof PlantSchema>;

const RunSchema = z.strictObject({
  /** When it began, and its kind: unique. */
  name: z.string(),
  kind: z.string(),
  /** Null: nothing was planted. */
  plant: PlantSchema.nullable(),
  /** What else the machine did: a name of disturbances.ts; null: nothing that was meant. */
  disturbance: z.string().nullable(),
  /** The commit that was measured, and whose program did it. */
  commit: z.string(),
  /** From the first round to the verdict; builds and waiting for the machine are not in it. */
  minutes: z.number(),
  exitCode: z.int(),
  /** As the program said at the time. */
  verdict: z.strictObject({ state: z.string(), regressed: z.array(z.string()) }),
  /** Load average of one minute before the gate and its disturbance. */
  load: z.number(),
});
export type Run = z.infer<typeof RunSchema>;

export interface StoredRun extends Run {
  samples: Samples;
}

const StoredRunSchema = RunSchema.extend({ samples: SamplesSchema });

export const measuredMinutes = ({ run }: Samples): number =>
  Number((run.measuredMs / 60_000).toFixed(2));

export const readRuns = (file: string): StoredRun[] =>
  readLines(file).map((value) => StoredRunSchema.parse(value));

/** Adds a run at the end. */
export function storeRun(file: string, { samples, ...run }: StoredRun): void {
  const stored = { ...RunSchema.parse(run), samples: thinSamples(samples) };
  writeLines(file, [...readLines(file), stored]);
}
