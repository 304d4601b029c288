// Waivers as people write them: what they resolve to, and what is said, with its line, about those
// that cannot be.
import { expect, test } from "vitest";
import { checkGolden } from "../../../../test/support/golden.ts";
import { configFromText } from "../../../app/config/load.ts";
import { UserError } from "../../base/errors.ts";

const BASE = `version: 1
services:
  api: { artifact: bin/api, port: 8080, scheme: alternate }
  shop: { artifact: bin/shop, env: { ADDR: "{port}" } }
scenarios:
  echo: { request: GET /echo, rate: 500/s }
  cart: { services: [shop], request: GET /cart, rate: 500/s }
metrics: { p99.pooled: { level: gate } }
waivers:
`;

const LIMITED = BASE.replace("metrics: {", "metrics: { p99: { max: 20ms }, rss: { max: 200MiB },");

const FIELDS = {
  metric: "p99",
  scenario: "echo",
  upTo: "+15%",
  reason: "answers are signed now",
  owner: '"@shop/api"',
  expires: "2026-12-31",
};
const RSS = { metric: "rss", scenario: null, service: "api" };
type Fields = Partial<Record<keyof typeof FIELDS | "service", string | null>>;

/** One field a line, from line 10 on; null leaves one out. */
function entry(fields: Fields = {}): string {
  const lines = Object.entries({ ...FIELDS, ...fields })
    .filter(([, value]) => value !== null)
    .map(([key, value]) => `${key}: ${value}`);
  return `  - ${lines.join("\n    ")}\n`;
}

function load(text: string, today: string | null = "2026-11-21") {
  return configFromText(text, "tailgate.yml", null, today);
}

function refusal(text: string, today?: string): string {
  try {
    load(text, today);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return [error.message, error.detail].filter((part) => part !== undefined).join("\n");
  }
  throw new Error(`accepted:\n${text}`);
}

test("what a waiver means", () => {
  const cases: [Fields, object][] = [
    [{}, { metric: "p99", estimator: null, scenario: "echo", service: null, upTo: 0.15 }],
    [
      { metric: "p99.pooled", upTo: "60%" },
      { metric: "p99", estimator: "pooled", upTo: 0.6 },
    ],
    [{ metric: "slow" }, { metric: "slow", estimator: null }],
    [
      { scenario: null, service: "shop" },
      { scenario: null, service: "shop" },
    ],
    [{ service: "shop" }, { scenario: "echo", service: "shop" }],
    [
      { metric: "rss", scenario: null, service: "api" },
      { metric: "rss", estimator: "launch", scenario: null, service: "api" },
    ],
    [{ metric: "p99.max" }, { metric: "p99", estimator: null, limit: true }],
    [
      { metric: "rss.max", scenario: null, service: "api", upTo: "1%" },
      { metric: "rss", estimator: "launch", limit: true },
    ],
  ];
  for (const [fields, expected] of cases) {
    expect(load(LIMITED + entry(fields)).waivers[0]).toMatchObject({
      reason: "answers are signed now",
      owner: "@shop/api",
      expires: "2026-12-31",
      ...expected,
    });
  }
  expect(load(`${BASE.trimEnd()} []\n`).waivers).toEqual([]);
});

test("a change and a limit are waived apart, each where it is gated", () => {
  expect(load(LIMITED + entry() + entry({ metric: "p99.max" })).waivers).toHaveLength(2);
  const watched = LIMITED.replace("max: 200MiB", "max: 200MiB, level: warn");
  const rss: Fields = { scenario: null, service: "api" };
  expect(refusal(watched + entry({ ...rss, metric: "rss.max" }))).toContain(
    "rss.max is not gated there",
  );
  const unwatched = LIMITED.replace("rss:", "anon: { max: 90MiB }, rss:");
  expect(load(unwatched + entry({ ...rss, metric: "anon.max" })).waivers).toHaveLength(1);
  expect(refusal(unwatched + entry({ ...rss, metric: "anon" }))).toContain("not gated there");
});

test("it counts on its last day, and fails with its line on the next", () => {
  expect(load(BASE + entry(), "2026-12-31").waivers).toHaveLength(1);
  expect(refusal(BASE + entry(), "2027-01-01")).toBe(
    'tailgate.yml:15:14: waivers[0].expires: this waiver expired on 2026-12-31 and today is 2027-01-01: remove it, or agree on a later day with its owner ("@shop/api")',
  );
});

test("the configuration of another commit is read whatever has expired since", () => {
  expect(load(BASE + entry({ expires: "2020-01-01" }), null).waivers).toHaveLength(1);
});

test("a service's own levels say what of it can be waived", () => {
  const apart = BASE.replace("port: 8080,", "port: 8080, metrics: { threads: { level: gate } },");
  const threads: Fields = { metric: "threads", scenario: null };
  expect(load(apart + entry({ ...threads, service: "api" })).waivers).toHaveLength(1);
  expect(refusal(apart + entry({ ...threads, service: "shop" }))).toContain(
    "threads is not gated there",
  );
});

test("golden: what is said about wrong ones", async () => {
  const wrong: Fields[] = [
    { metric: "p98" },
    { metric: "threads", scenario: null, service: "api" },
    { scenario: null },
    { scenario: "ecco" },
    { service: "apo" },
    { scenario: "cart", service: "api" },
    { metric: "rss" },
    { metric: "rss", service: "api" },
    { metric: "p99.max" },
    { upTo: "15" },
    { upTo: "-5%" },
    { upTo: "+0%" },
    { upTo: "+4%" },
    { reason: null },
    { reason: '"  "' },
    { owner: null },
    { expires: null },
    { expires: "2026-02-30" },
    { expires: "tomorrow" },
    { expires: "2028-01-01" },
    { expires: "2026-11-20" },
  ];
  const texts = [
    ...wrong.map((fields) => [JSON.stringify(fields), refusal(BASE + entry(fields))]),
    ["unknown key", refusal(`${BASE + entry()}    until: 2026-12-31\n`)],
    ["covered twice", refusal(BASE + entry() + entry({ metric: "p99.pooled", upTo: "+60%" }))],
    [
      "covered twice, at its peak",
      refusal(BASE + entry(RSS) + entry({ ...RSS, metric: "rssPeak" })),
    ],
    [
      "covered twice, by a wider one",
      refusal(BASE + entry({ scenario: null, service: "shop" }) + entry({ scenario: "cart" })),
    ],
    ["no list", refusal(`${BASE.trimEnd()} { metric: p99 }\n`)],
  ];
  await checkGolden(
    "config/waivers-refused.txt",
    `${texts.map(([what, said]) => `${what}\n  ${said?.replaceAll("\n", "\n  ")}`).join("\n")}\n`,
  );
});
