// What is kept of each run of the evidence: one line in runs.jsonl, and its samples beside it. A line says what was planted and what
// the program answered at the time; the samples let it be asked again.
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { z } from "zod";
import { type Samples, SamplesSchema } from "../../src/model/samples.ts";
import { thinSamples } from "./thin.ts";

/** One fault in one service of the candidate. */
export const PlantSchema = z.strictObject({
  service: z.string(),
  /** Value of TAILGATE_FAULTS. */
  faults: z.string(),
  /** Hypotheses that must be red for it to count as found: any of them. Empty: it is gated by nothing. */
  finds: z.array(z.string()),
  /** Fraction by which the first of `finds` was to be worse; null where no size was aimed at. */
  effect: z.number().nullable(),
});
export type Plant = z.infer<typeof PlantSchema>;

export const RunSchema = z.strictObject({
  /** Name of the samples file without its ending. */
  name: z.string(),
  /** Of the plan; `pool`: rounds of identical arms without a verdict; `fit`: rounds that sized a plant. */
  kind: z.string(),
  plants: z.array(PlantSchema),
  /** Wall time of the whole command, preparation included. */
  minutes: z.number(),
  exitCode: z.int(),
  /** As the program said; null where nothing was judged. */
  verdict: z.nullable(z.strictObject({ state: z.string(), regressed: z.array(z.string()) })),
  /** Load average of one minute before the run. */
  load: z.number(),
});
export type Run = z.infer<typeof RunSchema>;

export interface StoredRun extends Run {
  samples: Samples;
}

const INDEX = "runs.jsonl";
const SUFFIX = ".samples.json.gz";

export function readRuns(folder: string): Run[] {
  const path = join(folder, INDEX);
  if (!existsSync(path)) return [];
  return readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => RunSchema.parse(JSON.parse(line)));
}

export function readStoredRuns(folder: string): StoredRun[] {
  return readRuns(folder).map((run) => {
    const text = gunzipSync(readFileSync(join(folder, `${run.name}${SUFFIX}`))).toString("utf8");
    return { ...run, samples: SamplesSchema.parse(JSON.parse(text)) };
  });
}

/** The samples first: a line without them could not be read again. */
export function storeRun(folder: string, run: Run, samples: Samples): void {
  mkdirSync(folder, { recursive: true });
  const bytes = gzipSync(JSON.stringify(thinSamples(samples)), { level: 9 });
  writeFileSync(join(folder, `${run.name}${SUFFIX}`), bytes);
  appendFileSync(join(folder, INDEX), `${JSON.stringify(RunSchema.parse(run))}\n`);
}
