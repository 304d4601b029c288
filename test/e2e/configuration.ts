// The short configuration of the end-to-end tests. It asks few rounds of the machine, so it plants much: a shift that is many
// times the noise of a bad hour is proven by eight rounds even when two or three of them are trimmed as outliers. For the same reason
// it promises little, which is soon kept, and puts up with a host that spoils most slices: a round is one short pair, which is tried
// again until there is a moment for it, and what is planted is larger than what spoils it.
export interface Plant {
  /** Value of TAILGATE_FAULTS, by service. */
  faults?: Record<string, string>;
  /** Requests a second of `echo`; default 2,000. */
  echoRate?: number;
  processRate?: number;
  services?: readonly string[];
  scenarios?: readonly ("echo" | "process")[];
  looks?: readonly number[];
  timeBudget?: string;
  /** Share of slices that the host and the generator may spoil; default all. */
  maxVoid?: string;
  /** Chance of a false alarm; default 20 %, so that eight to ten rounds can prove something: `undisturbed` asks again after one. */
  alpha?: string;
}

const RECIPES: Readonly<Record<string, string>> = {
  "axum-api": `
    dir: services/axum-api
    build: cargo build --release --locked
    artifact: target/release/axum-api
    run: "{artifact}"
    ready: /healthz
    env:
      ADDR: "127.0.0.1:{port}"
      TOKIO_WORKER_THREADS: "1"`,
  "gin-api": `
    dir: services/gin-api
    build: go build -trimpath -buildvcs=false -o bin/gin-api .
    artifact: bin/gin-api
    run: "{artifact}"
    ready: /healthz
    env:
      ADDR: "127.0.0.1:{port}"
      GOMAXPROCS: "1"`,
};

export function shortConfiguration(plant: Plant = {}): string {
  const services = plant.services ?? Object.keys(RECIPES);
  const scenarios = plant.scenarios ?? ["echo", "process"];
  const faults = (service: string): string => {
    const planted = plant.faults?.[service];
    return planted === undefined ? "" : `\n      TAILGATE_FAULTS: "${planted}"`;
  };
  const definitions = {
    echo: `
  echo:
    request:
      path: /echo
      json: { id: 7, user_agent: "tailgate", metadata: ["a", "b", "c"] }
    rate: ${plant.echoRate ?? 2000}/s
    connections: 16
    warmup: 400
    slice: { duration: 300ms, pairs: 1 }`,
    process: `
  process:
    request: GET /process?input=tailgate
    rate: ${plant.processRate ?? 200}/s
    connections: 8
    warmup: 40
    slice: { duration: 400ms, pairs: 1 }`,
  };
  return `version: 1
compare: base
services:${services.map((name) => `\n  ${name}:${RECIPES[name] ?? ""}${faults(name)}`).join("")}
scenarios:${scenarios.map((name) => definitions[name]).join("")}
metrics:
  p99: { promise: 100%, absoluteFloor: 10us }
  p99.pooled: { promise: 100%, absoluteFloor: 10us }
  rss: { promise: 50%, absoluteFloor: 256KiB }
policy:
  looks: [${(plant.looks ?? [8, 10]).join(", ")}]
  alpha: ${plant.alpha ?? "20%"}
  maxVoid: ${plant.maxVoid ?? "100%"}
  timeBudget: ${plant.timeBudget ?? "6m"}
`;
}
