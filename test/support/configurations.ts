// Configurations for tests, and what a person is told about a wrong one.

import { parseConfig } from "../../src/app/config/load.ts";
import { UserError } from "../../src/core/base/errors.ts";
import { type Config, ConfigSchema, type MetricPolicy } from "../../src/core/model/config.ts";
import { QUESTIONS } from "../../src/core/model/metric.ts";

const FILES = {
  isFolder: (path: string) => path !== "missing",
  readBody: ({ path }: { path: string }) =>
    path === "body.json"
      ? ({ ok: true, sha256: "5ca1ab1e", bytes: 7 } as const)
      : ({ ok: false, why: "there is no such file" } as const),
};

/** `metrics` with everything that gates by default only shown. */
export const NO_GATES = JSON.stringify(
  Object.fromEntries(
    QUESTIONS.filter(({ usual }) => usual.level === "gate").map(({ key }) => [
      key,
      { level: "info" },
    ]),
  ),
);

/** What somebody starts with. */
export const FIRST = `version: 1
services:
  api:
    build: cargo build --release --locked
    artifact: target/release/api
    env: { ADDR: "127.0.0.1:{port}" }
    ready: /healthz
scenarios:
  echo:
    request: GET /hello
    rate: 2000/s
`;

/** Every key there is. */
export const FULL = `version: 1
services:
  api:
    dir: services/api
    build: [go, build, -o, bin/api, .]
    artifact: ./bin//api
    run: "{artifact} --port {port} --root {dir}"
    env: { VERSION: 1.10, DEBUG: yes, EMPTY: "", TRUE: true, HEX: 0x10 }
    ready: { log: "listening on .*", timeout: 10s }
    stop: { signal: SIGINT, grace: 2s }
    prometheus: /metrics
  legacy:
    run: [./start.sh]
    port: 8080
    scheme: alternate
    ready: { tcp: true }
  shop:
    build: { command: make shop, needs: [cache], env: { CACHE: "{cache.url}" } }
    artifact: bin/shop
    needs: [db, cache, stub]
    env: { ADDR: "{port}", DB: "{db.url}", CACHE: "{cache.host}:{cache.port}" }
  shop-small: { variantOf: shop, env: { POOL: 2 } }
  grpc:
    run: "./grpc --port {port}"
    protocol: h2
    before: "./login {port} {dir}"
    tls: { ca: ./tls/ca.pem, name: api.test }
  local:
    run: "./local --listen unix:{socket}"
    socket: true
    protocol: h2c
    before:
      request: { path: /login, headers: { X-Version: 2.0 }, json: { user: ada } }
      values: { token: user.token, id: items.0.id }
dependencies:
  db: { kind: postgresql, dir: services/db, schema: [tables.sql, ./rows.sql], seed: { by: shop }, isolation: shared }
  cache: { kind: redis, dir: services/cache, seed: ./fill --all, isolation: separate }
  stub: { kind: program, dir: stub, run: "./stub --port {port}", ready: { log: ready } }
scenarios:
  echo:
    services: [api]
    request: { path: /echo?x=1, headers: { X-Version: 2.0 }, json: { b: [1, null, true], a: "é" } }
    expect: 201
    rate: 500/s
    connections: 4
    keepAlive: false
    timeout: 1s
    warmup: 10
    slice: { duration: 1s, pairs: 2 }
    metrics: { p99: { margin: 40% }, p95: { level: gate } }
  cart:
    services: [shop, shop-small]
    request: { pathPattern: "/carts/[1-9][0-9]?" }
    rate: 100/s
  basket:
    services: [shop]
    mix:
      look: { weight: 9, request: GET /items, answers: same }
      buy: { request: { path: /orders, json: { item: 1 } }, expect: 201, answers: { ignore: [id, items.*.at] } }
    rate: 100/s
  stream:
    services: [grpc, local]
    request: POST /stream
    rate: 1000/s
  upload:
    services: [api, legacy, shop, shop-small]
    request: { method: PUT, path: /u, bodyFile: ./body.json, bodyRepeat: { times: 3, between: "," } }
    rate: 100/s
  lookup:
    services: [shop]
    request: { pathsFile: ./body.json, bodiesFile: body.json }
    rate: 100/s
metrics:
  p99: { level: warn, margin: 20%, tolerance: 2%, floor: 10%, absoluteFloor: 100us, max: 500ms }
  p99.pooled: { level: info }
  rss: { margin: 2% }
  startup: { level: gate, absoluteFloor: 20ms }
  max: { level: warn }
policy:
  { alpha: 2%, beta: 10%, answerAll: true, giveUp: true, timeBudget: 5m, errorBudget: 0.5% }
waivers:
  - metric: p95
    scenario: echo
    upTo: +25%
    reason: answers are signed now
    owner: "@shop/api"
    expires: 2026-12-31
  - { metric: rss, service: shop, upTo: 8%, reason: a cache, owner: Ada, expires: 2026-12-31 }
compare: base
seed: 7
runner: { class: metal-a, cpus: { service: [2, 3], generator: [0] } }
baselines: { dir: perf/baselines, maxAge: 7d }
cost: { requestsPerDay: [5e7], utilisation: 40%, hostPrice: 120.5 }
`;

/** By the name of a metric in a configuration. */
export function usualLimits(key: string): Pick<MetricPolicy, "margin" | "tolerance" | "floor"> {
  const question = QUESTIONS.find((one) => one.key === key);
  if (question === undefined) throw new Error(`no metric ${key}`);
  const { margin, tolerance, floor } = question.usual;
  return { margin, tolerance, floor };
}

/** Checked against the model, as whatever reads a samples file would. */
export function parse(text: string): Config {
  const config = parseConfig(text, "tailgate.yml", FILES);
  return ConfigSchema.parse(config);
}

/** Message and detail as a person sees them. */
export function refusal(text: string): string {
  try {
    parse(text);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return [error.message, error.detail].filter((part) => part !== undefined).join("\n");
  }
  throw new Error(`accepted:\n${text}`);
}

/** Of a configuration that says nothing of it. */
export const DEFAULT_POLICY = parse(FIRST).policy;
