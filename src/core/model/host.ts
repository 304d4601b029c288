// The machine: facts that make two measurements comparable, and findings that explain noise.
import * as z from "zod";

const FindingSchema = z.strictObject({
  /** Stable name of the check: `governor`, `smt`, `steal`, … */
  id: z.string(),
  /** `bad`: expect noise or bias from it. `note`: worth knowing. `good`: checked and fine. */
  level: z.enum(["good", "note", "bad"]),
  /** What was found and what it does to the result. */
  text: z.string(),
  /** The command that fixes it; null: none. */
  fix: z.string().nullable(),
  /** What it rests on: files as they were read, `path: value`. Absent: none. */
  evidence: z.array(z.string()).optional(),
});
export type Finding = z.infer<typeof FindingSchema>;

/** Facts that must agree before two runs may be compared across time. */
export const FingerprintSchema = z.strictObject({
  cpuModel: z.string(),
  cpus: z.int().positive(),
  memoryGiB: z.number(),
  kernel: z.string(),
  microcode: z.string(),
  governor: z.string(),
  smt: z.string(),
  virtual: z.boolean(),
  generator: z.string(),
  /** Of the CPU's known flaws: they cost time at every switch. Absent: the kernel names none. */
  mitigations: z.string().optional(),
  /** As Node names it: `x64`, `arm64`. Of an older version absent, as the next. */
  architecture: z.string().optional(),
  /** Of one page of memory; null, as of the next: the kernel does not say. */
  pageBytes: z.int().positive().nullish(),
  /** Who gets huge pages: `always`, `madvise`, `never`. */
  hugePages: z.string().nullish(),
  /** That the service may use. */
  serviceCpus: z.int().positive().optional(),
  /**
   * Measured CPUs do not halt: by a process (`occupied`) or by the kernel (`true`). Absent: they
   * may.
   */
  keptAwake: z.union([z.literal(true), z.literal("occupied")]).optional(),
});
export type Fingerprint = z.infer<typeof FingerprintSchema>;

export const HostSchema = z.strictObject({
  fingerprint: FingerprintSchema,
  /** CPU numbers this process may use. */
  allowedCpus: z.array(z.int()).min(1),
  /** Groups of CPU numbers that share a physical core, ascending. */
  cores: z.array(z.array(z.int()).min(1)),
  findings: z.array(FindingSchema),
});
export type Host = z.infer<typeof HostSchema>;

export const CpuSetsSchema = z.strictObject({
  service: z.array(z.int()).min(1),
  generator: z.array(z.int()).min(1),
  /** Of what the service depends on; absent: those of the service. */
  dependencies: z.array(z.int()).min(1).optional(),
  /** false: one CPU for both, or a configured overlap: the generator disturbs what it measures. */
  disjoint: z.boolean(),
});
export type CpuSets = z.infer<typeof CpuSetsSchema>;
