// tailgate.yml as people write it: every key, its shape and its words. Values keep the units they
// were written with; resolve.ts gives them meaning and checks what needs more than one value. The
// JSON schema for editors comes from here.
import { z } from "zod";
import { COMPARE_MODES, GENERATORS, ISOLATIONS, PROTOCOLS } from "../model/config.ts";
import {
  type Estimator,
  METRIC_FACTS,
  type Metric,
  QUANTILES,
  SERVICE_METRICS,
} from "../model/metric.ts";
import { DURATION, INCREASE, PERCENTAGE, type Quantity, RATE, SIZE } from "./units.ts";

/** Names become file names, identifiers in reports and parts of artifact names. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/**
 * A quantity in words, given on to resolve.ts in base units; `least` and `most` are inclusive and
 * in base units.
 */
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

function amount(least: number, most: number) {
  const error = `a number from ${least} to ${most}`;
  return z.number({ error }).min(least, { error }).max(most, { error });
}

/** Keys of `services`, `scenarios` and `mix`. */
const NameSchema = z.string().regex(NAME, {
  error: "a name of letters, digits, dot, dash and underscore that starts with a letter or digit",
});
const named = <T extends z.ZodType>(entry: T, what: string) =>
  z.record(NameSchema, entry, { error: `a mapping of ${what} by name` });

const path = (what: string) => text(`${what}, relative, such as services/api`);
const list = <T extends z.ZodType>(item: T, what: string) =>
  z.array(item, { error: what }).min(1, { error: what });

const mapping = <T extends z.ZodRawShape>(what: string, shape: T) =>
  z.strictObject(shape, { error: what });
const mappingOf = <T extends z.ZodRawShape>(shape: T) =>
  mapping(`a mapping with ${Object.keys(shape).join(", ")}`, shape);
const either = <const T extends readonly z.ZodType[]>(what: string, options: T) =>
  z.union(options, { error: what });
const optional = <T extends z.ZodType>(schema: T, help: string) => schema.optional().describe(help);

const command = either("a command on one line, or a list of its words", [
  text("a command"),
  list(z.string({ error: "text" }), "a list of words"),
]);

const plain = either("text", [z.string(), z.number(), z.boolean()]);
const textMap = (what: string) => z.record(z.string(), plain, { error: `a mapping of ${what}` });

const ofPath = (what: string, broken = what) =>
  z.string({ error: what }).regex(/^\/[\x21-\x7e]*$/, { error: broken });
const urlPath = ofPath("a path such as /healthz", "a path that starts with / and holds no spaces");

const ReadySourceSchema = either(
  "a path such as /healthz, or a mapping with one of http, tcp, log",
  [
    urlPath,
    mapping("a mapping with one of http, tcp, log", {
      http: optional(urlPath, "Ready when GET of this path answers 200."),
      tcp: optional(z.literal(true, { error: "true" }), "Ready when the port accepts connections."),
      log: optional(text("a regular expression"), "Ready when a line of standard output matches."),
      timeout: optional(
        wholeMs(1, HOUR),
        "How long a start may take. Default 30s. A JVM, or what loads much at its start, may need more.",
      ),
    }),
  ],
);

