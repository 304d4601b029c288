// A PostgreSQL server in a folder of its own, for one run: tuned to do the same work every time,
// not to keep data. Its databases are made once for each distinct schema, and copied for the arms where
// these may write.
import { chownSync } from "node:fs";
import { join } from "node:path";
import { throwIfStopped, UserError } from "../../../core/base/errors.ts";
import type { Places } from "../../../core/config/fill-places.ts";
import type { Isolation } from "../../../core/model/config.ts";
import { ARMS, type Arm } from "../../../core/model/samples.ts";
import { makeTemporaryFolder } from "../../sys/files.ts";
import { janitor } from "../../sys/janitor.ts";
import { readOrEmpty } from "../../sys/or-null.ts";
import { type CommandEnd, runCommand, runToEnd } from "../../sys/process.ts";
import { findFreePort } from "../service/free-port.ts";
import type { DataSeed, DataSeeds, RunningDependency } from "./dependency.ts";
import { contentsOf, placesAt, templateArms } from "./dependency.ts";
import * as plan from "./postgresql-plan.ts";
import { findPostgresFolder, findUnprivilegedUser } from "./server-program.ts";
import type { DependencyStart } from "./start.ts";
import { runSeedCommand, SEED_TIMEOUT_MS, secondsSince, startServer } from "./start.ts";

const SERVER = {
  ready: /database system is ready to accept connections/,
  timeoutMs: 60_000,
  // Immediate shutdown: nothing is written, connections and statements are cut.
  stop: { signal: "SIGQUIT", graceMs: 10_000 },
} as const;

