// The resolved configuration: tailgate.yml with units parsed and every default filled in. A samples
// file carries it whole.
import * as z from "zod";
import { UserError } from "../base/errors.ts";
import { suggestOneOf } from "../base/nearest.ts";
import { EstimatorSchema, LevelSchema, MetricSchema } from "./metric.ts";
import { positiveInt } from "./number.ts";

const fraction = z.number().min(0).max(10);

/** HTTP/1.1; HTTP/2 without TLS, by prior knowledge; HTTP/2 over TLS. */
export const PROTOCOLS = ["http1", "h2c", "h2"] as const;

/** How a service is spoken to, where that is not HTTP/1.1 over TCP without TLS. */
const TransportSchema = z.strictObject({
  protocol: z.enum(PROTOCOLS),
  /** A unix socket, made for each launch, takes the place of the port. */
  socket: z.boolean(),
  /**
   * `ca`: the signing certificate's file, relative to `dir`; `name`: the server's. Null: no TLS.
   */
  tls: z.strictObject({ ca: z.string(), name: z.string() }).nullable(),
});
export type Transport = z.infer<typeof TransportSchema>;

/** A request that a launch sends once, when it is ready, and what is taken from the answer. */
const BeforeRequestSchema = z.strictObject({
  request: z.strictObject({
    method: z.string(),
    path: z.string(),
    headers: z.record(z.string(), z.string()),
    /** Text, sent as UTF-8, or a file relative to `dir`, read when it is sent; null: none. */
    body: z.union([z.string(), z.strictObject({ file: z.string() })]).nullable(),
  }),
  /** Name -> place in the answer's JSON, such as `user.token` or `items.0.id`. */
  values: z.record(z.string(), z.string()),
});
export type BeforeRequest = z.infer<typeof BeforeRequestSchema>;

export const STOP_SIGNALS = ["SIGTERM", "SIGINT", "SIGQUIT"] as const;

/**
 * How one service is built, started, known to be ready, and stopped; each arm uses its own
 * commit's.
 */
const RecipeSchema = z.strictObject({
  /** Folder of the service, relative to the repository's root, `/`-separated, no `..`. */
  dir: z.string(),
  /** argv run in `dir` to build; empty: nothing to build. Never passed through a shell. */
  build: z.array(z.string()),
  /** Dependencies that run during the build, and variables that say where. Absent: none. */
  buildBeside: z
    .strictObject({ needs: z.array(z.string()).min(1), env: z.record(z.string(), z.string()) })
    .optional(),
  /** Patterns of the only files that build and process see. Absent: the whole repository. */
  inputs: z.array(z.string()).optional(),
  /** The file that the build makes, relative to `dir`; null: `run` needs only the folder. */
  artifact: z.string().nullable(),
  /** argv to start it; `{artifact}`, `{dir}` and `{port}` are replaced. */
  run: z.array(z.string()).min(1),
  /** Added to a minimal environment (PATH, HOME, LANG); `{port}` is replaced. */
  env: z.record(z.string(), z.string()),
  ready: z.discriminatedUnion("kind", [
    /** 2xx on GET of this path. */
    z.strictObject({
      kind: z.literal("http"),
      path: z.string(),
      headers: z.record(z.string(), z.string()).optional(),
      timeoutMs: positiveInt,
    }),
    /** The port accepts a connection. */
    z.strictObject({ kind: z.literal("tcp"), timeoutMs: positiveInt }),
    /** A line of standard output or error matches this regular expression. */
    z.strictObject({ kind: z.literal("log"), pattern: z.string(), timeoutMs: positiveInt }),
  ]),
  stop: z.strictObject({ signal: z.enum(STOP_SIGNALS), graceMs: positiveInt }),
  /** Path of a Prometheus text endpoint for GC pauses and heap; null: none. */
  prometheus: z.string().nullable(),
  /** A fixed port, for a service whose port is not configurable; null: a free one for each launch. */
  port: z.int().min(1).max(65535).nullable(),
  /** Absent: HTTP/1.1 over TCP, without TLS. */
  transport: TransportSchema.optional(),
  /**
   * Gives once a launch what `{name}` in requests stands for: argv that prints a JSON object of
   * strings, or a request. Absent: nothing does.
   */
  before: z.union([z.array(z.string()).min(1), BeforeRequestSchema]).optional(),
  /** Names of dependencies; `{name.url}` and the like in `env` are replaced. */
  needs: z.array(z.string()),
});
export type Recipe = z.infer<typeof RecipeSchema>;

