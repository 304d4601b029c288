// tailgate.try.v1: what starting each service of a configuration once has shown. `init` reads it,
// and so may any program. Rates are requests a second.
import * as z from "zod";

const port = z.int().min(1).max(65535);

/** A variable that may tell a service its port. `address`: it holds `127.0.0.1:{port}`. */
const PortVariableSchema = z.strictObject({ name: z.string(), form: z.enum(["port", "address"]) });
export type PortVariable = z.infer<typeof PortVariableSchema>;

/** How a service was told its port. */
const ToldSchema = z.discriminatedUnion("kind", [
  /** As its configuration says. */
  z.strictObject({ kind: z.literal("configured") }),
  /** By this variable, which its configuration does not have. */
  z.strictObject({ kind: z.literal("variable"), ...PortVariableSchema.shape }),
  /** By nobody: it listens on this one whatever it is told. */
  z.strictObject({ kind: z.literal("fixed"), port }),
]);

export type Told = z.infer<typeof ToldSchema>;

const LaunchSchema = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("ready"),
    told: ToldSchema,
    port,
    /** From its start to the first answer that says ready. */
    startupMs: z.number().min(0),
  }),
  z.strictObject({
    kind: z.literal("failed"),
    /** What the service did, or what is missing. */
    text: z.string(),
    /** The last lines that it or its build printed. */
    detail: z.string(),
    /** What to do about it; null: that is known best to whoever reads it. */
    next: z.string().nullable(),
  }),
]);

const AnswerSchema = z.strictObject({
  method: z.string(),
  path: z.string(),
  expected: z.int(),
  /** Null: there was no answer. */
  status: z.int().nullable(),
  /** The status and how the body begins, or why there is no answer. */
  seen: z.string(),
  /** It was not asked for compressed, and would be so. Absent: it would not, or nobody asked. */
  couldCompress: z.literal(true).optional(),
});

const RateSchema = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("held"),
    /** At most a third of what one core can serve, and no more than the service kept up with. */
    rps: z.number().positive(),
    /** Microseconds of CPU time that a request took. */
    cpuUs: z.number().positive(),
  }),
  /** Its answers were wrong, or came late at any rate. */
  z.strictObject({ kind: z.literal("unsettled") }),
]);
export type TriedRate = z.infer<typeof RateSchema> & { kind: "held" };

const TriedScenarioSchema = z.strictObject({
  name: z.string(),
  configuredRps: z.number().positive(),
  /** Of a mix one for each part. */
  answers: z.array(AnswerSchema).min(1),
  /** Null: none was measured. */
  rate: RateSchema.nullable(),
});
export type TriedScenario = z.infer<typeof TriedScenarioSchema>;

const TriedServiceSchema = z.strictObject({
  name: z.string(),
  /** Relative to the repository's root. */
  dir: z.string(),
  run: z.array(z.string()),
  launch: LaunchSchema,
  /** In the configuration's order, as far as they were asked. */
  scenarios: z.array(TriedScenarioSchema),
  /** Paths that were asked for beside them. */
  asked: z.array(
    z.strictObject({
      path: z.string(),
      status: z.int().nullable(),
      contentType: z.string().nullable().optional(),
      /** Of its body. Absent: there was no answer. */
      bytes: z.int().min(0).optional(),
      /** The answer, where that is JSON; absent: it is not. */
      json: z.unknown().optional(),
    }),
  ),
});
export type TriedService = z.infer<typeof TriedServiceSchema>;

export const TryResultSchema = z.strictObject({
  schema: z.literal("tailgate.try.v1"),
  services: z.array(TriedServiceSchema),
});
export type TryResult = z.infer<typeof TryResultSchema>;

export interface TryOptions {
  /**
   * Builds the checkout and starts what its services need, as a gate would, and measures rates.
   * Otherwise they are started from the files that lie there.
   */
  build: boolean;
  /** Asked of each service beside its scenarios. */
  paths: readonly string[];
  /** Tried in turn where a service listens on another port than it should. */
  ports: readonly PortVariable[];
  /** Once so many scenarios of a service were answered with 2xx, no more are asked. Null: all are. */
  enough: number | null;
}

/** Whose machine a workflow runs on: GitHub's, or one of the person's own. */
export type Runner = "hosted" | "self-hosted";
/**
 * What `init` is asked for. `run`: build and run every service, otherwise only what starts at once;
 * `print`: nothing is written; `workflow`: null where none is wanted.
 */
export type InitFlags = { run: boolean; print: boolean; workflow: Runner | null };

/** What `init` is given: all that it does beside reading a repository and writing a text. */
export interface InitKernel {
  /** Starts the services of a configuration, whose paths are relative to `root`. */
  tryServices(text: string, root: string, options: TryOptions): Promise<TryResult>;
  /** Fewest minutes for a regression; 0: nothing is gated. Throws where it is no configuration. */
  minutesToAnswer(text: string): number;
  /** Tells whoever looks on. */
  note(line: string): void;
}
