// Services and dependencies as tailgate.yml has them: how each program is built and run.
import * as z from "zod";
import { ISOLATIONS, PROTOCOLS, SCHEMES, STOP_SIGNALS } from "../../model/config.ts";
import { VALUE_NAME } from "../parse-values.ts";
import { ServiceMetricsSourceSchema } from "./metrics.ts";
import { OneRequestSourceSchema } from "./scenario.ts";
import {
  command,
  either,
  HOUR,
  integer,
  list,
  MINUTE,
  mapping,
  mappingOf,
  optional,
  path,
  section,
  text,
  textMap,
  urlPath,
  usual,
  wholeMs,
  words,
} from "./shapes.ts";

const ReadyMappingSchema = mapping("a mapping with one of http, tcp, log", {
  http: optional(urlPath, "Ready when GET of this path answers 2xx."),
  tcp: optional(z.literal(true, { error: "true" }), "Ready when the port accepts connections."),
  log: optional(
    text("a regular expression"),
    "Ready when a line of its output matches, colours aside.",
  ),
  headers: optional(textMap("headers"), "Sent with http, such as Host. Default: none."),
  timeout: usual(
    wholeMs(1, HOUR),
    "30s",
    "How long a start may take, and how long after it a first answer may be 503, 429 or none; a JVM may need more.",
  ),
});
const ReadySourceSchema = either(
  "a path such as /healthz, or a mapping with one of http, tcp, log",
  [urlPath.transform((http) => ReadyMappingSchema.parse({ http })), ReadyMappingSchema],
);

const FOLDER = "Folder of its commands and files, from the repository's root.";
const folder = usual(path("a folder"), ".", FOLDER, "the root");

/** What `run` is where it is not given. */
export const DEFAULT_RUN = "{artifact}";

/** How any program is built and run: a service, or a dependency of the kind `program`. */
const programKeys = {
  dir: folder,
  build: optional(
    command,
    'Command that makes the artifact, in dir, without a shell: write [sh, -c, "a && b"] for one. Default: nothing is built.',
  ),
  inputs: optional(
    list(text("a path from the repository's root"), "a list of paths"),
    "What it is made of, such as [services/api, libs]: paths from the repository's root, with *, ** and ?; ! takes files out again, and the last that matches decides. Build and process see nothing else. Default: the whole repository.",
  ),
  artifact: optional(
    path("a file"),
    "The one file that the build makes, relative to dir, such as target/release/api. Default: none; dir itself is run.",
  ),
  run: optional(
    command,
    `Command that starts it, in dir, without a shell. Default: "${DEFAULT_RUN}".`,
  ),
  env: usual(
    textMap("variables"),
    {},
    "Variables, beside PATH, HOME and LANG, which are all that it inherits. Values are text as written: 0123, 1.10 and yes need no quotes.",
    "none",
  ),
  ready: usual(
    ReadySourceSchema,
    { tcp: true },
    "When it has started: a path that then answers 2xx, or a mapping with one of http, tcp, log.",
    "{tcp: true}",
  ),
  stop: section(
    mappingOf({
      signal: usual(
        z.enum(STOP_SIGNALS, { error: "SIGTERM, SIGINT or SIGQUIT" }),
        "SIGTERM",
        "SIGTERM, SIGINT or SIGQUIT, whichever ends it.",
      ),
      grace: usual(wholeMs(1, 10 * MINUTE), "5s", "How long it may take to end; then SIGKILL."),
    }),
  ).describe("How a launch is ended."),
};

const BuildSourceSchema = either(
  "a command on one line, a list of its words, or a mapping with command and needs",
  [
    ...words,
    mappingOf({
      command: command.describe("As build, where that is one command."),
      needs: list(text("the name of a dependency"), "a list of dependencies").describe(
        "Names of databases that run while it is built, as for queries that the compiler checks; each with the schema and seed of its commit.",
      ),
      env: usual(
        textMap("variables"),
        {},
        "Added to the build's environment; may hold what env holds of a dependency.",
        "none",
      ),
    }),
  ],
);

const BeforeSourceSchema = either(
  "a command on one line, a list of its words, or a mapping with request and values",
  [
    ...words,
    mappingOf({
      request: OneRequestSourceSchema.describe(
        "Sent to the service: one line, such as POST /login, or a mapping. A 2xx with JSON is expected.",
      ),
      values: z
        .record(
          z.string().regex(VALUE_NAME, {
            error: "a name of letters, digits and underscores that starts with a letter",
          }),
          text("a place such as user.token").regex(/^[^.]+(\.[^.]+)*$/, {
            error: "a place such as user.token",
          }),
          { error: "a mapping of places by name" },
        )
        .describe(
          "Name of each value, and its place in the answer, such as user.token or items.0.id.",
        ),
    }),
  ],
);

