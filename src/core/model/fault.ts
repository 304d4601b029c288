// Why a measurement, or that of one scenario, cannot be trusted. Pure data.
import { z } from "zod";
import { ArmSchema, JsonDifferenceSchema, RunEndSchema, SLICE_RULES } from "./samples.ts";

const count = z.int().min(0);
const text = z.string();
const number = z.number();

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
    /** The status or the generator's word that was met most often. */
    mostly: z.strictObject({ what: text, times: count }).nullable(),
    /** What the last such slice says. */
    example: text,
  })
  .meta({ id: "WrongAnswers" });
export type WrongAnswers = z.infer<typeof WrongAnswersSchema>;

/** How an arm failed to keep the rate; medians of the slices that count. */
export const CapacitySchema = z
  .strictObject({
    rateRps: number,
    /** Null: the generator does not tell. */
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
/** What each arm answered. */
export const answers = { candidate: answer, reference: answer };

/** Why the measurement, or that of a scenario, cannot be trusted. */
export const FaultSchema = z
  .discriminatedUnion("kind", [
    WrongAnswersSchema,
    /**
     * A service, a dependency or the generator failed; with a scenario: under it, or by its first
     * answer.
     */
    fault("failure", { arm: ArmSchema.nullable().optional(), text, detail: text }),
    /** The rate is beyond what the arm can serve. */
    fault("saturated", {
      arm: ArmSchema,
      saturated: count,
      rounds: count,
      capacity: CapacitySchema,
    }),
    /** The scenario's `answers` wants them to be the same, and they are not. */
    fault("answers-differ", {
      ...answers,
      what: z.enum(["size", "content", "json"]),
      difference: JsonDifferenceSchema.optional(),
    }),
    /** It does, and no two answers of each arm agree; where the arms' differ, where they first do. */
    fault("answers-unsteady", { difference: JsonDifferenceSchema.optional() }),
    /** It wants JSON, and the arm's answer is none. */
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
        /** A database was shared that the base branch does not let be shared. */
        different("isolation", { dependency: text }),
        different("scheme", { service: text, measured: text, wanted: text }),
      ]),
    }),
  ])
  .meta({ id: "Fault" });
export type Fault = z.infer<typeof FaultSchema>;