/** How any program is built and run: a service, or a dependency of the kind `program`. */
const programKeys = {
  dir: optional(
    path("a folder"),
    "Folder that it is built and run in, from the repository's root. Default: the root.",
  ),
  build: optional(
    command,
    'Command that makes the artifact. It runs in dir, without a shell: write [sh, -c, "a && b"] for one. Default: nothing is built.',
  ),
  inputs: optional(
    list(text("a path from the repository's root"), "a list of paths"),
    "For a repository of several services: what this one is made of, such as [services/api, libs]. Paths from the root: a file, a folder with all below it, *, ** and ?; ! takes files out again. Build and process see nothing else, so that a change elsewhere measures nothing. Default: the whole repository is there.",
  ),
  artifact: optional(
    path("a file"),
    "The one file that the build makes, relative to dir, such as target/release/api. It is cached: what else a build leaves in dir is absent when the artifact was built before. Default: none; what is run is dir itself, and a build in it is repeated in each run.",
  ),
  run: optional(
    command,
    'Command that starts it, in dir, without a shell; {artifact}, {dir} and {port} are replaced. Default: "{artifact}".',
  ),
  env: optional(
    textMap("variables"),
    "Variables, beside PATH, HOME and LANG, which are all that it inherits; {port} is replaced. Values are text as written: 0123, 1.10 and yes need no quotes.",
  ),
  ready: optional(
    ReadySourceSchema,
    "When it has started: a path that then answers 200, or a mapping with one of http, tcp, log. Default: {tcp: true}.",
  ),
  stop: optional(
    mappingOf({
      signal: optional(
        z.enum(["SIGTERM", "SIGINT", "SIGQUIT"], { error: "SIGTERM, SIGINT or SIGQUIT" }),
        "SIGTERM (default), SIGINT or SIGQUIT, whichever ends it.",
      ),
      grace: optional(
        wholeMs(1, 10 * MINUTE),
        "How long it may take to end; then SIGKILL. Default 5s, which a service that heeds no signal costs at each stop.",
      ),
    }),
    "How a launch is ended. Default: SIGTERM, and SIGKILL after 5s.",
  ),
};

const BuildSourceSchema = either(
  "a command on one line, a list of its words, or a mapping with command and needs",
  [
    text("a command"),
    list(z.string({ error: "text" }), "a list of words"),
    mappingOf({
      command: command.describe("As build, where that is one command."),
      needs: list(text("the name of a dependency"), "a list of dependencies").describe(
        "Names of databases that run while it is built, as for queries that are checked by the compiler; each with the schema and seed of the commit that is built.",
      ),
      env: optional(
        textMap("variables"),
        "Added to the build's environment; may hold {name.url}, {name.host}, {name.port}.",
      ),
    }),
  ],
);

export const ServiceSourceSchema = mapping("a mapping that describes a service", {
  ...programKeys,
  build: optional(
    BuildSourceSchema,
    'Command that makes the artifact. It runs in dir, without a shell: write [sh, -c, "a && b"] for one. Default: nothing is built. A mapping where it needs a database: {command, needs, env}.',
  ),
  variantOf: optional(
    text("the name of a service"),
    "Name of another service, whose keys count where they are not given here; env is merged. For one service under two settings.",
  ),
  needs: optional(
    list(text("the name of a dependency"), "a list of dependencies"),
    "Names of dependencies that run beside it; env may then hold {name.url}, {name.host}, {name.port}.",
  ),
  before: optional(
    command,
    "For a service that wants a login: a command, run in dir once for each launch, when it is ready and before any load. {artifact}, {dir}, {port} and {socket} are replaced. It prints one JSON object of strings; {name} in path, headers and body of a request stands for the string of that name. Values are shown nowhere.",
  ),
  prometheus: optional(
    urlPath,
    "Path of a Prometheus text endpoint, such as /metrics, for Go services: gcPauseMax, gcCycles, heap and allocPerRequest are read there. Default: they are not measured.",
  ),
  port: optional(
    integer(1, 65535),
    "For a service that cannot be told its port: the one that it listens on. Needs scheme: alternate.",
  ),
  protocol: optional(
    z.enum(PROTOCOLS, { error: PROTOCOLS.join(", ") }),
    "http1 (default); h2c: HTTP/2 without TLS, by prior knowledge; h2: HTTP/2 over TLS, needs tls.",
  ),
  tls: optional(
    mappingOf({
      ca: path("a file").describe(
        "Certificate, PEM, that the service's is verified by; relative to dir. It need not be there before the service is ready.",
      ),
      name: optional(
        text("a host name").regex(/^[A-Za-z0-9.-]+$/, { error: "a host name such as localhost" }),
        "Host name in the service's certificate, and in requests. Default: localhost.",
      ),
    }),
    "The service is spoken to over TLS. Default: without.",
  ),
  socket: optional(
    z.boolean({ error: "true or false" }),
    "true: it listens on a unix socket, whose path {socket} in run or env tells, and not on a port. Default false.",
  ),
  scheme: optional(
    z.enum(["sliced", "alternate"], { error: "sliced or alternate" }),
    "sliced (default): both versions run at once, and one at a time is loaded. alternate: one after the other in each round, which is noisier; for a service that cannot run twice on one machine.",
  ),
  memory: optional(
    mappingOf({
      requests: integer(1, 100_000_000).describe(
        "For leaks that take many requests to show: how many a launch has had, warm-up included, when its memory is read. What the slices leave of them is sent as fast as the service answers, while memory is undecided.",
      ),
    }),
    "When memory is read. Default: after the requests of the slices.",
  ),
});
export type ServiceSource = z.infer<typeof ServiceSourceSchema>;

