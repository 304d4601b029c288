// tailgate.yml as people write it: every key, its shape and its words. Values keep the units they were written with;
// resolve.ts gives them meaning and checks what needs more than one value. The JSON schema for editors comes from here.
import { z } from "zod";
import { COMPARE_MODES, GENERATORS } from "../model/config.ts";
import {
  type Estimator,
  LATENCY_METRICS,
  METRIC_FACTS,
  type Metric,
  SERVICE_METRICS,
} from "../model/metric.ts";
import { DURATION, INCREASE, PERCENTAGE, type Quantity, RATE, SIZE } from "./units.ts";

/** Names become file names, identifiers in reports and parts of artifact names. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** A quantity in words, given on to resolve.ts in base units; `least` and `most` are inclusive and in base units. */
function quantity(kind: Quantity, range: { least?: number; most?: number; step?: number } = {}) {
  const { least = 0, most = Number.MAX_SAFE_INTEGER, step } = range;
  const limits =
    most === Number.MAX_SAFE_INTEGER
      ? least > 0
        ? `, at least ${kind.format(least)}`
        : ""
      : `, from ${kind.format(least)} to ${kind.format(most)}`;
  const expected = `${kind.expected}${limits}`;
  return z
    .string({ error: expected })
    .transform((text, context) => {
      const parsed = kind.parse(text);
      const within = parsed.ok && parsed.value >= least && parsed.value <= most;
      const whole = parsed.ok && (step === undefined || Number.isInteger(parsed.value / step));
      if (within && whole) return parsed.value;
      const grain = within && step !== undefined ? `, in steps of ${kind.format(step)}` : "";
      context.addIssue({ code: "custom", message: expected + grain, input: text });
      return z.NEVER;
    })
    .meta({ pattern: kind.pattern });
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const wholeMs = (least: number, most: number) => quantity(DURATION, { least, most, step: 1 });

function integer(least: number, most: number) {
  const error = `a whole number from ${least} to ${most}`;
  return z.int({ error }).min(least, { error }).max(most, { error });
}

function text(what: string) {
  return z.string({ error: what }).min(1, { error: what });
}

const path = (what: string) => text(`${what}, relative, such as services/api`);
const list = <T extends z.ZodType>(item: T, what: string) =>
  z.array(item, { error: what }).min(1, { error: what });

const command = z.union([text("a command"), list(z.string({ error: "text" }), "a list of words")], {
  error: "a command on one line, or a list of its words",
});

const plain = z.union([z.string(), z.number(), z.boolean()], { error: "text" });
const textMap = (what: string) => z.record(z.string(), plain, { error: `a mapping of ${what}` });

const urlPath = z
  .string({ error: "a path such as /healthz" })
  .regex(/^\/[\x21-\x7e]*$/, { error: "a path that starts with / and holds no spaces" });

function mapping<T extends z.ZodRawShape>(shape: T, what: string) {
  return z.strictObject(shape, { error: what });
}

const ReadySourceSchema = z.union(
  [
    urlPath,
    mapping(
      {
        http: urlPath.optional().describe("Ready when GET of this path answers 200."),
        tcp: z.literal(true, { error: "true" }).optional().describe("Ready when the port accepts."),
        log: text("a regular expression")
          .optional()
          .describe("Ready when a line of standard output matches."),
        timeout: wholeMs(1, HOUR).optional().describe("Default 30s."),
      },
      "a mapping with one of http, tcp, log",
    ),
  ],
  { error: "a path such as /healthz, or a mapping with one of http, tcp, log" },
);

/** How any program is built and run: a service, or a dependency of the kind `program`. */
const programKeys = {
  dir: path("a folder").optional().describe("Folder of the service. Default: the root."),
  build: command.optional().describe("Run in dir, without a shell."),
  artifact: path("a file")
    .optional()
    .describe(
      "What the build makes, relative to dir. It alone is kept: what else a build leaves beside it is absent when the artifact was built before.",
    ),
  run: command
    .optional()
    .describe('{artifact}, {dir} and {port} are replaced. Default: "{artifact}".'),
  env: textMap("variables")
    .optional()
    .describe("Added to a minimal environment; {port} is replaced."),
  ready: ReadySourceSchema.optional().describe("Default: {tcp: true}."),
  stop: mapping(
    {
      signal: z
        .enum(["SIGTERM", "SIGINT", "SIGQUIT"], { error: "SIGTERM, SIGINT or SIGQUIT" })
        .optional(),
      grace: wholeMs(1, 10 * MINUTE).optional(),
    },
    "a mapping with signal, grace",
  )
    .optional()
    .describe("Default: SIGTERM, and SIGKILL after 5s."),
};

export const ServiceSourceSchema = mapping(
  {
    ...programKeys,
    variantOf: text("the name of a service")
      .optional()
      .describe("Takes over all that is not given here; env is merged."),
    needs: list(text("the name of a dependency"), "a list of dependencies")
      .optional()
      .describe("Dependencies that must run; env may hold {name.url}, {name.host}, {name.port}."),
    prometheus: urlPath.optional().describe("Path of a Prometheus text endpoint."),
    port: integer(1, 65535).optional().describe("Fixed port; needs scheme: alternate."),
    scheme: z
      .enum(["sliced", "alternate"], { error: "sliced or alternate" })
      .optional()
      .describe("sliced (default): both versions run at once. alternate: one after the other."),
  },
  "a mapping that describes a service",
);
export type ServiceSource = z.infer<typeof ServiceSourceSchema>;

export const DependencySourceSchema = z.discriminatedUnion(
  "kind",
  [
    mapping(
      {
        kind: z.literal("postgresql"),
        dir: path("a folder").optional().describe("Folder of the schema. Default: the root."),
        schema: z
          .union([path("a file"), list(path("a file"), "a list of files")], {
            error: "a file of SQL, or a list of them",
          })
          .optional()
          .describe("Run by psql, in order, into an empty database; relative to dir."),
      },
      "a mapping with kind, dir, schema",
    ),
    mapping({ kind: z.literal("redis") }, "a mapping with kind"),
    mapping({ kind: z.literal("program"), ...programKeys }, "a mapping that describes a program"),
  ],
  { error: "a mapping with kind: postgresql, redis or program" },
);
export type DependencySource = z.infer<typeof DependencySourceSchema>;

const RequestSourceSchema = z.union(
  [
    text("a request such as GET /hello"),
    mapping(
      {
        method: z
          .string({ error: "a method such as GET" })
          .regex(/^[A-Z]{1,20}$/, { error: "a method in capitals, such as GET" })
          .optional()
          .describe("Default: GET, or POST with a body."),
        path: urlPath.optional(),
        pathPattern: z
          .string({ error: "a regular expression that starts with /" })
          .regex(/^\/[\x21-\x7e]*$/, { error: "a regular expression that starts with /" })
          .optional()
          .describe("Instead of path: each request gets a fresh path that matches."),
        headers: textMap("headers").optional(),
        body: z.string({ error: "text" }).optional(),
        bodyFile: path("a file").optional().describe("Relative to the repository's root."),
        bodyRepeat: mapping(
          {
            times: integer(1, 1_000_000),
            before: z.string({ error: "text" }).optional(),
            between: z.string({ error: "text" }).optional(),
            after: z.string({ error: "text" }).optional(),
          },
          "a mapping with times, before, between, after",
        )
          .optional()
          .describe("Sends bodyFile so many times over, with text before, between and after."),
        json: z.json({ error: "a JSON value" }).optional(),
      },
      "a mapping with path",
    ),
  ],
  { error: "a request such as GET /hello, or a mapping with path" },
);

const fraction = quantity(PERCENTAGE, { most: 10 });

function metricSource(metric: Metric) {
  const facts = METRIC_FACTS[metric];
  const byUnit = {
    us: quantity(DURATION).transform((ms) => ms * 1000),
    ms: quantity(DURATION),
    bytes: quantity(SIZE),
    count: z.number({ error: "a number" }).min(0, { error: "a number from 0" }),
  };
  return mapping(
    {
      level: z.enum(["gate", "warn", "info"], { error: "gate, warn or info" }).optional(),
      promise: fraction.optional().describe("pass means: shown to be less than this much worse."),
      tolerance: fraction.optional().describe("What nobody is blamed for."),
      floor: fraction.optional().describe("A proven change smaller than this never fails."),
      absoluteFloor: byUnit[facts.unit].optional().describe("The same in the metric's own unit."),
    },
    "a mapping with level, promise, tolerance, floor, absoluteFloor",
  ).describe(facts.label);
}
export type MetricSource = z.infer<ReturnType<typeof metricSource>>;

/** What can be asked of a service: each metric under each estimator that makes sense for it, in the order of reports. */
export const QUESTIONS: readonly { key: string; metric: Metric; estimator: Estimator }[] = [
  ...LATENCY_METRICS.flatMap((metric) => {
    const pooled = { key: `${metric}.pooled`, metric, estimator: "pooled" as const };
    // The largest of a slice is no quantile that slices could agree on.
    return metric === "max"
      ? [{ ...pooled, key: metric }]
      : [{ key: metric, metric, estimator: "typical" as const }, pooled];
  }),
  ...SERVICE_METRICS.map((metric) => ({ key: metric, metric, estimator: "launch" as const })),
];

const MetricsSourceSchema = mapping(
  Object.fromEntries(QUESTIONS.map(({ key, metric }) => [key, metricSource(metric).optional()])),
  "a mapping of metrics",
);

/** What one scenario may set apart: its latency; the others are a service's. */
const ScenarioMetricsSourceSchema = mapping(
  Object.fromEntries(
    QUESTIONS.filter(({ estimator }) => estimator !== "launch").map(({ key, metric }) => [
      key,
      metricSource(metric).optional(),
    ]),
  ),
  "a mapping of latency metrics",
);

export const ScenarioSourceSchema = mapping(
  {
    services: list(text("the name of a service"), "a list of services")
      .optional()
      .describe("Default: all."),
    request: RequestSourceSchema,
    expect: integer(100, 599).optional().describe("Status of every answer. Default 200."),
    rate: quantity(RATE, { least: 0.1, most: 1_000_000 }).describe("Requests a second, held."),
    connections: integer(1, 100_000).optional().describe("Default 16."),
    keepAlive: z.boolean({ error: "true or false" }).optional().describe("Default true."),
    timeout: wholeMs(1, 10 * MINUTE)
      .optional()
      .describe("Slower requests are errors. Default 5s."),
    warmup: integer(0, 10_000_000)
      .optional()
      .describe("Requests before anything counts. Default: half a second of them."),
    slice: mapping(
      {
        duration: wholeMs(10, MINUTE).optional(),
        pairs: integer(1, 1000).optional(),
      },
      "a mapping with duration, pairs",
    )
      .optional()
      .describe("Default: 8 pairs, as long as 1,000 requests take, within 250ms and 4s."),
    generator: z
      .enum(GENERATORS, { error: "oha or wrk2" })
      .optional()
      .describe(
        "oha (default), or a wrk2 that is on PATH: whole-second slices, 1 ms more or less in every latency.",
      ),
    metrics: ScenarioMetricsSourceSchema.optional().describe(
      "Changes to what is gated here; what is not given is as for all scenarios.",
    ),
  },
  "a mapping that describes a scenario",
);
export type ScenarioSource = z.infer<typeof ScenarioSourceSchema>;

const PolicySourceSchema = mapping(
  {
    alpha: quantity(PERCENTAGE, { least: 0.000001, most: 0.49 })
      .optional()
      .describe("Chance of a false alarm over the whole pull request. Default 1%."),
    beta: quantity(PERCENTAGE, { least: 0.000001, most: 0.49 })
      .optional()
      .describe("Chance that one question passes while as bad as its promise. Default 5%."),
    looks: list(integer(1, 10_000), "a list of numbers of rounds")
      .optional()
      .describe("Numbers of rounds after which to judge. Default 8, 12, 16, 20, 28, 40, 60."),
    timeBudget: wholeMs(SECOND, DAY).optional().describe("Default 15m."),
    errorBudget: quantity(PERCENTAGE, { most: 1 })
      .optional()
      .describe("Share of a slice's requests that may fail. Default 0%."),
    maxVoid: quantity(PERCENTAGE, { most: 1 })
      .optional()
      .describe("More slices than this that the host made void end as invalid. Default 20%."),
  },
  "a mapping that describes the policy",
);

/** Metrics as they are named under `metrics`; a plain name stands for every estimate of it. */
const WAIVABLE = QUESTIONS.map(({ key }) => key);

const WaiverSourceSchema = mapping(
  {
    metric: z
      .enum(WAIVABLE, { error: "a metric such as p99, p99.pooled or rss" })
      .describe("p99 covers the typical and the pooled one, p99.pooled only that."),
    scenario: text("the name of a scenario").optional().describe("Default: all of the service."),
    service: text("the name of a service").optional().describe("Default: all the scenario loads."),
    upTo: quantity(INCREASE, { least: 0.001, most: 10 }).describe(
      "Accepts what is shown to be less than this much worse.",
    ),
    reason: text("why it is accepted")
      .regex(/\S/, { error: "why it is accepted" })
      .max(500, { error: "at most 500 characters" }),
    owner: text("who answers for it")
      .regex(/\S/, { error: "who answers for it" })
      .max(100, { error: "at most 100 characters" }),
    expires: z.iso
      .date({ error: "a date such as 2026-12-31" })
      .describe("The last day on which it counts, UTC; afterwards the gate fails."),
  },
  "a mapping with metric, scenario or service, upTo, reason, owner, expires",
);
export type WaiverSource = z.infer<typeof WaiverSourceSchema>;

const cpuList = list(integer(0, 4095), "a list of CPU numbers");

/** Keys of `services` and `scenarios`. */
const NameSchema = z.string().regex(NAME, {
  error: "a name of letters, digits, dot, dash and underscore that starts with a letter or digit",
});
const named = <T extends z.ZodType>(entry: T, what: string) =>
  z.record(NameSchema, entry, { error: `a mapping of ${what} by name` });

function amount(least: number, most: number) {
  const error = `a number from ${least} to ${most}`;
  return z.number({ error }).min(least, { error }).max(most, { error });
}

const CostSourceSchema = mapping(
  {
    requestsPerDay: list(amount(1, 1e15), "a list of numbers of requests")
      .optional()
      .describe("Rows of the table. Default 1000000, 1000000000."),
    peakFactor: amount(1, 1000).optional().describe("Busiest rate over the day's mean. Default 3."),
    utilisation: quantity(PERCENTAGE, { least: 0.01, most: 1 })
      .optional()
      .describe("Share of a core that may be used at the peak. Default 60%."),
    coresPerHost: amount(0.01, 10_000).optional().describe("Default 8."),
    hostPrice: amount(0, 1e9).optional().describe("Of one host for a month. Default 35."),
  },
  "a mapping with requestsPerDay, peakFactor, utilisation, coresPerHost, hostPrice",
);

export const SourceSchema = mapping(
  {
    version: z.literal(1, { error: "1" }),
    services: named(ServiceSourceSchema, "services"),
    dependencies: named(DependencySourceSchema, "dependencies")
      .optional()
      .describe("Side processes that the gate starts once for a run."),
    scenarios: named(ScenarioSourceSchema, "scenarios"),
    metrics: MetricsSourceSchema.optional().describe("Changes to what is gated, and how strictly."),
    policy: PolicySourceSchema.optional(),
    waivers: z
      .array(WaiverSourceSchema, { error: "a list of waivers" })
      .optional()
      .describe("Regressions that are accepted for a while."),
    compare: z
      .enum(COMPARE_MODES, { error: COMPARE_MODES.join(", ") })
      .optional()
      .describe("What to compare with. Default auto."),
    seed: integer(0, 0xffffffff).optional().describe("Default: another one each run."),
    runner: mapping(
      {
        class: text("a name").regex(NAME, { error: "a name such as c6i-metal" }).optional(),
        cpus: mapping({ service: cpuList, generator: cpuList }, "a mapping with service, generator")
          .optional()
          .describe("Default: planned from the machine."),
        keepAwake: z
          .boolean({ error: "true or false" })
          .optional()
          .describe(
            "Keeps the measured CPUs from halting while a run measures. Default: on virtual machines.",
          ),
      },
      "a mapping with class, cpus, keepAwake",
    ).optional(),
    baselines: mapping(
      {
        dir: path("a folder").optional(),
        maxAge: quantity(DURATION, { least: DAY, most: 3650 * DAY, step: DAY }).optional(),
      },
      "a mapping with dir, maxAge",
    ).optional(),
    cost: CostSourceSchema.optional().describe(
      "What `tailgate capacity` makes hosts and money with.",
    ),
  },
  "a mapping with version, services, scenarios",
);
export type Source = z.infer<typeof SourceSchema>;
