// Every gate that the evidence rests on. A line holds what was planted, what the program answered at the
// time, and the samples, so that it can be asked again.
import { z } from "zod";
import { type Samples, SamplesSchema } from "../../src/core/model/samples.ts";
import { addLine, readBatches } from "../lines.ts";
import { thinSamples } from "./thin.ts";

/** A fault in one service of the candidate. */
const PlantSchema = z.strictObject({
  service: z.string(),
  /** Value of TAILGATE_FAULTS; absent: it is in the source, where the run's `edit` put it. */
  faults: z.string().optional(),
  /** It counts as found when a red hypothesis has an id that begins so. */
  finds: z.string(),
});
export type Plant = z.infer<typeof PlantSchema>;

/** What was done to the source of the candidate: lab/edit.ts makes it again of the run's commit. */
export const EditSchema = z.strictObject({
  service: z.string(),
  kind: z.string(),
  name: z.string(),
});

/** Of a fingerprint, what tells machines apart; its other fields are none of it. */
export const MachineSchema = z.object({
  cpuModel: z.string(),
  cpus: z.int(),
  memoryGiB: z.number(),
  kernel: z.string(),
});
export type Machine = z.infer<typeof MachineSchema>;

const RunSchema = z.strictObject({
  /** When it began, and its kind: unique. */
  name: z.string(),
  kind: z.string(),
  /** Null: nothing was planted. */
  plant: PlantSchema.nullable(),
  /** Absent: nothing. Without a plant, an edit that changes no behaviour. */
  edit: EditSchema.optional(),
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

/** Of all batches in `folder`, in the order in which they were stored. */
export const readRuns = (folder: string): StoredRun[] =>
  readBatches(folder).map((value) => StoredRunSchema.parse(value));

/** Adds a run at the end of a batch. */
export const storeRun = (batch: string, { samples, ...run }: StoredRun): void =>
  addLine(batch, { ...RunSchema.parse(run), samples: thinSamples(samples) });