const kindOf = <const T extends string>(kind: T) =>
  z.literal(kind).describe("postgresql, redis, or program: any other.");

/** Of what keeps data. */
const dataKeys = {
  seed: optional(
    either("a command, or {by: a service}", [
      text("a command"),
      list(z.string({ error: "text" }), "a list of words"),
      mappingOf({
        by: text("the name of a service").describe(
          "Name of a service that makes its own tables when it starts: the reference's build is started until it is ready, and stopped. Both versions begin with what it made.",
        ),
      }),
    ]),
    "Fills the database once, after schema: a command, run in dir without a shell, with DATABASE_URL or REDIS_URL in its environment; or {by: a service}. Default: nothing does.",
  ),
  isolation: optional(
    z.enum(ISOLATIONS, { error: "shared or separate" }),
    "shared: both versions work on the same data. separate: each has a copy of its own, made anew before a start if anything was written. Default of postgresql: separate if a first start and first requests of either version write, else shared; of redis: separate.",
  ),
};

export const DependencySourceSchema = z.discriminatedUnion(
  "kind",
  [
    mappingOf({
      kind: kindOf("postgresql"),
      dir: optional(path("a folder"), "Folder of schema and seed. Default: the root."),
      schema: optional(
        either("a file of SQL, or a list of them", [
          path("a file"),
          list(path("a file"), "a list of files"),
        ]),
        "Files of SQL, relative to dir, run by psql in this order into an empty database. Default: none.",
      ),
      ...dataKeys,
    }),
    mappingOf({
      kind: kindOf("redis"),
      dir: optional(path("a folder"), "Folder of schema and seed. Default: the root."),
      ...dataKeys,
    }),
    mapping("a mapping that describes a program", {
      kind: kindOf("program"),
      ...programKeys,
    }),
  ],
  { error: "a mapping with kind: postgresql, redis or program" },
);
export type DependencySource = z.infer<typeof DependencySourceSchema>;

const RequestSourceSchema = either("a request such as GET /hello, or a mapping with path", [
  text("a request such as GET /hello"),
  mapping("a mapping with path", {
    method: optional(
      z
        .string({ error: "a method such as GET" })
        .regex(/^[A-Z]{1,20}$/, { error: "a method in capitals, such as GET" }),
      "Default: GET, or POST with a body.",
    ),
    path: optional(urlPath, "Path with its query, such as /users?limit=10."),
    pathPattern: optional(
      ofPath("a regular expression that starts with /"),
      "Instead of path, a regular expression such as /users/[1-9][0-9]{4}: each request gets a fresh path that matches.",
    ),
    headers: optional(
      textMap("headers"),
      "Added to those that the load generator sends by itself, such as Host. Values are text as written.",
    ),
    pathsFile: optional(
      path("a file"),
      "Instead of path: a file with a path on each line, from the repository's root; each request gets one of them, drawn at random.",
    ),
    body: optional(
      z.string({ error: "text" }),
      "Text, sent as UTF-8 and the same in each request. At most one of body, bodyFile, bodiesFile, json.",
    ),
    bodyFile: optional(path("a file"), "A file with the body, from the repository's root."),
    bodiesFile: optional(
      path("a file"),
      "A file with a body on each line, from the repository's root; each request gets one of them, drawn at random.",
    ),
    bodyRepeat: optional(
      mappingOf({
        times: integer(1, 1_000_000).describe("How often."),
        before: optional(z.string({ error: "text" }), "Before the first."),
        between: optional(z.string({ error: "text" }), "Between two of them."),
        after: optional(z.string({ error: "text" }), "After the last."),
      }),
      "For large bodies: sends bodyFile so many times over, with text before, between and after.",
    ),
    json: optional(
      z.json({ error: "a JSON value" }),
      "A body as YAML, sent as JSON; its content type is application/json.",
    ),
  }),
]);

