// A scenario of several requests, as written and as it is then loaded.
import { expect, test } from "vitest";
import { FIRST, parse, refusal } from "../../../test/support/configurations.ts";
import { BaselineSchema } from "../model/baseline.ts";
import { partsOf } from "../model/mix.ts";
import { baselineKey, workloadHash } from "../model/workload.ts";
import { listHypotheses } from "../verdict/hypotheses.ts";

/** The first configuration with this in place of its request, and lines after it. */
function withMix(mix: string, lines: string[] = []): string {
  const own = lines.map((line) => `\n    ${line}`).join("");
  return FIRST.replace("request: GET /hello", mix).replace("2000/s", `1000/s${own}`);
}

const SHOP =
  "mix: { browse: { weight: 9, request: GET /items }, buy: { request: { path: /buy, json: {} }, expect: 201, answers: json } }";

test("each part has its own request, status and answers, and what else the scenario says", () => {
  const config = parse(withMix(SHOP, ["timeout: 2s", "answers: same"]));
  const [shop] = config.scenarios;
  if (shop === undefined) throw new Error("no scenario");
  expect(shop).toMatchObject({ request: { path: "/items" }, rateRps: 1000, connections: 32 });
  const [browse, buy] = partsOf(shop);
  expect(browse).toMatchObject({ rateRps: 900, answers: "same", expectStatus: 200 });
  expect(buy).toMatchObject({ rateRps: 100, answers: { ignore: [] }, expectStatus: 201 });
  expect(buy?.request).toMatchObject({ method: "POST", path: "/buy", body: "{}" });
  expect([browse, buy].map((part) => part?.requestTimeoutMs)).toEqual([2000, 2000]);
});

test("headers of a part are text, digits and all", () => {
  const mix = SHOP.replace("json: {}", "headers: { X-Version: 1.10 }");
  const [shop] = parse(withMix(mix)).scenarios;
  expect(shop?.mix?.[1]?.request.headers).toEqual({ "X-Version": "1.10" });
});

test("slices are as long as the part with the fewest requests needs", () => {
  const [shop] = parse(withMix(SHOP)).scenarios;
  const [alone] = parse(FIRST.replace("2000/s", "100/s")).scenarios;
  expect(shop?.slice).toEqual(alone?.slice);
});

test("the whole and every part are asked the same questions", () => {
  const ids = listHypotheses(parse(withMix(SHOP)))
    .filter(({ policy }) => policy.level === "gate")
    .map(({ id }) => id);
  expect(ids).toEqual([
    "api/echo p99 typical",
    "api/echo slow windows",
    "api/echo[browse] p99 typical",
    "api/echo[browse] slow windows",
    "api/echo[buy] p99 typical",
    "api/echo[buy] slow windows",
    "api rss",
    "api rssPeak",
    "api startup",
    "api cpuPer1k",
  ]);
});

test("the values of a part can be stored", () => {
  for (const { metric, estimator } of parse(withMix(SHOP)).policy.metrics) {
    const of = { service: "api", scenario: "api/echo[buy]", policy: { metric, estimator } };
    const key = BaselineSchema.shape.metrics.keyType.safeParse(baselineKey(of));
    expect(key.success, metric).toBe(true);
  }
});

test("another weight, status or request is another workload", () => {
  const hashOf = (mix: string): string => {
    const config = parse(withMix(mix));
    const [scenario] = config.scenarios;
    if (scenario === undefined) throw new Error("no scenario");
    return workloadHash(scenario, config);
  };
  const others = ["weight: 9|weight: 8", "201|200", "/buy|/sell", "json: {}|json: []", "buy:|b:"];
  const hashes = others.map((change) => {
    const [from = "", to = ""] = change.split("|");
    return hashOf(SHOP.replace(from, to));
  });
  expect(new Set([hashOf(SHOP), ...hashes]).size).toBe(others.length + 1);
});

test("what is no mix is said, with its place", () => {
  const check = (mix: string, words: string, lines: string[] = []): void => {
    expect(refusal(withMix(mix, lines)), words).toContain(words);
  };
  check("mix: { a: { request: GET / } }", "mix: got 1, expected 2 to 8 requests");
  check("expect: 200", "got neither, expected one of request, mix");
  check(SHOP, "got both, expected one of request, mix", ["request: GET /"]);
  check(SHOP.replace("GET /items", "GET items"), 'mix.browse.request: got "GET items"');
  check(SHOP.replace("weight: 9", "weight: 0"), "mix.browse.weight: got 0");
  check(SHOP.replace("browse", '"a[b]"'), "a name of letters");
  check(SHOP, "wrk2 keeps no rows that could be joined to a mix", ["generator: wrk2"]);
  check(SHOP, "expected one or more for each", ["connections: 1"]);
  check(SHOP, "100/s for 100ms is 10 requests, of which", ["slice: { duration: 100ms }"]);
});