export const ServiceSourceSchema = mapping("a mapping that describes a service", {
  ...programKeys,
  build: optional(
    BuildSourceSchema,
    'Command that makes the artifact, in dir, without a shell: write [sh, -c, "a && b"] for one; or {command, needs, env} where it needs a database. Default: nothing is built.',
  ),
  variantOf: optional(
    text("the name of a service"),
    "For one service under two settings: another one, whose keys count where they are not given here; env is merged. Default: none.",
  ),
  needs: optional(
    list(text("the name of a dependency"), "a list of dependencies"),
    "Names of dependencies that run beside it; env may then hold {name.url} and the like. Default: none.",
  ),
  before: optional(
    BeforeSourceSchema,
    "For a service that wants a login, once for each launch before any load: a mapping with request and values, or a command that prints a JSON object of strings. {name} in a scenario's request stands for a value. Default: none.",
  ),
  prometheus: optional(
    urlPath,
    "Path of a Go service's Prometheus endpoint, such as /metrics, for gcPauseMax, gcCycles, heap and allocPerRequest. Default: these are not measured.",
  ),
  port: optional(
    integer(1, 65535),
    "For a service that cannot be told its port: the one that it listens on. Needs scheme: alternate. Default: a free one, {port}.",
  ),
  protocol: usual(
    z.enum(PROTOCOLS, { error: PROTOCOLS.join(", ") }),
    "http1",
    "http1; h2c: HTTP/2 without TLS, by prior knowledge; h2: HTTP/2 over TLS, needs tls.",
  ),
  tls: optional(
    mappingOf({
      ca: path("a file").describe(
        "Certificate, PEM, that the service's is verified by; relative to dir. The service may make it.",
      ),
      name: usual(
        text("a host name").regex(/^[A-Za-z0-9.-]+$/, { error: "a host name such as localhost" }),
        "localhost",
        "Host name in the service's certificate, and in requests.",
      ),
    }),
    "The service is spoken to over TLS. Default: without.",
  ),
  socket: usual(
    z.boolean({ error: "true or false" }),
    false,
    "true: it listens on the unix socket {socket}, not on a port.",
  ),
  scheme: usual(
    z.enum(SCHEMES, { error: "sliced or alternate" }),
    "sliced",
    "sliced: both versions run at once, and one at a time is loaded. alternate: one after the other in each round, which is noisier, for what cannot run twice on one machine.",
  ),
  memory: optional(
    mappingOf({
      requests: integer(1, 100_000_000).describe(
        "How many requests a launch has had, warm-up included, when its memory is read.",
      ),
    }),
    "When memory is read; {requests: 100000} for slow leaks: after so many of a launch, warm-up included. Default: after those of the slices.",
  ),
  metrics: optional(
    ServiceMetricsSourceSchema,
    "Changes to what is gated of this service's launches, such as rss: { margin: 20% }; what is not given is as for all services.",
  ),
});
export type ServiceSource = z.infer<typeof ServiceSourceSchema>;

const kindOf = <const T extends string>(kind: T) =>
  z.literal(kind).describe("postgresql, redis, or program: any other.");

/** Of what keeps data. */
const dataKeys = {
  seed: optional(
    either("a command, or {by: a service}", [
      ...words,
      mappingOf({
        by: text("the name of a service").describe(
          "Name of a service that makes its own tables: the reference's build is started until it is ready, and stopped. Both versions begin with what it made.",
        ),
      }),
    ]),
    "Fills the database once, after schema: a command, run in dir without a shell, with DATABASE_URL or REDIS_URL; or {by: a service}. Default: nothing does.",
  ),
  isolation: optional(
    z.enum(ISOLATIONS, { error: "shared or separate" }),
    "shared: both versions work on the same data, for what only reads. separate: each has a copy of its own, made anew before a start if anything was written. Default: separate.",
  ),
};

export const DependencySourceSchema = z.discriminatedUnion(
  "kind",
  [
    mappingOf({
      kind: kindOf("postgresql"),
      dir: folder,
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
      dir: optional(path("a folder"), `${FOLDER} Default: the root.`),
      ...dataKeys,
    }),
    mapping("a mapping that describes a program", { kind: kindOf("program"), ...programKeys }),
  ],
  { error: "a mapping with kind: postgresql, redis or program" },
);
export type DependencySource = z.infer<typeof DependencySourceSchema>;
