// A PostgreSQL server in a folder of its own, for one run: tuned to do the same work every time, not to keep data.
import { chownSync } from "node:fs";
import { basename, join } from "node:path";
import { UserError } from "../../base/errors.ts";
import { ARMS, type Arm } from "../../model/samples.ts";
import { makeTemporaryFolder } from "../../sys/files.ts";
import { janitor } from "../../sys/janitor.ts";
import { type ChildGroup, runCommand, spawnGroup } from "../../sys/process.ts";
import { findFreePort } from "../service/free-port.ts";
import { describeExit } from "../service/running-service.ts";
import { HOST, placesAt, type RunningDependency } from "./dependency.ts";
import { findPostgresFolder } from "./server-program.ts";
import type { DependencyStart } from "./start.ts";

/** What an arm's database is made of. */
export interface Schema {
  /** SQL files, in order, relative to `folder`. */
  files: readonly string[];
  /** Absolute folder of the files, as the arm's own commit has them. */
  folder: string;
  /** Equal for equal contents. */
  identity: string;
}

/** Everything that would make one query cost another time than the same query before: writing to disk, and helpers that wake up. */
export const SETTINGS: Readonly<Record<string, string>> = {
  fsync: "off",
  full_page_writes: "off",
  synchronous_commit: "off",
  wal_level: "minimal",
  max_wal_senders: "0",
  // No checkpoint within a run.
  checkpoint_timeout: "1h",
  max_wal_size: "8GB",
  autovacuum: "off",
  bgwriter_lru_maxpages: "0",
  // All data in memory, from the first read on.
  shared_buffers: "384MB",
  jit: "off",
  max_parallel_workers_per_gather: "0",
  track_counts: "off",
  timezone: "UTC",
};

const OWNER = "tailgate";
const READY = /database system is ready to accept connections/;
const START_TIMEOUT_MS = 60_000;
const SEED_TIMEOUT_MS = 10 * 60_000;
/** Who runs it where we are root, whom PostgreSQL refuses. */
const OTHER_USERS = ["postgres", "nobody"] as const;

export async function startPostgresql(
  name: string,
  schemas: Partial<Record<Arm, Schema>>,
  start: DependencyStart,
): Promise<RunningDependency> {
  const programs = findPostgresFolder();
  const user = await otherUser();
  // Not the memory folder: containers keep that small.
  const folder = makeTemporaryFolder();
  if (user !== null) chownSync(folder, user.uid, user.gid);
  const as = (argv: string[]): string[] =>
    user === null
      ? argv
      : ["setpriv", `--reuid=${user.uid}`, `--regid=${user.gid}`, "--clear-groups", ...argv];
  const data = join(folder, "data");
  const made = await runCommand(
    as([
      join(programs, "initdb"),
      ...["-D", data, "-U", OWNER, "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync"],
    ]),
    { cwd: folder, timeoutMs: START_TIMEOUT_MS, abort: start.abort },
  );
  throwUnless(made.code === 0, start, `${name}: initdb failed`, made.tail.join("\n"));

  const port = await findFreePort();
  let ready = false;
  const child = spawnGroup(
    as([
      join(programs, "postgres"),
      ...["-D", data, "-k", folder, "-h", HOST, "-p", String(port)],
      ...Object.entries(SETTINGS).flatMap(([key, value]) => ["-c", `${key}=${value}`]),
    ]),
    {
      cwd: folder,
      ...(start.cpus === undefined ? {} : { cpus: start.cpus }),
      onStderrLine: (line) => {
        ready ||= READY.test(line);
      },
    },
  );
  await waitFor(() => ready, child, name, start);

  const server: Server = { name, child, port, psql: join(programs, "psql"), start };
  const databases = await makeDatabases(server, schemas);
  return {
    name,
    pid: child.pid ?? 0,
    places: (arm) =>
      placesAt(port, { scheme: "postgresql", user: OWNER, path: databases[arm] ?? "postgres" }),
    reset: async () => {},
    exit: child.exit,
    tail: () => child.tail().join("\n"),
    stop: async () => {
      // Fast shutdown: open connections are cut.
      child.signal("SIGINT");
      const killer = setTimeout(() => child.signal("SIGKILL"), START_TIMEOUT_MS);
      await child.exited;
      clearTimeout(killer);
      janitor.removePath(folder);
    },
  };
}

