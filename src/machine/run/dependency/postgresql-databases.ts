// The databases of a PostgreSQL server: made once for each distinct schema, and copied for the arms
// where these may write.
import { UserError } from "../../../core/base/errors.ts";
import type { Isolation } from "../../../core/model/config.ts";
import { ARMS, type Arm, type DependencyFacts, type Written } from "../../../core/model/samples.ts";
import { runCommand } from "../../sys/process.ts";
import { type DataState, placesAt, type Undecided } from "./dependency.ts";
import {
  copyCommands,
  LOOK_AT_SCHEMA,
  OWNER,
  type PlannedDatabase,
  planDatabases,
  psqlArguments,
  psqlEnvironment,
  type Schema,
  WRITING_TRANSACTIONS,
} from "./postgresql-plan.ts";
import { runSeedCommand, SEED_TIMEOUT_MS } from "./seed-command.ts";
import { type DependencyStart, secondsSince, throwIfStopped } from "./start.ts";

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

export interface DatabasesWanted {
  schemas: Partial<Record<Arm, Schema>>;
  /** Absent: to be decided. */
  isolation?: Isolation | undefined;
}

export async function makeDatabases(server: Server, wanted: DatabasesWanted): Promise<Databases> {
  const { databases, of } = planDatabases(wanted.schemas);
  for (const database of databases) await seed(server, database);
  return new Databases(server, of, wanted.isolation ?? "separate");
}

class Databases implements Undecided {
  readonly #server: Server;
  /** What each arm's data is made of. */
  readonly #templates: Partial<Record<Arm, string>>;
  #isolation: Isolation;
  #written: Written | null = null;
  /** Arms whose copy is not there, or may differ from its template. */
  readonly #stale = new Set<Arm>(ARMS);
  /** Writing transactions when the last copy was known to be as its template. */
  #transactions = -1;

  constructor(server: Server, templates: Partial<Record<Arm, string>>, isolation: Isolation) {
    this.#server = server;
    this.#templates = templates;
    this.#isolation = isolation;
  }

  isolationFacts(): Pick<DependencyFacts, "isolation" | "written"> {
    const written = this.#written;
    return { isolation: this.#isolation, ...(written === null ? {} : { written }) };
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
    for (const command of copyCommands({ template, copy: copyName(arm), major })) {
      await psql(this.#server, "postgres", { command });
    }
    this.#stale.delete(arm);
    this.#transactions = await this.#countTransactions();
  }

  async look(arm: Arm): Promise<DataState> {
    const schema = await psql(this.#server, this.nameFor(arm), { command: LOOK_AT_SCHEMA });
    return { transactions: await this.#countTransactions(), schema };
  }

  decide(written: Written | null): void {
    this.#isolation = written === null ? "shared" : "separate";
    this.#written = written;
  }

  async #countTransactions(): Promise<number> {
    return Number(await psql(this.#server, "postgres", { command: WRITING_TRANSACTIONS }));
  }
}

function copyName(arm: Arm): string {
  return `${arm}_copy`;
}

async function seed(server: Server, { name: database, schema }: PlannedDatabase): Promise<void> {
  const { name, start, port, major } = server;
  const startedMs = start.clock.nowMs();
  await psql(server, "postgres", { command: `CREATE DATABASE ${database}` });
  for (const file of schema.files) {
    start.progress.status(`${name}: seeding the ${database}'s database: ${file}`);
    await psql(server, database, { file, folder: schema.folder });
  }
  if (schema.seed !== undefined) {
    const { argv, env } = schema.seed;
    const { url } = placesAt(port, { scheme: "postgresql", user: OWNER, database });
    const own = { ...psqlEnvironment(env, major), DATABASE_URL: url };
    await runSeedCommand(name, { argv, env: own, folder: schema.folder }, start);
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
  const result = await runCommand(
    [
      server.psql,
      ...psqlArguments(server.port, database),
      ...(isFile ? ["-f", statements.file] : ["-Atc", statements.command]),
    ],
    {
      timeoutMs: SEED_TIMEOUT_MS,
      abort: start.abort,
      env: psqlEnvironment(process.env, major),
      ...(isFile ? { cwd: statements.folder } : {}),
    },
  );
  throwIfStopped(start.abort);
  if (result.code === 0) return result.stdout;
  const what = isFile ? statements.file : statements.command;
  const how = result.timedOut ? "did not end within 10 minutes" : "failed";
  throw new UserError(`${name}: psql ${how} on ${what}, for the ${database}'s database`, {
    detail: result.tail.join("\n"),
  });
}
