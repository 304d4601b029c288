// Scenarios as tailgate.yml has them.
import { z } from "zod";
import { GENERATORS } from "../../model/config.ts";
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
  wholeMs,
} from "./shapes.ts";

const method = optional(
  z
    .string({ error: "a method such as GET" })
    .regex(/^[A-Z]{1,20}$/, { error: "a method in capitals, such as GET" }),
  "Default: GET, or POST with a body.",
);
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
      headers: optional(textMap("headers"), "Values are text as written. Default: none."),
      body: optional(
        z.string({ error: "text" }),
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
      "Instead of path, a regular expression such as /users/[1-9][0-9]{4}: each request gets a fresh path that matches, drawn at random without a seed: the versions get different ones.",
    ),
    headers: optional(
      textMap("headers"),
      "Added to those that the load generator sends by itself, such as Host. Values are text as written. Default: none.",
    ),
    pathsFile: optional(
      path("a file"),
      "Instead of path: a file with a path on each line, from the repository's root; each request gets one of them, drawn at random without a seed: both versions draw from the same lines, each in its own order.",
    ),
    body: optional(
      z.string({ error: "text" }),
      "Text, sent as UTF-8 and the same in each request. At most one of body, bodyFile, bodiesFile, json. Default: no body.",
    ),
    bodyFile: optional(path("a file"), "A file with the body, from the repository's root."),
    bodiesFile: optional(
      path("a file"),
      "A file with a body on each line, from the repository's root; each request gets one of them, drawn as from pathsFile.",
    ),
    bodyRepeat: optional(
      mappingOf({
        times: integer(1, 1_000_000).describe("How often."),
        before: optional(z.string({ error: "text" }), "Before the first. Default: nothing."),
        between: optional(z.string({ error: "text" }), "Between two of them. Default: nothing."),
        after: optional(z.string({ error: "text" }), "After the last. Default: nothing."),
      }),
      "For large bodies: sends bodyFile so many times over, with text before, between and after. Default: once, as it is.",
    ),
    json,
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
  weight: optional(amount(0.001, 1_000_000), "Share of the rate, over the sum of all. Default 1."),
  request: RequestSourceSchema,
  expect: answerKeys.expect.describe("As of a scenario. Default: the scenario's."),
  answers: answerKeys.answers.describe("As of a scenario. Default: the scenario's."),
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
      duration: optional(
        wholeMs(10, MINUTE),
        "How long one slice takes. Default: as long as 500 requests take, within 500ms and 2s; longer, 12s at most, where fewer than 100 of them would count.",
      ),
      pairs: optional(
        integer(1, 1000),
        "How many slices each build gets in a round. Default: 2; 3 where fewer than 200 requests of a slice count; fewer where these take more than 20s.",
      ),
    }),
    "How long a scenario is loaded in a round.",
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