export type RequestSource = z.infer<typeof RequestSourceSchema>;

const answerKeys = {
  expect: optional(integer(100, 599), "Status that every answer must have. Default 200."),
  answers: optional(
    either("status, same, json, or a mapping with ignore", [
      z.enum(["status", "same", "json"], {
        error: "status, same, json, or a mapping with ignore",
      }),
      mapping("a mapping with ignore", {
        ignore: list(
          text("a path such as items.*.createdAt").regex(/^[^.]+(\.[^.]+)*$/, {
            error: "a path such as items.*.createdAt",
          }),
          "a list of paths",
        ).describe("Of keys and of places from 0; * is any of them."),
      }),
    ]),
    "What the answers of both builds must share: their status (default); same: their content too; json: what they say as JSON, in any order of keys; {ignore: [requestId, items.*.createdAt]}: the same without these.",
  ),
};

const PartSourceSchema = mapping("a mapping with request", {
  weight: optional(amount(0.001, 1_000_000), "Default 1."),
  request: RequestSourceSchema,
  ...answerKeys,
});
export type PartSource = z.infer<typeof PartSourceSchema>;

const fraction = quantity(PERCENTAGE, { most: 10 });

function metricSource(metric: Metric) {
  const facts = METRIC_FACTS[metric];
  const byUnit = {
    us: quantity(DURATION).transform((ms) => ms * 1000),
    ms: quantity(DURATION),
    bytes: quantity(SIZE),
    count: z.number({ error: "a number" }).min(0, { error: "a number from 0" }),
  };
  return mapping("a mapping with level, margin, tolerance, floor, absoluteFloor", {
    level: optional(
      z.enum(["gate", "warn", "info"], { error: "gate, warn or info" }),
      "gate decides the verdict; warn is judged alike and only reported; info is shown.",
    ),
    margin: optional(
      fraction,
      "Non-inferiority margin, such as 10%: a pass shows that the change is less than this.",
    ),
    promise: optional(fraction, "The former name of margin."),
    tolerance: optional(fraction, "Changes up to this size count as no change; less than margin."),
    floor: optional(
      fraction,
      "A regression that is proven, and estimated at less than this, does not fail; at most margin.",
    ),
    absoluteFloor: optional(
      byUnit[facts.unit],
      "The same in the metric's own unit, such as 50us or 1MiB; the larger of both counts.",
    ),
  }).describe(facts.label);
}
export type MetricSource = z.infer<ReturnType<typeof metricSource>>;

/**
 * What can be asked of a service: each metric under each estimator that makes sense for it, in the
 * order of reports.
 */
export const QUESTIONS: readonly { key: string; metric: Metric; estimator: Estimator }[] = [
  ...QUANTILES.flatMap((metric) => {
    const pooled = { key: `${metric}.pooled`, metric, estimator: "pooled" as const };
    // The largest of a slice is no quantile that slices could agree on.
    return metric === "max"
      ? [{ ...pooled, key: metric }]
      : [{ key: metric, metric, estimator: "typical" as const }, pooled];
  }),
  { key: "slow", metric: "slow", estimator: "windows" },
  ...SERVICE_METRICS.map((metric) => ({ key: metric, metric, estimator: "launch" as const })),
];

const metricsSource = (what: string, questions: typeof QUESTIONS) =>
  mapping(
    what,
    Object.fromEntries(questions.map(({ key, metric }) => [key, metricSource(metric).optional()])),
  );
const MetricsSourceSchema = metricsSource("a mapping of metrics", QUESTIONS);

/** What one scenario may set apart: its latency; the others are a service's. */
const ScenarioMetricsSourceSchema = metricsSource(
  "a mapping of latency metrics",
  QUESTIONS.filter(({ estimator }) => estimator !== "launch"),
);

