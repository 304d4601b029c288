// A short configuration of the reference services for the nightly tests with real load. It asks few
// rounds of the machine and puts up with a host that spoils most slices: a round is one short pair,
// which is tried again until there is a moment for it.
export interface Load {
  /** Requests a second of `echo`; default 2,000. */
  echoRate?: number;
  processRate?: number;
  services?: readonly string[];
  scenarios?: readonly ("echo" | "process")[];
  /** Chance of a false alarm; default 20 %, so that ten rounds can prove something. */
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

export function shortConfiguration(load: Load = {}): string {
  const services = load.services ?? Object.keys(RECIPES);
  const scenarios = load.scenarios ?? ["echo", "process"];
  const definitions = {
    echo: `
  echo:
    request:
      path: /echo
      json: { id: 7, user_agent: "tailgate", metadata: ["a", "b", "c"] }
    rate: ${load.echoRate ?? 2000}/s
    connections: 16
    warmup: 400
    slice: { duration: 300ms, pairs: 1 }`,
    process: `
  process:
    request: GET /process?input=tailgate
    rate: ${load.processRate ?? 200}/s
    connections: 8
    warmup: 40
    slice: { duration: 400ms, pairs: 1 }`,
  };
  return `version: 1
compare: base
runner: { explain: false }
services:${services.map((name) => `\n  ${name}:${RECIPES[name] ?? ""}`).join("")}
scenarios:${scenarios.map((name) => definitions[name]).join("")}
metrics:
  p99: { margin: 100%, absoluteFloor: 10us }
  p99.pooled: { margin: 100%, absoluteFloor: 10us }
  rss: { margin: 50%, absoluteFloor: 256KiB }
  rssPeak: { level: info }
  startup: { level: info }
  cpuPer1k: { level: info }
policy:
  alpha: ${load.alpha ?? "20%"}
  answerAll: true
  timeBudget: 6m
`;
}
