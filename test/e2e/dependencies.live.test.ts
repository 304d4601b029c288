// Dependencies, end to end: what a service is told, what happens when one dies, and that nothing of
// them is left.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { afterEach, beforeEach, expect, type TestContext, test } from "vitest";
import { GateTemporary } from "../support/gate-temporary.ts";
import { Project, processesMentioning } from "../support/project.ts";

let project: Project | null = null;
let temporary: GateTemporary;

beforeEach(() => {
  temporary = new GateTemporary();
});
afterEach(() => {
  temporary.remove();
  project?.remove();
  project = null;
});

const REASON = "postgresql or redis-server not installed";

function skipWithoutServers(context: TestContext): void {
  const found = spawnSync("sh", [
    "-c",
    "command -v redis-server && { command -v postgres || ls /usr/lib/postgresql/*/bin/postgres; }",
  ]);
  if (found.status === 0) return;
  console.warn(`skipped: ${REASON}`);
  context.skip(REASON);
}

/** Answers with what it was told. */
const SERVICE = `import { createServer } from "node:http";
const { PORT, DB, CACHE } = process.env;
createServer((_, response) => response.end(JSON.stringify({ DB, CACHE }))).listen(PORT, "127.0.0.1");
`;

function configuration(node: string): string {
  return `version: 1
compare: base
runner: { keepAwake: false }
dependencies:
  db: { kind: postgresql, dir: db, schema: tables.sql }
  cache: { kind: redis }
services:
  api:
    run: ["${node}", server.mjs]
    needs: [db, cache]
    env: { PORT: "{port}", DB: "{db.url}", CACHE: "{cache.url}" }
    ready: /
scenarios:
  home: { request: GET /, rate: 1000/s, connections: 4, warmup: 20, slice: { duration: 90ms, pairs: 1 } }
policy: { alpha: 20%, timeBudget: 3m }
`;
}

function makeProject(schema = "CREATE TABLE one (id int);\n"): Project {
  project = new Project([], { oha: "fake" });
  project.write("server.mjs", SERVICE);
  project.write("db/tables.sql", schema);
  project.write("tailgate.yml", configuration(process.execPath));
  project.commit("first");
  return project;
}

const folders = () => temporary.folders();

/** Of this test's gates only: others may run servers on this machine. */
const servers = () =>
  temporary.processes().filter(({ command }) => /redis-server|postgres/.test(command));

/** Process ids of the services that a gate runs. */
function serving(gate: number | undefined): number[] {
  return execFileSync("ps", ["-eo", "pid=,ppid=,args="], { encoding: "utf8" })
    .split("\n")
    .filter((line) => line.includes("server.mjs"))
    .map((line) => line.trim().split(/\s+/).map(Number))
    .filter(([, parent]) => parent === gate)
    .map(([pid = 0]) => pid);
}

const until = (what: () => boolean) => expect.poll(what, { timeout: 60_000 }).toBe(true);

test("a command runs beside them, is told where they are, and its exit code is ours", async (context) => {
  skipWithoutServers(context);
  const before = folders();
  const own = makeProject("CREATE TABLE one AS SELECT 41 + 1 AS answer;\n");
  const psql = "$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | tail -1)/psql";
  const script = `p=${psql}; [ -x "$p" ] || p=psql; "$p" -XAtq "$DB" -c 'SELECT answer FROM one'; echo "$CACHE"; exit 7`;
  const { code, stdout, stderr } = await own.run("with", "api", "--", "sh", "-c", script);
  expect(stdout, stderr).toMatch(/^42\nredis:\/\/127\.0\.0\.1:\d+\/0\n$/);
  expect(code).toBe(7);
  expect(folders()).toEqual(before);
});

test("a schema that is wrong is said in psql's words, and nothing is left", async (context) => {
  skipWithoutServers(context);
  const before = folders();
  const own = makeProject("SELECT 1;\nCREATE TABEL one (id int);\n");
  const { code, stderr } = await own.run("gate", "--measure-unchanged");
  expect(code).toBe(2);
  expect(stderr).toContain("db: psql failed on tables.sql, for the candidate's database");
  expect(stderr).toContain('tables.sql:2: ERROR:  syntax error at or near "TABEL"');
  expect(folders()).toEqual(before);
});

test("one that dies makes the measurement invalid, by its name", async (context) => {
  skipWithoutServers(context);
  const before = folders();
  const own = makeProject();
  const { child, finished } = own.start("gate", "--measure-unchanged", "--seed", "1");
  await until(() => serving(child.pid).length > 1);
  const redis = temporary.processes().find(({ command }) => command.includes("redis-server"));
  process.kill(redis?.pid ?? Number.NaN, "SIGKILL");
  const { code, stdout, stderr } = await finished;
  expect(code, stdout + stderr).toBe(3);
  expect(own.report().verdict.state).toBe("invalid");
  expect(stdout).toMatch(/cache, which the service needs, was ended by SIGKILL in round \d/);
  expect(servers()).toEqual([]);
  expect(processesMentioning(own.root)).toEqual([]);
  expect(folders()).toEqual(before);
});

test("a killed gate leaves none of them", async (context) => {
  skipWithoutServers(context);
  const before = folders();
  const own = makeProject();
  const { child, finished } = own.start("gate", "--measure-unchanged", "--seed", "1");
  await until(() => serving(child.pid).length > 1);
  const services = serving(child.pid);
  expect(servers().length).toBeGreaterThan(1);
  child.kill("SIGKILL");
  await finished;
  await until(() => servers().length === 0);
  await until(() => services.every((pid) => !existsSync(`/proc/${pid}`)));
  await until(() => folders().join() === before.join());
});