/** Level and limits of a metric under one estimator. Fractions: 0.1 is 10 %. */
const MetricPolicySchema = z.strictObject({
  metric: MetricSchema,
  estimator: EstimatorSchema,
  level: LevelSchema,
  /** `pass` means: shown to be less than this much worse. */
  margin: fraction,
  /** The null hypothesis of a regression: changes up to this count as none. */
  tolerance: fraction,
  /** The margin is the closest that a profile shows, at most this one. Absent: it is this one. */
  auto: z.literal(true).optional(),
  /** A proven change smaller than this never fails. */
  floor: fraction,
  /** The same in the metric's own unit (us, ms, bytes, count). */
  absoluteFloor: z.number().min(0),
  /** An absolute limit of the candidate, in that unit, with a level of its own. Absent: none. */
  max: z.strictObject({ value: z.number().positive(), level: LevelSchema }).optional(),
});
export type MetricPolicy = z.infer<typeof MetricPolicySchema>;

/** `sliced`: both arms run at once, the idle one frozen. `alternate`: one arm at a time. */
export const SCHEMES = ["sliced", "alternate"] as const;

const ServiceSchema = z.strictObject({
  name: z.string(),
  recipe: RecipeSchema,
  scheme: z.enum(SCHEMES),
  /** Requests, warm-up included, after which memory is read. Absent: those of the round. */
  memory: z.strictObject({ requests: positiveInt }).optional(),
  /** Metrics of launches that are judged otherwise here than `policy.metrics` says. Absent: none. */
  metrics: z.array(MetricPolicySchema).optional(),
});
export type Service = z.infer<typeof ServiceSchema>;

/** `shared`: both arms use the same data. `separate`: each has a copy, renewed when written to. */
export const ISOLATIONS = ["shared", "separate"] as const;
export const IsolationSchema = z.enum(ISOLATIONS);
export type Isolation = z.infer<typeof IsolationSchema>;

/** What fills a database beside its schema's files, before either arm sees it. */
const SeedSchema = z.discriminatedUnion("kind", [
  /** argv, run in `dir` of each arm's own commit, without a shell. */
  z.strictObject({ kind: z.literal("command"), command: z.array(z.string()).min(1) }),
  /** A service, whose reference build is started until it is ready: for both arms. */
  z.strictObject({ kind: z.literal("service"), service: z.string(), recipe: RecipeSchema }),
]);
export type Seed = z.infer<typeof SeedSchema>;

/** A side process that services need: started once for a run. */
export const DependencySchema = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("postgresql"),
    name: z.string(),
    /** Folder of the schema from the repository's root, in each arm's own commit. */
    dir: z.string(),
    /** SQL files relative to `dir`, run in order by psql into an empty database. */
    schema: z.array(z.string()),
    /** Absent: nothing beside the schema. */
    seed: SeedSchema.optional(),
    /** Absent: separate. */
    isolation: IsolationSchema.optional(),
  }),
  z.strictObject({
    kind: z.literal("redis"),
    name: z.string(),
    /** Folder that a seeding command runs in; absent: there is none. */
    dir: z.string().optional(),
    /** Absent: it begins empty. */
    seed: SeedSchema.optional(),
    /** Absent: separate. */
    isolation: IsolationSchema.optional(),
  }),
  /** Any program, of the candidate's commit. */
  z.strictObject({ kind: z.literal("program"), name: z.string(), recipe: RecipeSchema }),
]);
export type Dependency = z.infer<typeof DependencySchema>;

const LINES = ["paths", "bodies"] as const;

/** Content kept in a file and named by its hash: a samples file does not carry it. */
const BodyFileSchema = z.strictObject({
  /** Relative to the repository's root. */
  path: z.string(),
  /** Of what is sent: hexadecimal, and a count. */
  sha256: z.string(),
  bytes: z.int().min(0),
  /** Sent: `before`, the content `times` times joined by `between`, `after`. Null: the content. */
  repeat: z
    .strictObject({
      times: positiveInt,
      before: z.string(),
      between: z.string(),
      after: z.string(),
    })
    .nullable(),
  /** Each request gets one of its lines, drawn by the generator. Absent: all of it. */
  lines: z.enum(LINES).optional(),
});
export type BodyFile = z.infer<typeof BodyFileSchema>;

export const GENERATORS = ["oha", "wrk2"] as const;
export type Generator = (typeof GENERATORS)[number];