export const ScenarioSourceSchema = mapping("a mapping that describes a scenario", {
  services: optional(
    list(text("the name of a service"), "a list of services"),
    "Names of the services that get this load. Default: all.",
  ),
  request: optional(
    RequestSourceSchema,
    "One line, such as GET /hello, or a mapping. Each scenario has request or mix.",
  ),
  mix: optional(
    named(PartSourceSchema, "requests"),
    "Instead of request: 2 to 8 requests by name, sent at the same time, each with request, weight (its share of the rate is this over the sum of all; default 1), and expect and answers where they are not the scenario's.",
  ),
  ...answerKeys,
  rate: quantity(RATE, { least: 0.1, most: 1_000_000 }).describe(
    "Requests a second, such as 500/s, sent at even distances whether or not earlier ones were answered. Take production's, and at most 60 % of what one core sustains.",
  ),
  connections: optional(
    integer(1, 100_000),
    "How many are open at once. Default: one for each 4 requests a second, from 4 to 16.",
  ),
  keepAlive: optional(
    z.boolean({ error: "true or false" }),
    "true (default): connections are kept. false: each request opens one.",
  ),
  timeout: optional(
    wholeMs(1, 10 * MINUTE),
    "A request that takes longer is an error. Default 5s.",
  ),
  warmup: optional(
    integer(0, 10_000_000),
    "How many requests each launch gets before anything counts, sent as fast as they are answered. Default: those of 100ms, and two for each connection. A service that compiles as it runs (JVM, .NET, PyPy) needs thousands.",
  ),
  slice: optional(
    mappingOf({
      duration: optional(wholeMs(10, MINUTE), "How long one slice takes."),
      pairs: optional(integer(1, 1000), "How many slices each build gets in a round."),
    }),
    "How long a scenario is loaded in a round. Default duration: as long as 500 requests take, within 500ms and 2s; longer, 12s at most, where fewer than 100 of them would count. Default pairs: 2; 3 where fewer than 200 requests of a slice count; fewer where these take more than 20s.",
  ),
  generator: optional(
    z.enum(GENERATORS, { error: "oha or wrk2" }),
    "oha (default), or wrk2, which must be on PATH: its slices are whole seconds, and every latency is 1 ms more or less.",
  ),
  metrics: optional(
    ScenarioMetricsSourceSchema,
    "Changes to what is gated here; what is not given is as for all scenarios.",
  ),
});
export type ScenarioSource = z.infer<typeof ScenarioSourceSchema>;

const PolicySourceSchema = mapping("a mapping that describes the policy", {
  alpha: optional(
    quantity(PERCENTAGE, { least: 0.000001, most: 0.49 }),
    "Chance of a false alarm over the whole pull request. Default 1%.",
  ),
  beta: optional(
    quantity(PERCENTAGE, { least: 0.000001, most: 0.49 }),
    "Chance that one question passes while as bad as its margin. Default 5%.",
  ),
  answerAll: optional(
    z.boolean({ error: "true or false" }),
    "true: go on after the first proven regression until every question is answered. Default false.",
  ),
  looks: optional(
    z.unknown(),
    "No longer used: every round is judged, and a run ends as soon as all is answered. Remove it.",
  ),
  timeBudget: optional(
    wholeMs(SECOND, DAY),
    "How long a run measures at most, builds aside; what has no answer then is inconclusive. Default 15m.",
  ),
  errorBudget: optional(
    quantity(PERCENTAGE, { most: 1 }),
    "Share of a slice's requests that may fail, such as 0.1%, and the slice still counts. Default 0%.",
  ),
  maxVoid: optional(
    z.unknown(),
    "No longer used: noise of the host discards nothing and makes no run invalid. Remove it.",
  ),
});

/** Metrics as they are named under `metrics`; a plain name stands for every estimate of it. */
const WAIVABLE = QUESTIONS.map(({ key }) => key);

