// A real PostgreSQL: seeded, told apart by schema, and gone without a trace.
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  watch,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { skipUnlessInstalled, testStart } from "../../../../test/support/dependency.ts";
import { UserError } from "../../../core/base/errors.ts";
import { runCommand } from "../../sys/process.ts";
import { readProcessTree } from "../probe/process-tree.ts";
import type { DataSeed } from "./dependency.ts";
import { startPostgresql } from "./postgresql.ts";
import { RunningDependencies } from "./running-dependencies.ts";
import { findPostgresFolder } from "./server-program.ts";

// Of its own, so that what is left behind can be told from what others make meanwhile.
const temporary = mkdtempSync(join(tmpdir(), "tailgate-postgresql-"));
chmodSync(temporary, 0o755);
process.env.TMPDIR = temporary;
afterAll(() => rmSync(temporary, { recursive: true, force: true }));
const schemas = mkdtempSync(join(tmpdir(), "schemas-"));

beforeEach((context) => skipUnlessInstalled(() => findPostgresFolder(), "postgresql", context));

function schemaOf(identity: string, ...files: readonly string[]): DataSeed {
  const folder = join(schemas, identity);
  mkdirSync(folder, { recursive: true });
  const names = files.map((_, i) => `${i + 1}.sql`);
  for (const [i, name] of names.entries()) writeFileSync(join(folder, name), files[i] ?? "");
  return { files: names, folder, identity };
}

/** One arm, told that it may share. */
function alone(candidate: DataSeed): Parameters<typeof startPostgresql>[1] {
  return { seeds: { candidate }, isolation: "shared" };
}

async function query(url: string, sql: string): Promise<string> {
  const psql = join(findPostgresFolder(), "psql");
  const result = await runCommand([psql, "-XAtc", sql, url]);
  expect(result.stderr).toBe("");
  return result.stdout;
}

function leftBehind(): string[] {
  return readdirSync(temporary).filter((name) => name.startsWith("tailgate-"));
}

