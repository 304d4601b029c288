// Dependencies over a whole run, end to end: told apart by schema, recorded, each one that dies
// named, and nothing of them left however the gate ends, PostgreSQL's own files in shared memory
// included. dependencies.live.test.ts has the cases of every day. The load is a fake oha's.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, type TestContext, test } from "vitest";
import { SamplesSchema } from "../../src/core/model/samples.ts";
import { findPostgresFolder, findRedis } from "../../src/machine/run/dependency/server-program.ts";
import { GateTemporary } from "../support/gate-temporary.ts";
import { Project, type Started } from "../support/project.ts";
import { betaFor } from "./tiny.ts";

/**
 * Writes what it was told of its dependencies to a file, then serves: no client of any database is
 * needed for that.
 */
const SERVICE = `
import { appendFileSync } from "node:fs";
import { createServer } from "node:http";
const { PORT, SEEN, DATABASE_URL, REDIS_URL, UPSTREAM_URL } = process.env;
appendFileSync(SEEN, JSON.stringify({ DATABASE_URL, REDIS_URL, UPSTREAM_URL }) + "\\n");
createServer((request, response) => response.end(request.url)).listen(Number(PORT), "127.0.0.1");
`;

const UPSTREAM = `
import { mkdtempSync } from "node:fs";
import { createServer } from "node:http";
mkdtempSync(process.env.TMPDIR + "/left-");
createServer((request, response) => response.end("up")).listen(Number(process.argv[2]), "127.0.0.1");
`;

const SCHEMA = "CREATE TABLE users AS SELECT id FROM generate_series(1, 100) AS id;\n";
const INDEX = "CREATE INDEX users_id ON users (id);\n";

let project: Project;
let temporary: GateTemporary;
let sharedBefore: readonly string[];

beforeEach((context: TestContext) => {
  for (const [name, find] of [
    ["postgresql", findPostgresFolder],
    ["redis-server", findRedis],
  ] as const) {
    try {
      find();
    } catch {
      console.warn(`skipped: ${name} not installed`);
      context.skip(`${name} not installed`);
    }
  }
  project = new Project([], { oha: "fake" });
  temporary = new GateTemporary();
  sharedBefore = sharedMemory();
  project.write("service/server.mjs", SERVICE);
  project.write("upstream/server.mjs", UPSTREAM);
  project.write("database/schema.sql", SCHEMA + INDEX);
  project.write("tailgate.yml", configuration());
  project.commit("first");
});

afterEach(() => {
  temporary?.remove();
  project?.remove();
});

function configuration({ rounds = 4 } = {}): string {
  // An argument that tells our processes from others'.
  const ours = temporary.mark;
  return `version: 1
compare: base
runner: { keepAwake: false }
dependencies:
  postgres: { kind: postgresql, dir: database, schema: schema.sql }
  redis: { kind: redis }
  upstream: { kind: program, dir: upstream, run: "${process.execPath} server.mjs {port} ${ours}", ready: /healthz }
services:
  api:
    dir: service
    run: ${process.execPath} server.mjs ${ours}
    needs: [postgres, redis, upstream]
    env:
      PORT: "{port}"
      SEEN: ${seenFile()}
      DATABASE_URL: "{postgres.url}"
      REDIS_URL: "{redis.url}"
      UPSTREAM_URL: "{upstream.url}"
    ready: /healthz
scenarios:
  user:
    request: { pathPattern: "/users/[1-9][0-9]?\\\\?v=1\\\\.0" }
    rate: 1000/s
    connections: 2
    warmup: 10
    slice: { duration: 90ms, pairs: 1 }
policy: { alpha: 20%, beta: ${betaFor(rounds)}, timeBudget: 2m }
`;
}

function seenFile(): string {
  return join(temporary.path, "seen.jsonl");
}

interface Seen {
  DATABASE_URL: string;
  REDIS_URL: string;
  UPSTREAM_URL: string;
}