export async function startPostgresql(
  name: string,
  { seeds, isolation }: { seeds: DataSeeds; isolation: Isolation },
  start: DependencyStart,
): Promise<RunningDependency> {
  const programs = findPostgresFolder();
  const startedMs = start.clock.nowMs();
  const { version, major } = await readVersion(programs);
  const owner = findUnprivilegedUser();
  // Not the memory folder: containers keep that small.
  const folder = makeTemporaryFolder();
  if (owner !== null) chownSync(folder, owner.uid, owner.gid);
  const data = join(folder, "data");
  const port = await findFreePort();
  const program = `PostgreSQL ${version}`;
  let stop = async (): Promise<void> => janitor.removePath(folder);
  try {
    const initdb = [join(programs, "initdb"), ...plan.initdbArguments(data)];
    const { user, before } = await withOwnSharedMemory(owner, folder);
    const { code, tail } = await runToEnd([...before, ...initdb], {
      ...user,
      cwd: folder,
      timeoutMs: SERVER.timeoutMs,
      abort: start.abort,
    });
    throwIfStopped(start.abort);
    if (code !== 0) throw new UserError(`${name}: initdb failed`, { detail: tail.join("\n") });
    const words = plan.serverArguments({ data, sockets: folder, port });
    const argv = [...before, join(programs, "postgres"), ...words];
    const own = { ...SERVER, program, startedMs, argv, user, folder, port };
    const running = await startServer(name, own, start);
    stop = running.stop;
    if (before.length === 0) await forgetSharedMemory(data);
    const server = { name, port, psql: join(programs, "psql"), major, start };
    const databases = await makeDatabases(server, seeds, isolation);
    const places = (database: string): Places =>
      placesAt(port, { scheme: "postgresql", user: plan.OWNER, database });
    return {
      ...running,
      facts: () => ({ program, contents: contentsOf(seeds), isolation, settings: plan.SETTINGS }),
      places: (arm) => places(databases.nameFor(arm)),
      reset: (arm) => databases.reset(arm),
      template: {
        places: () => places(databases.templateName()),
        settle: () => databases.settle(),
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * Servers keep segments, in /dev/shm too, which a SIGKILL would leave: in namespaces of their own
 * these go with them. `before` goes before a command, and `user` is still to run it then. Nothing
 * goes before it where that is not permitted, or `folder` is in /dev/shm itself.
 */
async function withOwnSharedMemory(user: ReturnType<typeof findUnprivilegedUser>, folder: string) {
  if (user === null) return { user, before: [] };
  const mounting = 'mount -t tmpfs tmpfs /dev/shm && exec setpriv "$@"';
  const as = [`--reuid=${user.uid}`, `--regid=${user.gid}`, "--clear-groups"];
  const argv = ["unshare", "--mount", "--ipc", "/bin/sh", "-c", mounting, "sh", ...as];
  const { code } = await runToEnd([...argv, "test", "-d", folder]);
  return code === 0 ? { user: null, before: argv } : { user, before: [] };
}

/**
 * The server's System V segment, which only guards its folder against a second server, would
 * outlive a SIGKILL where it has no namespace of its own. Marked as removed it lives as long as the
 * server's processes. Its number is the last in the seventh line of postmaster.pid.
 */
async function forgetSharedMemory(data: string): Promise<void> {
  const line = readOrEmpty(join(data, "postmaster.pid")).split("\n")[6] ?? "";
  const id = /\d+$/.exec(line.trim())?.[0];
  // Where it fails, as without ipcrm, the segment stays: it is small.
  if (id !== undefined) await runToEnd(["ipcrm", "-m", id]);
}

async function readVersion(programs: string): Promise<{ version: string; major: number }> {
  const program = join(programs, "postgres");
  const said = await runCommand([program, "--version"]);
  const version = plan.parseServerVersion(said.stdout);
  if (version !== null) return version;
  throw new UserError(`${program} --version does not say which PostgreSQL it is`, {
    detail: said.tail.join("\n"),
  });
}

/**
 * After seeding: rows are marked as seen by all and counted now, not by whoever reads them first in
 * a measured round. The first checkpoint is what lets VACUUM do so: no row is marked while its
 * commit may not be on disk, and commits here do not wait.
 */
const SETTLE = ["CHECKPOINT", "VACUUM (FREEZE, ANALYZE)", "CHECKPOINT"] as const;

interface Server {
  name: string;
  port: number;
  /** The program. */
  psql: string;
  major: number;
  start: DependencyStart;
}

/** `separate`: each arm works on a copy, made anew before a launch if anything was written. */
async function makeDatabases(
  server: Server,
  seeds: DataSeeds,
  isolation: Isolation,
): Promise<Databases> {
  const templates = templateArms(seeds);
  for (const arm of ARMS) {
    const own = seeds[arm];
    if (own !== undefined && templates[arm] === arm) await seed(server, arm, own);
  }
  return new Databases(server, templates, isolation);
}

class Databases {
  readonly #server: Server;
  /** What each arm's data is made of: a database is named after the arm that it was made for. */
  readonly #templates: Partial<Record<Arm, Arm>>;
  readonly #isolation: Isolation;
  /** Arms whose copy is not there, or may differ from its template. */
  readonly #stale = new Set<Arm>(ARMS);
  /** Writing transactions when the last copy was known to be as its template. */
  #transactions = -1;

  constructor(server: Server, templates: Partial<Record<Arm, Arm>>, isolation: Isolation) {
    this.#server = server;
    this.#templates = templates;
    this.#isolation = isolation;
  }

  nameFor(arm: Arm): string {
    const template = this.#templates[arm] ?? "postgres";
    return this.#isolation === "shared" ? template : copyName(arm);
  }

  /** Where one database is filled for both arms. */
  templateName(): string {
    return this.#templates.candidate ?? "postgres";
  }

  async settle(): Promise<void> {
    for (const name of new Set(Object.values(this.#templates))) await settle(this.#server, name);
  }

  /** Costs a copy only if anything was written since the last one. */
  async reset(arm: Arm): Promise<void> {
    const template = this.#templates[arm];
    if (this.#isolation === "shared" || template === undefined) return;
    if ((await this.#countTransactions()) !== this.#transactions) {
      // By whom is not known: the number is the server's.
      for (const one of ARMS) this.#stale.add(one);
    }
    if (!this.#stale.has(arm)) return;
    const { name, major, start } = this.#server;
    start.progress.status(`${name}: copying the ${arm}'s database`);
    for (const command of plan.copyCommands({ template, copy: copyName(arm), major })) {
      await psql(this.#server, "postgres", { command });
    }
    this.#stale.delete(arm);
    this.#transactions = await this.#countTransactions();
  }

  async #countTransactions(): Promise<number> {
    return Number(await psql(this.#server, "postgres", { command: plan.WRITING_TRANSACTIONS }));
  }
}

function copyName(arm: Arm): string {
  return `${arm}_copy`;
}

async function seed(server: Server, database: Arm, own: DataSeed): Promise<void> {
  const { name, start, port, major } = server;
  const { files, folder } = own;
  const startedMs = start.clock.nowMs();
  await psql(server, "postgres", { command: `CREATE DATABASE ${database}` });
  for (const file of files) {
    start.progress.status(`${name}: seeding the ${database}'s database: ${file}`);
    await psql(server, database, { file, folder });
  }
  if (own.seed !== undefined) {
    const { argv, env } = own.seed;
    const { url } = placesAt(port, { scheme: "postgresql", user: plan.OWNER, database });
    const all = { ...plan.psqlEnvironment(env, major), DATABASE_URL: url };
    await runSeedCommand(name, { argv, env: all, folder }, start);
  }
  await settle(server, database);
  start.progress.note(
    `${name}: seeded the ${database}'s database in ${secondsSince(startedMs, start)}`,
  );
}

async function settle(server: Server, database: string): Promise<void> {
  for (const command of SETTLE) await psql(server, database, { command });
}

/**
 * A file is read in its own folder, so that it may include others and copy from files beside it.
 */
type Statements = { command: string } | { file: string; folder: string };

/** What it answers, without decoration. */
async function psql(server: Server, database: string, statements: Statements): Promise<string> {
  const { name, start, major } = server;
  const isFile = "file" in statements;
  const [flag, what] = isFile ? ["-f", statements.file] : ["-Atc", statements.command];
  const argv = [server.psql, ...plan.psqlArguments(server.port, database), flag, what];
  const run = isFile ? runToEnd : runCommand;
  const result: CommandEnd & { stdout?: string } = await run(argv, {
    timeoutMs: SEED_TIMEOUT_MS,
    abort: start.abort,
    env: plan.psqlEnvironment(process.env, major),
    cwd: isFile ? statements.folder : undefined,
  });
  throwIfStopped(start.abort);
  if (result.code === 0) return result.stdout ?? "";
  const how = result.timedOut ? "did not end within 10 minutes" : "failed";
  throw new UserError(`${name}: psql ${how} on ${what}, for the ${database}'s database`, {
    detail: result.tail.join("\n"),
  });
}
