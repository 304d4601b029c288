// baseline.v1: the accepted values of one service on one class of runner, reviewed like code.
import * as z from "zod";
import { IsolationSchema } from "./config.ts";
import { FingerprintSchema } from "./host.ts";

/**
 * `rss` for a service's metric, `echo/p99` for a pooled one, `echo/p99Typical` for a typical one.
 */
const BaselineKeySchema = z
  .string()
  .regex(/^[A-Za-z0-9._-]+(\[[A-Za-z0-9._-]+\])?(\/[A-Za-z0-9]+)?$/);

export const BaselineSchema = z.strictObject({
  schema: z.literal("tailgate.baseline.v1"),
  service: z.string(),
  runnerClass: z.string(),
  /** When the run began that its values are of. */
  recordedAt: z.iso.datetime(),
  run: z.string(),
  source: z.strictObject({ commit: z.string(), subject: z.string() }),
  fingerprint: FingerprintSchema,
  /** Hash of each scenario's definition: another hash, another workload, nothing to compare. */
  workloads: z.record(z.string(), z.string()),
  /** Requests after which memory was read, where the configuration said. */
  memoryRequests: z.int().positive().optional(),
  /** `rss` is PSS, as several processes had it. Absent: RSS. */
  isPss: z.literal(true).optional(),
  /** How its launches used their dependencies, where not as FORMERLY in workload.ts. */
  isolation: z.record(z.string(), IsolationSchema).optional(),
  /** Hash of the definition of each dependency; absent: not recorded. */
  dependencies: z.record(z.string(), z.string()).optional(),
  /** The value of each launch in order, 4 significant digits, in the units of METRIC_FACTS. */
  metrics: z.record(BaselineKeySchema, z.array(z.number().positive()).min(1)),
});
export type Baseline = z.infer<typeof BaselineSchema>;