function seen(): Seen[] {
  if (!existsSync(seenFile())) return [];
  const lines = readFileSync(seenFile(), "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line));
}

/** What the starts of the service were told. */
function distinct(key: keyof Seen): string[] {
  return [...new Set(seen().map((one) => one[key]))].sort();
}

/** So many starts of the service. A busy machine takes minutes for the servers that it needs. */
async function started(count: number, { child, finished }: Started): Promise<void> {
  const isThere = () => seen().length >= count;
  const isOver = () => isThere() || child.exitCode !== null;
  await expect.poll(isOver, { timeout: 400_000 }).toBe(true);
  if (!isThere()) expect(await finished).toBe(`a gate that goes on until start ${count}`);
}

function sharedMemory(): string[] {
  return readdirSync("/dev/shm").filter((name) => name.startsWith("PostgreSQL"));
}

/** Of this test's gates only: others may run servers on this machine. */
function leftBehind(): (string | number)[] {
  const shared = sharedMemory().filter((name) => !sharedBefore.includes(name));
  return [...temporary.processes().map(({ pid }) => pid), ...temporary.folders(), ...shared];
}

async function expectNothingLeft(): Promise<void> {
  await expect.poll(leftBehind, { timeout: 10_000 }).toEqual([]);
}

/**
 * Ids of the processes that this test's gates have started and whose command line has this word.
 */
function pidsOf(word: string): number[] {
  return temporary
    .processes()
    .filter(({ command }) => command.includes(word))
    .map(({ pid }) => pid);
}

function samples() {
  return SamplesSchema.parse(JSON.parse(project.read(".tailgate/samples.v1.json")));
}

test("each arm has a database of its own; what they used is recorded", async () => {
  const { code, stdout, stderr } = await project.run(
    "measure",
    "--measure-unchanged",
    "--seed",
    "1",
  );
  expect(code, stdout + stderr).toBe(0);
  expect(distinct("DATABASE_URL")).toEqual([
    expect.stringMatching(/\/candidate_copy$/),
    expect.stringMatching(/\/reference_copy$/),
  ]);
  expect(distinct("REDIS_URL")).toEqual([
    expect.stringMatching(/\/0$/),
    expect.stringMatching(/\/1$/),
  ]);
  expect(distinct("UPSTREAM_URL")).toHaveLength(1);
  const { rounds, dependencies } = samples();
  expect(rounds[0]?.failure).toBeNull();
  expect(rounds[0]?.scenarios[0]?.slices[0]?.statuses).toEqual({ "200": 90 });
  expect(rounds[0]?.dependencies.map(({ name }) => name)).toEqual([
    "postgres",
    "redis",
    "upstream",
  ]);
  for (const { pssBytes } of rounds[0]?.dependencies ?? [])
    expect(pssBytes).toBeGreaterThan(500_000);
  expect(dependencies?.[0]).toMatchObject({
    name: "postgres",
    program: expect.stringMatching(/^PostgreSQL \d+/),
    settings: { fsync: "off" },
  });
  await expectNothingLeft();
});

test("a pull request that drops an index, and renames its schema, is measured against a database that has it", async () => {
  project.git("rm", "--quiet", "database/schema.sql");
  project.write("database/tables.sql", SCHEMA);
  project.write("tailgate.yml", configuration().replace("schema.sql", "tables.sql"));
  const { code, stdout, stderr } = await project.run("measure", "--seed", "2");
  expect(code, stdout + stderr).toBe(0);
  expect(distinct("DATABASE_URL")).toEqual([
    expect.stringMatching(/\/candidate_copy$/),
    expect.stringMatching(/\/reference_copy$/),
  ]);
  const contents = samples().dependencies?.[0]?.contents;
  expect(contents?.candidate).toContain("tables.sql");
  expect(contents?.reference).toContain("schema.sql");
  await expectNothingLeft();
});

test.each([
  ["postgres", (port: string) => `-p ${port}`],
  ["redis", (port: string) => `redis-server 127.0.0.1:${port}`],
  ["upstream", (port: string) => `server.mjs ${port}`],
] as const)("%s is killed during the run: invalid, and it is named", async (name, wordOf) => {
  project.write("tailgate.yml", configuration({ rounds: 20 }));
  const gate = project.start("gate", "--measure-unchanged", "--seed", "3");
  await started(1, gate);
  const last = seen().at(-1);
  const url = {
    postgres: last?.DATABASE_URL,
    redis: last?.REDIS_URL,
    upstream: last?.UPSTREAM_URL,
  };
  const word = wordOf(new URL(url[name] ?? "").port);
  const [pid] = pidsOf(word);
  expect(pid).toBeDefined();
  process.kill(pid as number, "SIGKILL");
  const { code, stdout, stderr } = await gate.finished;
  expect(code, stdout + stderr).toBe(3);
  expect(stdout).toMatch(new RegExp(`${name}(, which the service needs, was ended by SIGKILL|: )`));
  const { verdict } = project.report();
  expect(verdict.state).toBe("invalid");
  const { failure } = samples().rounds.at(-1) ?? {};
  expect(failure).toMatchObject({ kind: "dependency", arm: null });
  await expectNothingLeft();
});

test.each(["SIGKILL", "SIGTERM"] as const)("a gate that gets %s leaves nothing", async (signal) => {
  project.write("tailgate.yml", configuration({ rounds: 20 }));
  const gate = project.start("gate", "--measure-unchanged", "--seed", "4");
  await started(1, gate);
  expect(leftBehind().length).toBeGreaterThan(3);
  gate.child.kill(signal);
  await gate.finished;
  await expectNothingLeft();
});

test("a gate that is killed while it seeds leaves nothing", async () => {
  project.write("database/schema.sql", "SELECT sum(i) FROM generate_series(1, 1e12) AS i;\n");
  const { child, finished } = project.start("with", "api", "--", "true");
  const seeding = () => pidsOf("postgres: tailgate candidate").length;
  await expect.poll(seeding, { timeout: 30_000 }).toBe(1);
  child.kill("SIGKILL");
  await finished;
  await expectNothingLeft();
});