interface Server {
  name: string;
  child: ChildGroup;
  port: number;
  psql: string;
  start: DependencyStart;
}

/** Arms of one schema share a database, so that both read the same pages; else each has its own. */
async function makeDatabases(
  server: Server,
  schemas: Partial<Record<Arm, Schema>>,
): Promise<Partial<Record<Arm, string>>> {
  const byIdentity = new Map<string, string>();
  const databases: Partial<Record<Arm, string>> = {};
  for (const arm of ARMS) {
    const schema = schemas[arm];
    if (schema === undefined) continue;
    const known = byIdentity.get(schema.identity);
    databases[arm] = known ?? arm;
    if (known !== undefined) continue;
    byIdentity.set(schema.identity, arm);
    await psql(server, "postgres", ["-c", `CREATE DATABASE ${arm}`]);
    const { clock, progress } = server.start;
    const startedMs = clock.nowMs();
    for (const file of schema.files) {
      progress.status(`${server.name}: seeding the ${arm}'s database: ${basename(file)}`);
      await psql(server, arm, ["-f", file], schema.folder);
    }
    const tookS = ((clock.nowMs() - startedMs) / 1000).toFixed(1);
    progress.note(`${server.name}: seeded the ${arm}'s database in ${tookS} s`);
  }
  return databases;
}

async function psql(
  server: Server,
  database: string,
  argv: readonly string[],
  cwd?: string,
): Promise<void> {
  const { start } = server;
  const result = await runCommand(
    [
      server.psql,
      ...["-X", "-q", "-v", "ON_ERROR_STOP=1"],
      ...["-h", HOST, "-p", String(server.port), "-U", OWNER, "-d", database],
      ...argv,
    ],
    {
      timeoutMs: SEED_TIMEOUT_MS,
      abort: start.abort,
      ...(cwd === undefined ? {} : { cwd }),
    },
  );
  const what = result.timedOut ? "did not end within 10 minutes" : "failed";
  throwUnless(
    result.code === 0,
    start,
    `${server.name}: psql ${argv.join(" ")} ${what}`,
    result.tail.join("\n"),
  );
}

async function waitFor(
  ready: () => boolean,
  child: ChildGroup,
  name: string,
  start: DependencyStart,
): Promise<void> {
  const deadlineMs = start.clock.nowMs() + START_TIMEOUT_MS;
  while (!ready()) {
    const exit = child.exit();
    throwUnless(
      exit === null && start.clock.nowMs() < deadlineMs,
      start,
      exit === null
        ? `${name}: PostgreSQL was not ready within a minute`
        : `${name}: PostgreSQL ${exit.startError?.message ?? describeExit(exit)} before it was ready`,
      child.tail().join("\n"),
    );
    await start.clock.sleep(20, start.abort);
  }
}

function throwUnless(
  good: boolean,
  { abort }: DependencyStart,
  message: string,
  detail: string,
): void {
  if (abort.aborted) {
    throw new UserError("stopped by a signal before anything was measured", {}, "interrupted");
  }
  if (!good) throw new UserError(message, { detail });
}

/** Null when we are not root. */
async function otherUser(): Promise<{ uid: number; gid: number } | null> {
  if (process.getuid?.() !== 0) return null;
  for (const user of OTHER_USERS) {
    const [uid, gid] = await Promise.all([
      runCommand(["id", "-u", user]),
      runCommand(["id", "-g", user]),
    ]);
    if (uid.code === 0 && gid.code === 0) {
      return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
    }
  }
  throw new UserError(
    "PostgreSQL refuses to run as root, and there is no user postgres or nobody",
    {
      next: "Run the gate as another user.",
    },
  );
}
