// Why a measurement, or that of one scenario, cannot be trusted. Pure data.
import * as z from "zod";
import { count, number, text } from "./number.ts";
import { ArmSchema, JsonDifferenceSchema, RunEndSchema, SLICE_RULES } from "./samples.ts";

/** `scenario` null: it spoils the whole run. `rule`: by which most of its void slices are void. */
const spoiled = { scenario: text.nullable(), rule: z.enum(SLICE_RULES).nullable() };
const fault = <K extends string, S extends z.ZodRawShape>(kind: K, shape: S) =>
  z.strictObject({ kind: z.literal(kind), ...spoiled, ...shape });
const different = <W extends string, S extends z.ZodRawShape>(what: W, shape: S) =>
  z.strictObject({ what: z.literal(what), ...shape });

/** An arm's answers were wrong, or not all there, in too many slices of all tries. */
export const WrongAnswersSchema = z
  .strictObject({
    kind: z.literal("errors"),
    ...spoiled,
    arm: ArmSchema,
    failed: count,
    slices: count,
    /** The most frequent status or failure. */
    mostly: z.strictObject({ what: text, times: count }).nullable(),
    example: text,
  })
  .meta({ id: "WrongAnswers" });
export type WrongAnswers = z.infer<typeof WrongAnswersSchema>;

/** How an arm failed to keep the rate; medians of the slices that count. */
export const CapacitySchema = z
  .strictObject({
    rateRps: number,
    /** Null: not recorded. */
    servedRps: number.nullable(),
    /** The service's CPU time as a share of its CPUs. */
    cpuShare: number,
    /**
     * What all its CPUs would serve, by CPU time per answer. Absent: the host was quiet,
     * `servedRps` says it.
     */
    cpusRps: number.optional(),
  })
  .optional();
export type SeenCapacity = NonNullable<z.infer<typeof CapacitySchema>>;

const answer = z.strictObject({ bytes: count, contentType: text.nullable() });
export const answers = { candidate: answer, reference: answer };

export const FaultSchema = z
  .discriminatedUnion("kind", [
    WrongAnswersSchema,
    /**
     * A service, a dependency or the generator failed; with a scenario: under it, or by its first
     * answer.
     */
    fault("failure", { arm: ArmSchema.nullable().optional(), text, detail: text }),
    fault("saturated", {
      arm: ArmSchema,
      saturated: count,
      rounds: count,
      capacity: CapacitySchema,
    }),
    /** The scenario's `answers` wants them to be the same, and they are not. */
    fault("answers-differ", {
      ...answers,
      /** `load`: the mean size of the answers to the load. */
      what: z.enum(["size", "load", "content", "json"]),
      difference: JsonDifferenceSchema.optional(),
    }),
    /** No two answers of an arm agree; where the arms' differ, the first difference. */
    fault("answers-unsteady", { difference: JsonDifferenceSchema.optional() }),
    /** The arm's answer is not JSON, which `answers` asks for. */
    fault("answers-not-json", { arm: ArmSchema }),
    /** No round has a value. */
    fault("missing", { voided: count, slices: count, example: text, ended: RunEndSchema }),
    /** Not measured as the base branch's configuration asks. */
    fault("otherwise", {
      difference: z.discriminatedUnion("what", [
        different("not-measured", {}),
        /** Names of the scenario's settings that differ. */
        different("workload", { settings: z.array(text) }),
        different("error-budget", { slices: count }),
        different("compare", { measured: text, wanted: text }),
        /** A database was shared that the base branch isolates. */
        different("isolation", { dependency: text }),
        different("scheme", { service: text, measured: text, wanted: text }),
      ]),
    }),
  ])
  .meta({ id: "Fault" });
export type Fault = z.infer<typeof FaultSchema>;