const RequestSchema = z.strictObject({
  method: z.string(),
  /**
   * Path with query; with `pathIsPattern` a regular expression that each request gets a new match
   * of.
   */
  path: z.string(),
  pathIsPattern: z.boolean(),
  headers: z.record(z.string(), z.string()),
  /** The paths, one on each line; `path` is then the file's name. Absent: there is one. */
  paths: BodyFileSchema.optional(),
  /** Text, sent as UTF-8, or a file; null: none. */
  body: z.union([z.string(), BodyFileSchema]).nullable(),
});
export type Request = z.infer<typeof RequestSchema>;

export function filesOf({ paths, body }: Pick<Request, "paths" | "body">): BodyFile[] {
  return [paths ?? null, body].filter((one) => typeof one === "object" && one !== null);
}

/**
 * What both arms' answers share: their status, their content (`same`), or their JSON but for
 * ignored paths.
 */
const AnswersSchema = z.union([
  z.enum(["status", "same"]),
  z.strictObject({ ignore: z.array(z.string()) }),
]);

/** One of the requests that are sent at the same time. */
const PartSchema = z.strictObject({
  name: z.string(),
  /** Its share of the rate is this over the sum of all. */
  weight: z.number().positive(),
  request: RequestSchema,
  expectStatus: z.int().min(100).max(599),
  answers: AnswersSchema.optional(),
});
export type Part = z.infer<typeof PartSchema>;

/** Each is a process of the load generator. */
export const MIX_PARTS = { least: 2, most: 8 };

export const ScenarioSchema = z.strictObject({
  id: z.string(),
  service: z.string(),
  name: z.string(),
  /** Of a mix its first part's. */
  request: RequestSchema,
  /** Several requests instead of one, each with its share of all that follows (see mix.ts). */
  mix: z.array(PartSchema).min(MIX_PARTS.least).max(MIX_PARTS.most).optional(),
  expectStatus: z.int().min(100).max(599),
  answers: AnswersSchema.optional(),
  rateRps: z.number().positive(),
  connections: positiveInt,
  keepAlive: z.boolean(),
  /** A request that takes longer is an error. */
  requestTimeoutMs: positiveInt,
  /** Requests sent to each arm before anything counts. */
  warmupRequests: z.int().min(0),
  slice: z.strictObject({
    durationMs: positiveInt,
    /** Slice pairs in a round: each arm is loaded `pairs` times for `durationMs`. */
    pairs: positiveInt,
  }),
  /** Head of each slice whose requests count in no quantile, at least. Absent: 20 ms. */
  settleMs: positiveInt.optional(),
  generator: z.enum(GENERATORS),
  /** Latency metrics that are judged otherwise here than `policy.metrics` says. */
  metrics: z.array(MetricPolicySchema),
});
export type Scenario = z.infer<typeof ScenarioSchema>;

const PolicySchema = z.strictObject({
  metrics: z.array(MetricPolicySchema),
  /** Chance of a false `regressed` over the whole pull request. */
  alpha: z.number().gt(0).lt(0.5),
  /** Chance that one hypothesis passes while as bad as its margin. */
  beta: z.number().gt(0).lt(0.5),
  /** Goes on after a proven regression until every question is answered. */
  answerAll: z.boolean(),
  /** Ends a run that the host is too noisy to answer within the time budget. Absent: false. */
  giveUp: z.boolean().optional(),
  /** Slow answers are asked of services as a whole too. Absent: not, as before docs/adr/0028. */
  slowOfServices: z.literal(true).optional(),
  /**
   * Of questions whose margin is `auto`, by id; the floor is at most the half. With when the profile
   * was calibrated. Absent: none tells of them.
   */
  autoMargins: z
    .record(z.string(), z.strictObject({ margin: fraction, calibratedAt: z.iso.datetime() }))
    .optional(),
  /** Unexpected statuses and transport errors allowed, as a share of a slice's requests. */
  errorBudget: z.number().min(0).max(1),
  timeBudgetMs: positiveInt,
});
export type Policy = z.infer<typeof PolicySchema>;

/** Of a scenario or a service: `general` with its own in their places. */
export function policiesOf(
  general: readonly MetricPolicy[],
  { metrics = [] }: Pick<Service, "metrics">,
): MetricPolicy[] {
  return general.map(
    (usual) =>
      metrics.find(
        ({ metric, estimator }) => metric === usual.metric && estimator === usual.estimator,
      ) ?? usual,
  );
}

/**
 * More than any honest configuration has; each bounds a product, or a list that somebody will look
 * at. Scenarios are counted once for each service that they load.
 */
