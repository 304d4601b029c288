// report.v1: a verdict with all that a renderer needs; renderers compute nothing.
import * as z from "zod";
import { ConfigSchema } from "./config.ts";
import { CpuSetsSchema, HostSchema } from "./host.ts";
import { RunnerFactsSchema } from "./profile.ts";
import {
  ArtifactFactsSchema,
  DependencyFactsSchema,
  DISTURBANCE_RULES,
  RunEndSchema,
  SamplesSchema,
} from "./samples.ts";
import { VerdictSchema } from "./verdict.ts";

const number = z.number();

/** At each probability the median over rounds, and the range of their middle half. */
export const CurveBandSchema = z.array(
  z.strictObject({ probability: number, median: number, low: number, high: number }),
);
export type CurveBand = z.infer<typeof CurveBandSchema>;

export const ReportSchema = z.strictObject({
  schema: z.literal("tailgate.report.v1"),
  tool: z.string(),
  run: z.strictObject({
    ...SamplesSchema.shape.run.omit({ state: true, ended: true, shard: true, merged: true }).shape,
    end: RunEndSchema,
    ended: z.string(),
    slices: z.int(),
    voidSlices: z.int(),
    voidByRule: z.record(z.string(), z.int()),
    disturbedByRule: z.partialRecord(z.enum(DISTURBANCE_RULES), z.int()),
    /** Share of the rounds' wall time in which load was running. */
    loadShare: z.number().nullable(),
  }),
  sources: SamplesSchema.shape.sources,
  host: HostSchema,
  cpuSets: CpuSetsSchema,
  config: ConfigSchema,
  artifacts: z.array(ArtifactFactsSchema),
  dependencies: z.array(DependencyFactsSchema).optional(),
  runner: RunnerFactsSchema.optional(),
  verdict: VerdictSchema,
  explanation: SamplesSchema.shape.explanation,
  scenarios: z.array(
    z.strictObject({
      id: z.string(),
      rounds: z.int(),
      requestsPerArmRound: z.int(),
      curves: z.strictObject({ candidate: CurveBandSchema, reference: CurveBandSchema.nullable() }),
    }),
  ),
});
export type Report = z.infer<typeof ReportSchema>;