const WaiverSourceSchema = mapping(
  "a mapping with metric, scenario or service, upTo, reason, owner, expires",
  {
    metric: z
      .enum(WAIVABLE, { error: "a metric such as p99, p99.pooled or rss" })
      .describe("p99 covers the typical and the pooled one and slow, p99.pooled only that."),
    scenario: optional(text("the name of a scenario"), "Default: all of the service."),
    service: optional(text("the name of a service"), "Default: all the scenario loads."),
    upTo: quantity(INCREASE, { least: 0.001, most: 10 }).describe(
      "Limit, such as +15%: accepts what is shown to be less than this much worse.",
    ),
    reason: text("why it is accepted")
      .regex(/\S/, { error: "why it is accepted" })
      .max(500, { error: "at most 500 characters" })
      .describe("Why it is accepted; reports show it."),
    owner: text("who answers for it")
      .regex(/\S/, { error: "who answers for it" })
      .max(100, { error: "at most 100 characters" })
      .describe("Who answers for it, such as ann."),
    expires: z.iso
      .date({ error: "a date such as 2026-12-31" })
      .describe("The last day on which it counts, UTC; afterwards the gate fails."),
  },
);
export type WaiverSource = z.infer<typeof WaiverSourceSchema>;

const cpuList = list(integer(0, 4095), "a list of CPU numbers");

const CostSourceSchema = mappingOf({
  requestsPerDay: optional(
    list(amount(1, 1e15), "a list of numbers of requests"),
    "Rows of its table. Default 1000000, 1000000000.",
  ),
  peakFactor: optional(amount(1, 1000), "The busiest rate over the day's mean. Default 3."),
  utilisation: optional(
    quantity(PERCENTAGE, { least: 0.01, most: 1 }),
    "Share of a core that may be used at the peak. Default 60%.",
  ),
  coresPerHost: optional(amount(0.01, 10_000), "Cores of one host. Default 8."),
  hostPrice: optional(amount(0, 1e9), "What one host costs a month, in any currency. Default 35."),
});

export const SourceSchema = mapping("a mapping with version, services, scenarios", {
  version: z.literal(1, { error: "1" }),
  services: named(ServiceSourceSchema, "services"),
  dependencies: optional(
    named(DependencySourceSchema, "dependencies"),
    "Side processes that the gate starts once for a run.",
  ),
  scenarios: named(ScenarioSourceSchema, "scenarios"),
  metrics: optional(MetricsSourceSchema, "Changes to what is gated, and how strictly."),
  policy: PolicySourceSchema.optional(),
  waivers: optional(
    z.array(WaiverSourceSchema, { error: "a list of waivers" }),
    "Regressions that are accepted for a while.",
  ),
  compare: optional(
    z.enum(COMPARE_MODES, { error: COMPARE_MODES.join(", ") }),
    "What to compare with: base, the commit that the change started from; stored, the stored baseline's values; replay, the stored baseline's commit, built again; auto (default), stored values first where they can answer, and base where they do not pass.",
  ),
  seed: optional(
    integer(0, 0xffffffff),
    "Fixes every random choice of a run. Default: another one each run, which the report names.",
  ),
  runner: mappingOf({
    class: optional(
      text("a name").regex(NAME, { error: "a name such as c6i-metal" }),
      "Name of a kind of machine: those of one class share stored baselines and a calibration. Default: default.",
    ),
    cpus: optional(
      mappingOf({
        service: cpuList.describe("Where services run, such as [1]."),
        generator: cpuList.describe("Where the load generator runs, such as [0]."),
      }),
      "Which CPUs are used, by number. Default: planned from the machine.",
    ),
    keepAwake: optional(
      z.boolean({ error: "true or false" }),
      "Keeps the measured CPUs from halting while a run measures. Default: on virtual machines.",
    ),
  }).optional(),
  baselines: mappingOf({
    dir: optional(path("a folder"), "Folder of the stored baselines. Default: baselines."),
    maxAge: optional(
      quantity(DURATION, { least: DAY, most: 3650 * DAY, step: DAY }),
      "Older ones are pointed out in the report. Default 30d.",
    ),
  }).optional(),
  cost: optional(CostSourceSchema, "What `tailgate capacity` makes hosts and money with."),
});
export type Source = z.infer<typeof SourceSchema>;