export const MOST_ENTRIES = { services: 100, dependencies: 100, scenarios: 500, waivers: 100 };

/**
 * A regression that is accepted for a while: it moves a limit, never what is measured or tested.
 */
export const WaiverSchema = z.strictObject({
  metric: MetricSchema,
  /** Null: every estimate of the metric; see waivesMetric. */
  estimator: EstimatorSchema.nullable(),
  /** Of the metric's absolute limit. Absent: of its change. */
  limit: z.literal(true).optional(),
  /** A scenario's name. Null: every scenario of `service`, or its launches. */
  scenario: z.string().nullable(),
  /** Null only with a scenario. */
  service: z.string().nullable(),
  /** A fraction: 0.15 accepts whatever is shown to be less than 15 % worse. */
  upTo: z.number().gt(0).max(10),
  /** Foreign text. */
  reason: z.string(),
  /** Foreign text. */
  owner: z.string(),
  /** The last day on which it counts, UTC: `2026-12-31`. */
  expires: z.iso.date(),
});
export type Waiver = z.infer<typeof WaiverSchema>;

/**
 * A tail that is accepted to be slower is slower at its end too: p99 covers the slowest answers. And
 * memory that is there after load was there at the peak.
 */
const COVERED: Readonly<Partial<Record<MetricPolicy["metric"], MetricPolicy["metric"]>>> = {
  p99: "slow",
  rss: "rssPeak",
};

export function waivesMetric(
  waiver: Pick<Waiver, "metric" | "estimator">,
  { metric, estimator }: Pick<MetricPolicy, "metric" | "estimator">,
): boolean {
  if (waiver.metric === metric) return [null, estimator].includes(waiver.estimator);
  return waiver.estimator !== "pooled" && COVERED[waiver.metric] === metric;
}

export const COMPARE_MODES = ["auto", "base", "replay", "stored"] as const;
export type CompareMode = (typeof COMPARE_MODES)[number];

/** What turns a throughput into hosts and money: assumptions, never measured. */
export const CostParametersSchema = z.strictObject({
  /** Requests a day, one row of the table for each. */
  requestsPerDay: z.array(z.number().positive()).min(1),
  /** Rate at the busiest time over the mean rate of the day. */
  peakFactor: z.number().min(1),
  /** Share of a core's time that may be used at the peak. */
  utilisation: z.number().gt(0).max(1),
  coresPerHost: z.number().positive(),
  /** Of one host for a month, in any currency. */
  hostPrice: z.number().min(0),
});
export type CostParameters = z.infer<typeof CostParametersSchema>;

export const ConfigSchema = z.strictObject({
  services: z.array(ServiceSchema).min(1),
  dependencies: z.array(DependencySchema),
  scenarios: z.array(ScenarioSchema).min(1),
  policy: PolicySchema,
  /** No two cover the same question. */
  waivers: z.array(WaiverSchema),
  compare: z.enum(COMPARE_MODES),
  /** null: chosen at the start of a run and written into the samples. */
  seed: z.int().min(0).max(0xffffffff).nullable(),
  runner: z.strictObject({
    /** Names the series of baselines: machines of one class are interchangeable. */
    class: z.string(),
    /** CPU numbers; null: planned from the host. */
    cpus: z
      .strictObject({ service: z.array(z.int()).min(1), generator: z.array(z.int()).min(1) })
      .nullable(),
    /** Whether measured CPUs are kept from halting; absent: on virtual machines. */
    keepAwake: z.boolean().optional(),
    /** Whether a red verdict is explained by profiles; absent: it is. */
    explain: z.boolean().optional(),
  }),
  baselines: z.strictObject({ dir: z.string(), maxAgeDays: positiveInt }),
  cost: CostParametersSchema.optional(),
});
export type Config = z.infer<typeof ConfigSchema>;

export function serviceNamed({ services }: Pick<Config, "services">, name: string): Service {
  const found = services.find((service) => service.name === name);
  if (found !== undefined) return found;
  const known = services.map((service) => service.name);
  const next = suggestOneOf(name, known);
  throw new UserError(`the configuration has no service ${name}`, { next });
}

export function onlyServices(config: Config, names: readonly string[]): Config {
  for (const name of names) serviceNamed(config, name);
  return {
    ...config,
    services: config.services.filter(({ name }) => names.includes(name)),
    scenarios: config.scenarios.filter(({ service }) => names.includes(service)),
  };
}
