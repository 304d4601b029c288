// Scenarios as tailgate.yml has them.
import * as z from "zod";
import { GENERATORS, MIX_PARTS } from "../../model/config.ts";
import { DEFAULTS_IN_WORDS } from "../default-load.ts";
import { RATE } from "../units.ts";
import { ScenarioMetricsSourceSchema } from "./metrics.ts";
import {
  amount,
  either,
  integer,
  list,
  MINUTE,
  mapping,
  mappingOf,
  named,
  ofPath,
  optional,
  path,
  quantity,
  text,
  textMap,
  urlPath,
  usual,
  wholeMs,
} from "./shapes.ts";

const method = optional(
  z
    .string({ error: "a method such as GET" })
    .regex(/^[A-Z]{1,20}$/, { error: "a method in capitals, such as GET" }),
  "Default: GET, or POST with a body.",
);
const anyText = z.string({ error: "text" });
const json = optional(
  z.json({ error: "a JSON value" }),
  "A body as YAML, sent as JSON; its content type is application/json.",
);

/** A request that is sent once. */
export const OneRequestSourceSchema = either(
  "a request such as POST /login, or a mapping with path",
  [
    text("a request such as POST /login"),
    mapping("a mapping with path", {
      method,
      path: ofPath("a path such as /login").describe("Path with its query."),
      headers: usual(textMap("headers"), {}, "Values are text as written.", "none"),
      body: optional(
        anyText,
        "Text, sent as UTF-8. At most one of body, bodyFile, json. Default: no body.",
      ),
      bodyFile: optional(
        path("a file"),
        "A file with the body, relative to dir, in each version's own checkout.",
      ),
      json,
    }),
  ],
);
export type OneRequestSource = z.infer<typeof OneRequestSourceSchema>;

const RequestSourceSchema = either("a request such as GET /hello, or a mapping with path", [
  text("a request such as GET /hello"),
  mapping("a mapping with path", {
    method,
    path: optional(urlPath, "Path with its query, such as /users?limit=10."),
    pathPattern: optional(
      ofPath("a regular expression that starts with /"),
      "Instead of path, a regular expression such as /users/[1-9][0-9]{4}: each request gets a fresh path that matches, so both versions get different ones.",
    ),
    headers: usual(
      textMap("headers"),
      {},
      "Added to those of the load generator. Most clients send accept-encoding: gzip; without it no answer is compressed.",
      "none",
    ),
    pathsFile: optional(
      path("a file"),
      "Instead of path: a file, from the repository's root, with a path on each line; each request gets one at random, in each version in another order.",
    ),
    body: optional(
      anyText,
      "Text, sent as UTF-8 and the same in each request. At most one of body, bodyFile, bodiesFile, json. Default: no body.",
    ),
    bodyFile: optional(path("a file"), "A file with the body, from the repository's root."),
    bodiesFile: optional(path("a file"), "A file with a body on each line, used as pathsFile is."),
    bodyRepeat: optional(
      mappingOf({
        times: integer(1, 1_000_000).describe("How often."),
        before: usual(anyText, "", "Before the first.", "nothing"),
        between: usual(anyText, "", "Between two of them.", "nothing"),
        after: usual(anyText, "", "After the last.", "nothing"),
      }),
      "For large bodies, {times, before, between, after}: sends bodyFile so many times over, with text before, between and after. Default: once.",
    ),
    json,
  }),
]);

export type RequestSource = z.infer<typeof RequestSourceSchema>;

const status = integer(100, 599);
const answers = either("status, same, json, or a mapping with ignore", [
  z.enum(["status", "same", "json"], { error: "status, same, json, or a mapping with ignore" }),
  mapping("a mapping with ignore", {
    ignore: list(
      text("a path such as items.*.createdAt").regex(/^[^.]+(\.[^.]+)*$/, {
        error: "a path such as items.*.createdAt",
      }),
      "a list of paths",
    ).describe("Of keys and of places from 0; * is any of them."),
  }),
]);

const WEIGHT = 1;
const PartSourceSchema = mapping("a mapping with request", {
  weight: usual(amount(0.001, 1_000_000), WEIGHT, "Share of the rate, over the sum of all."),
  request: RequestSourceSchema,
  expect: optional(status, "As of a scenario. Default: the scenario's."),
  answers: optional(answers, "As of a scenario. Default: the scenario's."),
});
export type PartSource = z.infer<typeof PartSourceSchema>;

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
    `Instead of request: ${MIX_PARTS.least} to ${MIX_PARTS.most} requests by name, sent at the same time, each with request, weight (its share of the rate, over the sum of all; default ${WEIGHT}), and expect and answers where they differ.`,
  ),
  expect: usual(status, 200, "Status that every answer must have."),
  answers: optional(
    answers,
    "What the answers of both builds must share: their status (default); same: their content too; json: the same, keys in any order; {ignore: [requestId, items.*.createdAt]}: as json, without these, where * is any key or place.",
  ),
  rate: quantity(RATE, { least: 0.1, most: 1_000_000 }).describe(
    "Requests a second, such as 500/s, sent at even distances. Take production's, and at most 60 % of what one core sustains.",
  ),
  connections: optional(
    integer(1, 100_000),
    `How many are open at once. Default: ${DEFAULTS_IN_WORDS.connections}.`,
  ),
  keepAlive: usual(
    z.boolean({ error: "true or false" }),
    true,
    "true: connections are kept. false: each request opens one.",
  ),
  timeout: usual(wholeMs(1, 10 * MINUTE), "5s", "A request that takes longer is an error."),
  warmup: optional(
    integer(0, 10_000_000),
    `How many requests each launch gets before anything counts, as fast as they are answered; what compiles as it runs (JVM, .NET, PyPy) needs thousands. Default: ${DEFAULTS_IN_WORDS.warmup}.`,
  ),
  slice: optional(
    mappingOf({
      duration: optional(
        wholeMs(10, MINUTE),
        `How long one slice takes. Default: ${DEFAULTS_IN_WORDS.duration}.`,
      ),
      pairs: optional(
        integer(1, 1000),
        `How many slices each build gets in a round. Default: ${DEFAULTS_IN_WORDS.pairs}.`,
      ),
    }),
    "How long a scenario is loaded in a round.",
  ),
  generator: usual(
    z.enum(GENERATORS, { error: "oha or wrk2" }),
    "oha",
    "oha, or wrk2, which must be on PATH: its slices are whole seconds, and every latency is 1 ms more or less.",
  ),
  metrics: optional(
    ScenarioMetricsSourceSchema,
    "Changes to what is gated here; what is not given is as for all scenarios.",
  ),
});
export type ScenarioSource = z.infer<typeof ScenarioSourceSchema>;