test("arms of two schemas have a database each, and nothing is left", async () => {
  const table = "CREATE TABLE t AS SELECT * FROM generate_series(1, 1000) AS id;";
  const start = testStart();
  const postgres = await startPostgresql(
    "db",
    {
      seeds: {
        candidate: schemaOf("two", table, "CREATE INDEX t_id ON t (id);"),
        reference: schemaOf("one", table),
      },
      isolation: "shared",
    },
    start,
  );
  const running = new RunningDependencies();
  running.add(postgres);
  try {
    const { url, host, port, user, database } = postgres.places("candidate");
    expect(url).toMatch(/^postgresql:\/\/tailgate@127\.0\.0\.1:\d+\/candidate$/);
    expect(`postgresql://${user}@${host}:${port}/${database}`).toBe(url);
    const indexes = "SELECT count(*) FROM pg_indexes WHERE tablename = 't'";
    expect(await query(url, indexes)).toBe("1");
    expect(await query(postgres.places("reference").url, indexes)).toBe("0");
    expect(await query(url, "SHOW fsync")).toBe("off");
    // Nobody has read the table yet, and none of its pages wants to be written again.
    expect(
      await query(url, "SELECT relallvisible = relpages FROM pg_class WHERE relname = 't'"),
    ).toBe("t");
    expect(start.notes).toEqual([
      expect.stringMatching(/^db: PostgreSQL \d+\.\d+ on port \d+, started in \d+\.\d s$/),
      expect.stringMatching(/^db: seeded the candidate's database in \d+\.\d s$/),
      expect.stringMatching(/^db: seeded the reference's database in \d+\.\d s$/),
    ]);

    // A connection's process ends with it, a moment later, and what it used is not forgotten.
    const before = running.use()[0]?.cpuMs ?? 0;
    await query(url, "SELECT sum(sqrt(i)) FROM generate_series(1, 2000000) AS i");
    await expect.poll(() => (running.use()[0]?.cpuMs ?? 0) - before).toBeGreaterThan(100);
    expect(running.use()[0]?.pssBytes).toBeGreaterThan(1_000_000);
    expect(running.failure("now")).toBeNull();
  } finally {
    await running.stop();
  }
  expect(readProcessTree(postgres.pid)).toEqual([]);
  expect(leftBehind()).toEqual([]);
});

test("a crashed backend ends the server, which says so", async () => {
  const postgres = await startPostgresql("db", alone(schemaOf("empty", "")), testStart());
  const running = new RunningDependencies();
  running.add(postgres);
  try {
    const { url } = postgres.places("candidate");
    const backend = Number(await query(url, "SELECT pg_backend_pid()"));
    expect(backend).toBeGreaterThan(0);
    const sleeper = query(url, "SELECT pg_sleep(60)").catch(() => {});
    await expect
      .poll(() => query(url, "SELECT count(*) FROM pg_stat_activity WHERE datname = 'candidate'"))
      .toBe("2");
    const pid = Number(
      await query(
        url,
        "SELECT pid FROM pg_stat_activity WHERE datname = 'candidate' AND pid <> pg_backend_pid()",
      ),
    );
    process.kill(pid, "SIGKILL");
    await sleeper;
    await expect.poll(() => running.failure("in round 1")?.text ?? "").toMatch(/^db, which the/);
    expect(running.failure("in round 1")).toMatchObject({ kind: "dependency", arm: null });
    expect(running.failure("in round 1")?.detail).toContain("terminated by signal 9");
  } finally {
    await running.stop();
  }
  expect(leftBehind()).toEqual([]);
});

test("a server that is killed leaves no shared memory, where it has no namespaces either", async () => {
  vi.stubEnv("TMPDIR", "/dev/shm");
  onTestFinished(() => void vi.unstubAllEnvs());
  const postgres = await startPostgresql("db", alone(schemaOf("empty", "")), testStart());
  const segments = (): string[] =>
    readFileSync("/proc/sysvipc/shm", "utf8")
      .split("\n")
      .filter((line) => line.trim().split(/\s+/)[4] === String(postgres.pid));
  try {
    expect(segments()).toHaveLength(1);
    process.kill(-postgres.pid, "SIGKILL");
    await expect.poll(segments).toEqual([]);
  } finally {
    await postgres.stop();
  }
});

test("an error in a schema names its file and line, and stops the server", async () => {
  const broken = schemaOf("broken", "SELECT 1;", "SELECT 1;\n\nSELECT nothing;\n");
  const error = await startPostgresql("db", alone(broken), testStart()).catch((e) => e);
  expect(error).toBeInstanceOf(UserError);
  expect(error.message).toBe("db: psql failed on 2.sql, for the candidate's database");
  expect(error.detail).toContain('psql:2.sql:3: ERROR:  column "nothing" does not exist');
  expect(leftBehind()).toEqual([]);
});

test("a signal while a long statement seeds leaves nothing", async () => {
  const abort = new AbortController();
  const long = schemaOf("long", "SELECT sum(i) FROM generate_series(1, 1e12) AS i;");
  const start = testStart(abort.signal);
  let status = "";
  const started = startPostgresql("db", alone(long), {
    ...start,
    progress: {
      ...start.progress,
      status: (line) => {
        status = line;
      },
    },
  }).catch((error) => error);
  await expect.poll(() => status, { timeout: 20_000 }).toContain("seeding");
  abort.abort();
  expect((await started).message).toContain("stopped by a signal");
  expect(leftBehind()).toEqual([]);
  expect(readProcessTree(process.pid).length).toBeLessThan(50);
});

test("an arm's copy is made anew only once something was written", async () => {
  const schema = schemaOf("copied", "CREATE TABLE t AS SELECT 1 AS id;");
  const status: string[] = [];
  const start = testStart();
  const postgres = await startPostgresql(
    "db",
    { seeds: { candidate: schema, reference: schema }, isolation: "separate" },
    { ...start, progress: { ...start.progress, status: (line) => status.push(line) } },
  );
  const copies = (): string[] => status.filter((line) => line.includes("copying"));
  try {
    const { url } = postgres.places("candidate");
    const count = (): Promise<string> => query(url, "SELECT count(*) FROM t");
    await postgres.reset("candidate");
    await postgres.reset("reference");
    expect(postgres.places("reference").url).not.toBe(url);
    expect(await count()).toBe("1");
    await postgres.reset("candidate");
    await postgres.reset("reference");
    expect(copies()).toHaveLength(2);
    await query(url, "INSERT INTO t VALUES (2)");
    expect(await query(postgres.places("reference").url, "SELECT count(*) FROM t")).toBe("1");
    await postgres.reset("candidate");
    expect(await count()).toBe("1");
    expect(copies()).toHaveLength(3);
    // Whoever wrote: the number of transactions is the server's.
    await postgres.reset("reference");
    expect(copies()).toHaveLength(4);
    expect(postgres.facts()).toMatchObject({ isolation: "separate" });
  } finally {
    await postgres.stop();
  }
});

test("what reads leaves its copy as it is, and whatever writes makes it anew", async () => {
  const schema = schemaOf("looked", "CREATE TABLE t AS SELECT 1 AS id; CREATE INDEX i ON t (id);");
  const status: string[] = [];
  const start = testStart();
  const postgres = await startPostgresql(
    "db",
    { seeds: { candidate: schema }, isolation: "separate" },
    { ...start, progress: { ...start.progress, status: (line) => status.push(line) } },
  );
  const copies = (): number => status.filter((line) => line.includes("copying")).length;
  try {
    await postgres.reset("candidate");
    const { url } = postgres.places("candidate");
    const check = async (sql: string, isWritten: boolean): Promise<void> => {
      const before = copies();
      await query(url, sql);
      await postgres.reset("candidate");
      expect(copies() - before, sql).toBe(isWritten ? 1 : 0);
    };
    await check("SELECT sum(id) FROM t", false);
    await check("SELECT pg_advisory_lock(1)", false);
    await check("SET client_min_messages = error; CREATE TABLE IF NOT EXISTS t (id int)", false);
    await check("UPDATE t SET id = 2", true);
    await check("BEGIN; UPDATE t SET id = 2; ROLLBACK", true);
    await check("DROP INDEX i", true);
    await check("ALTER TABLE t ADD COLUMN more int", true);
  } finally {
    await postgres.stop();
  }
});

test("what a kill would leave is not there even while it is made", async (context) => {
  const probe = ["unshare", "--mount", "--ipc", "mount", "-t", "tmpfs", "tmpfs", "/dev/shm"];
  if ((await runCommand(probe)).code !== 0) context.skip("no mounts of our own here");
  const seen: string[] = [];
  const watcher = watch("/dev/shm", (_, name) => seen.push(name ?? ""));
  const running = new RunningDependencies();
  try {
    const start = testStart();
    const postgres = await startPostgresql("db", alone(schemaOf("watched", "SELECT 1;")), start);
    running.add(postgres);
    // System V segments are of the namespace, and end with it.
    const namespaces = [postgres.pid, "self"].map((pid) => readlinkSync(`/proc/${pid}/ns/ipc`));
    expect(new Set(namespaces).size).toBe(2);
  } finally {
    await running.stop();
    watcher.close();
  }
  expect(seen.filter((name) => name.startsWith("PostgreSQL"))).toEqual([]);
});

test("a folder in /dev/shm is where the server finds what initdb made", async () => {
  vi.stubEnv("TMPDIR", "/dev/shm");
  onTestFinished(() => void vi.unstubAllEnvs());
  const none = { isolation: "shared", seeds: {} } as const;
  const postgres = await startPostgresql("db", none, testStart());
  await postgres.stop();
});
