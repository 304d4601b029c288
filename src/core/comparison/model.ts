// comparison.v1: two services measured in the same rounds, `candidate` the first one named, without
// a gate.
import * as z from "zod";
import { ConfigSchema } from "../model/config.ts";
import { type Caution, FaultSchema } from "../model/fault.ts";
import { CpuSetsSchema, HostSchema } from "../model/host.ts";
import { UnitSchema } from "../model/metric.ts";
import { CurveBandSchema } from "../model/report.ts";
import {
  ArtifactFactsSchema,
  DependencyFactsSchema,
  RunEndSchema,
  SourceSchema,
} from "../model/samples.ts";

const NamesSchema = z.strictObject({ candidate: z.string(), reference: z.string() });

/** What a ratio's interval shows. `no-ratio`: a side is zero or missing in some round. */
const FINDINGS = [
  "lower",
  "higher",
  "no-difference-shown",
  "too-few-rounds",
  "no-ratio",
  "invalid",
] as const;
export type Finding = (typeof FINDINGS)[number];

const ComparisonRowSchema = z.strictObject({
  /** Unique among the rows of a scenario, or of the services: `p99 typical`, `rss`, `rate`. */
  id: z.string(),
  label: z.string(),
  unit: UnitSchema,
  /**
   * In the unit; null where it was not measured. The reference is a median over rounds, the
   * candidate is that by the ratio; without a ratio, a median.
   */
  candidate: z.number().nullable(),
  reference: z.number().nullable(),
  /** Hodges-Lehmann estimate of ln(candidate / reference); null: no ratio. */
  estimate: z.number().nullable(),
  /** Exact, of the log ratio, for this row alone; a null bound is infinite. */
  interval: z
    .strictObject({ low: z.number().nullable(), high: z.number().nullable(), level: z.number() })
    .nullable(),
  rounds: z.int().min(0),
  finding: z.enum(FINDINGS),
});
export type ComparisonRow = z.infer<typeof ComparisonRowSchema>;

export const ServiceComparisonSchema = z.strictObject({
  schema: z.literal("tailgate.comparison.v1"),
  tool: z.string(),
  state: z.enum(["measured", "invalid"]),
  services: NamesSchema,
  run: z.strictObject({
    id: z.string(),
    startedAt: z.iso.datetime(),
    seed: z.int(),
    measuredMs: z.number(),
    end: RunEndSchema,
    ended: z.string(),
    rounds: z.int().min(0),
    slices: z.int().min(0),
    voidSlices: z.int().min(0),
  }),
  /** The level of each interval, not corrected for their number, and how many are bounded. */
  intervals: z.strictObject({ level: z.number(), rows: z.int().min(0) }),
  /** Why the measurement, or a scenario of it, cannot be trusted. */
  causes: z.array(FaultSchema),
  /** The same in words; lines after the first are what a tool or a service said. */
  faults: z.array(z.string()),
  notes: z.array(z.string()),
  source: SourceSchema,
  host: HostSchema,
  cpuSets: CpuSetsSchema,
  /** As measured: both services as one, built and started as the first. */
  config: ConfigSchema,
  scenarios: z.array(
    z.strictObject({
      name: z.string(),
      rateRps: z.number(),
      connections: z.int(),
      rows: z.array(ComparisonRowSchema),
      curves: z.strictObject({ candidate: CurveBandSchema, reference: CurveBandSchema }),
    }),
  ),
  rows: z.array(ComparisonRowSchema),
  artifacts: z.array(ArtifactFactsSchema),
  dependencies: z.array(DependencyFactsSchema),
});
export type ServiceComparison = z.infer<typeof ServiceComparisonSchema>;

/** It without its words, and what they are made of. */
export interface ServiceFacts extends Omit<ServiceComparison, "run" | "faults" | "notes"> {
  run: Omit<ServiceComparison["run"], "ended">;
  cautions: Caution[];
  /** Rounds in which the first service could not keep the rate, of all with the scenario. */
  saturated: { scenario: string; service: string; rounds: number; of: number }[];
}
