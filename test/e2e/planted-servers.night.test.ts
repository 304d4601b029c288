// What makes real services slow: an index that is gone, a query in a loop. Each planted in a
// service that is behind a real PostgreSQL, and found by the gate.
import { spawnSync } from "node:child_process";
import { afterEach, expect, test } from "vitest";
import { gatedIn, Project, processesMentioning } from "../support/project.ts";

let project: Project | null = null;

afterEach(() => {
  project?.remove();
  project = null;
});

const REASON = "postgresql not installed";

function postgresIsMissing(): boolean {
  const found = spawnSync("sh", [
    "-c",
    "command -v postgres || ls /usr/lib/postgresql/*/bin/postgres",
  ]);
  return found.status !== 0;
}

const SCHEMA = "services/database/schema.sql";

/**
 * Rates at which the planted service keeps up even on a host at half its speed, six milliseconds a
 * request: a change this large (four times and more) is proven by eight rounds in any hour.
 */
function configuration(faults = ""): string {
  return `version: 1
compare: base
dependencies:
  postgres: { kind: postgresql, dir: services/database, schema: schema.sql }
services:
  gin-api:
    dir: services/gin-api
    build: go build -trimpath -buildvcs=false -o bin/gin-api .
    artifact: bin/gin-api
    needs: [postgres]
    ready: /healthz
    env: { ADDR: "127.0.0.1:{port}", GOMAXPROCS: 1, DATABASE_URL: "{postgres.url}"${faults} }
scenarios:
  user:
    request: GET /users/77777
    rate: 80/s
    connections: 4
    slice: { duration: 800ms, pairs: 1 }
  summary:
    # A user with sixty orders.
    request: GET /users/47/summary
    rate: 40/s
    connections: 4
    slice: { duration: 1600ms, pairs: 1 }
metrics:
  p99.pooled: { margin: 100% }
  rss: { margin: 50% }
  rssPeak: { level: info }
  startup: { level: info }
  cpuPer1k: { level: info }
policy: { alpha: 5%, timeBudget: 3m }
`;
}

/** Exactly these scenarios, in whichever of their metrics. */
async function expectRed(of: Project, scenarios: readonly string[]): Promise<void> {
  const expected = scenarios.map((name) => `gin-api/${name}`);
  const { code, stdout, stderr } = await of.run(
    "gate",
    "--seed",
    "1",
    "--answer-all",
    "--no-explain",
  );
  expect(code, stdout + stderr).toBe(1);
  const red = gatedIn(of.report(), "regressed").map((id) => id.split(" ")[0]);
  // A route this slow shows in the slowest answers of its service too.
  const ofScenarios = new Set(red.filter((name) => name !== "gin-api"));
  expect([...ofScenarios].sort(), stdout).toEqual(expected);
  expect([...processesMentioning(of.root), ...processesMentioning("postgres: ")]).toEqual([]);
}

test("an index that a pull request drops from the users is found, on the routes that need it", async (context) => {
  if (postgresIsMissing()) {
    console.warn(`skipped: ${REASON}`);
    return context.skip(REASON);
  }
  project = new Project(["services"]);
  project.write("tailgate.yml", configuration());
  project.commit("clean");
  const schema = project.read(SCHEMA);
  const without = schema.replace("ALTER TABLE users ADD PRIMARY KEY (id);\n", "");
  expect(without).not.toBe(schema);
  project.write(SCHEMA, without);
  // Both routes look the user up by its id.
  await expectRed(project, ["summary", "user"]);
});

test("a query for each order is found, on the route that asks it", async (context) => {
  if (postgresIsMissing()) {
    console.warn(`skipped: ${REASON}`);
    return context.skip(REASON);
  }
  project = new Project(["services"]);
  project.write("tailgate.yml", configuration());
  project.commit("clean");
  project.write("tailgate.yml", configuration(', TAILGATE_FAULTS: "n_plus_one=60"'));
  await expectRed(project, ["summary"]);
});
