// A PostgreSQL server in a folder of its own, for one run: tuned to do the same work every time,
// not to keep data.
import { chownSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { UserError } from "../../../core/base/errors.ts";
import type { Arm } from "../../../core/model/samples.ts";
import { makeTemporaryFolder } from "../../sys/files.ts";
import { janitor } from "../../sys/janitor.ts";
import { type ChildGroup, runCommand, spawnGroup } from "../../sys/process.ts";
import { findFreePort } from "../service/free-port.ts";
import { describeExit } from "../service/running-service.ts";
import { placesAt, type RunningDependency } from "./dependency.ts";
import {
  initdbArguments,
  OWNER,
  type PlannedDatabase,
  parseServerVersion,
  planDatabases,
  psqlArguments,
  psqlEnvironment,
  type Schema,
  SETTINGS,
  serverArguments,
} from "./postgresql-plan.ts";
import { findPostgresFolder } from "./server-program.ts";
import { type DependencyStart, secondsSince, throwIfStopped } from "./start.ts";
import { stopChild } from "./stop-child.ts";
import { asUser, findUnprivilegedUser } from "./unprivileged-user.ts";

const READY = /database system is ready to accept connections/;
const START_TIMEOUT_MS = 60_000;
const SEED_TIMEOUT_MS = 10 * 60_000;
const STOP_GRACE_MS = 10_000;

/**
 * After seeding: rows are marked as seen by all and counted now, not by whoever reads them first in
 * a measured round. The first checkpoint is what lets VACUUM do so: no row is marked while its
 * commit may not be on disk, and commits here do not wait.
 */
const SETTLE = ["CHECKPOINT", "VACUUM (FREEZE, ANALYZE)", "CHECKPOINT"] as const;

interface Server {
  name: string;
  child: ChildGroup;
  port: number;
  psql: string;
  major: number;
  start: DependencyStart;
}

export async function startPostgresql(
  name: string,
  schemas: Partial<Record<Arm, Schema>>,
  start: DependencyStart,
): Promise<RunningDependency> {
  const programs = findPostgresFolder();
  const startedMs = start.clock.nowMs();
  const { version, major } = await readVersion(programs);
  const user = await findUnprivilegedUser();
  // Not the memory folder: containers keep that small.
  const folder = makeTemporaryFolder();
  if (user !== null) chownSync(folder, user.uid, user.gid);
  const data = join(folder, "data");
  const port = await findFreePort();
  let child: ChildGroup | null = null;
  const stop = async (): Promise<void> => {
    // Immediate shutdown: nothing is written, connections and statements are cut.
    if (child !== null) await stopChild(child, "SIGQUIT", STOP_GRACE_MS);
    janitor.removePath(folder);
  };
  try {
    const made = await runCommand(
      asUser(user, [join(programs, "initdb"), ...initdbArguments(data)]),
      { cwd: folder, timeoutMs: START_TIMEOUT_MS, abort: start.abort },
    );
    throwIfStopped(start.abort);
    if (made.code !== 0) {
      throw new UserError(`${name}: initdb failed`, { detail: made.tail.join("\n") });
    }
    let ready = false;
    child = spawnGroup(
      asUser(user, [
        join(programs, "postgres"),
        ...serverArguments({ data, sockets: folder, port }),
      ]),
      {
        cwd: folder,
        ...(start.cpus === undefined ? {} : { cpus: start.cpus }),
        onStderrLine: (line) => {
          ready ||= READY.test(line);
        },
      },
    );
    const server: Server = { name, child, port, psql: join(programs, "psql"), major, start };
    await waitUntil(() => ready, server);
    await forgetSharedMemory(data);
    start.progress.note(
      `${name}: PostgreSQL ${version} on port ${port}, started in ${secondsSince(startedMs, start)}`,
    );

    const { databases, of } = planDatabases(schemas);
    for (const database of databases) await seed(server, database);
    const { pid, exit, tail } = child;
    return {
      name,
      facts: {
        program: `PostgreSQL ${version}`,
        contents: {
          candidate: schemas.candidate?.identity ?? null,
          reference: schemas.reference?.identity ?? null,
        },
        settings: SETTINGS,
      },
      pid: pid ?? 0,
      places: (arm) =>
        placesAt(port, { scheme: "postgresql", user: OWNER, path: of[arm] ?? "postgres" }),
      reset: async () => {},
      exit,
      tail: () => tail().join("\n"),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * The server's System V segment, which only guards its folder against a second server, would
 * outlive a SIGKILL. Marked as removed it lives as long as the server's processes. Its number is
 * the last in the seventh line of postmaster.pid.
 */
async function forgetSharedMemory(data: string): Promise<void> {
  const file = join(data, "postmaster.pid");
  const line = existsSync(file) ? readFileSync(file, "utf8").split("\n")[6] : undefined;
  const id = /\d+$/.exec(line?.trim() ?? "")?.[0];
  // Where it fails, as without ipcrm, the segment stays: it is small.
  if (id !== undefined) await runCommand(["ipcrm", "-m", id]);
}

async function readVersion(programs: string): Promise<{ version: string; major: number }> {
  const program = join(programs, "postgres");
  const said = await runCommand([program, "--version"]);
  const version = parseServerVersion(said.stdout);
  if (version !== null) return version;
  throw new UserError(`${program} --version does not say which PostgreSQL it is`, {
    detail: said.tail.join("\n"),
  });
}

async function waitUntil(
  ready: () => boolean,
  { name, child, start }: Pick<Server, "name" | "child" | "start">,
): Promise<void> {
  const deadlineMs = start.clock.nowMs() + START_TIMEOUT_MS;
  while (!ready()) {
    throwIfStopped(start.abort);
    const exit = child.exit();
    if (exit !== null) {
      const how = exit.startError?.message ?? describeExit(exit);
      throw new UserError(`${name}: PostgreSQL ${how} before it was ready`, {
        detail: child.tail().join("\n"),
      });
    }
    if (start.clock.nowMs() >= deadlineMs) {
      throw new UserError(`${name}: PostgreSQL was not ready within a minute`, {
        detail: child.tail().join("\n"),
      });
    }
    await start.clock.sleep(20, start.abort);
  }
}

async function seed(server: Server, { name: database, schema }: PlannedDatabase): Promise<void> {
  const { name, start } = server;
  const startedMs = start.clock.nowMs();
  await psql(server, "postgres", { command: `CREATE DATABASE ${database}` });
  for (const file of schema.files) {
    start.progress.status(`${name}: seeding the ${database}'s database: ${file}`);
    await psql(server, database, { file, folder: schema.folder });
  }
  for (const command of SETTLE) await psql(server, database, { command });
  start.progress.note(
    `${name}: seeded the ${database}'s database in ${secondsSince(startedMs, start)}`,
  );
}

/**
 * A file is read in its own folder, so that it may include others and copy from files beside it.
 */
type Statements = { command: string } | { file: string; folder: string };

async function psql(server: Server, database: string, statements: Statements): Promise<void> {
  const { name, start, major } = server;
  const isFile = "file" in statements;
  const result = await runCommand(
    [
      server.psql,
      ...psqlArguments(server.port, database),
      ...(isFile ? ["-f", statements.file] : ["-c", statements.command]),
    ],
    {
      timeoutMs: SEED_TIMEOUT_MS,
      abort: start.abort,
      env: psqlEnvironment(process.env, major),
      ...(isFile ? { cwd: statements.folder } : {}),
    },
  );
  throwIfStopped(start.abort);
  if (result.code === 0) return;
  const what = isFile ? statements.file : statements.command;
  const how = result.timedOut ? "did not end within 10 minutes" : "failed";
  throw new UserError(`${name}: psql ${how} on ${what}, for the ${database}'s database`, {
    detail: result.tail.join("\n"),
  });
}
