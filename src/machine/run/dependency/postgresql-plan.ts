// What PostgreSQL's programs are told: settings, argument lists, statements. Pure.
import { HOST } from "./dependency.ts";

/** The superuser of the server, made by initdb. */
export const OWNER = "tailgate";

/**
 * Everything that would make one query cost another time than the same query before: writing to
 * disk, helpers that wake up, choices that depend on load. Nothing here has to survive the run.
 */
export const SETTINGS: Readonly<Record<string, string>> = {
  fsync: "off",
  full_page_writes: "off",
  synchronous_commit: "off",
  wal_level: "minimal",
  max_wal_senders: "0",
  // No checkpoint within a run.
  checkpoint_timeout: "1h",
  max_wal_size: "8GB",
  // Neither dead rows nor statistics are looked after during a run; seeding ends with both in
  // order.
  autovacuum: "off",
  bgwriter_lru_maxpages: "0",
  max_logical_replication_workers: "0",
  // All data in memory, from the first read on: each arm's copy. What is not used is not taken.
  shared_buffers: "768MB",
  // A plan is run as it is, by one process.
  jit: "off",
  max_parallel_workers_per_gather: "0",
  // Nobody looks at them.
  track_counts: "off",
  track_activities: "off",
  update_process_title: "off",
  // The pools of both arms at once.
  max_connections: "1000",
  // A crashed backend ends the server, which is noticed; a server that starts itself again only
  // breaks connections.
  restart_after_crash: "off",
  // In the server's folder, which is removed however it ends; /dev/shm would keep it.
  dynamic_shared_memory_type: "mmap",
  timezone: "UTC",
};

/**
 * Since which major version a backend can notice in the middle of a statement that its client is
 * gone.
 */
const NOTICES_GONE_CLIENT = 14;

export function initdbArguments(data: string): string[] {
  return ["-D", data, "-U", OWNER, "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync"];
}

export function serverArguments(place: { data: string; sockets: string; port: number }): string[] {
  return [
    ...["-D", place.data, "-k", place.sockets, "-h", HOST, "-p", String(place.port)],
    ...Object.entries(SETTINGS).flatMap(([key, value]) => ["-c", `${key}=${value}`]),
  ];
}

/** Stops at the first error; a file's errors come with its name and line. */
export function psqlArguments(port: number, database: string): string[] {
  return [
    ...["-X", "-q", "-v", "ON_ERROR_STOP=1"],
    ...["-h", HOST, "-p", String(port), "-U", OWNER, "-d", database],
  ];
}

/**
 * For psql: ours without what would point it at another server (PGSERVICE, PGSSLMODE, …). Seeding
 * that outlives its psql, because the gate was killed, ends by itself.
 */
export function psqlEnvironment(env: NodeJS.ProcessEnv, major: number): Record<string, string> {
  const own: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && !name.startsWith("PG")) own[name] = value;
  }
  if (major >= NOTICES_GONE_CLIENT) own.PGOPTIONS = "-c client_connection_check_interval=1s";
  return own;
}

/** Since which major version a database can be dropped under its connections. */
const DROPS_BY_FORCE = 13;
/** Since which copies go through the log unless told otherwise, which takes twice as long. */
const COPIES_THROUGH_LOG = 15;

/** One statement each: none of them may run in a transaction. Both names are ours. */
export function copyCommands(place: { template: string; copy: string; major: number }): string[] {
  const { template, copy, major } = place;
  const drop =
    major >= DROPS_BY_FORCE
      ? [`DROP DATABASE IF EXISTS ${copy} WITH (FORCE)`]
      : [
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${copy}'`,
          `DROP DATABASE IF EXISTS ${copy}`,
        ];
  const how = major >= COPIES_THROUGH_LOG ? " STRATEGY = FILE_COPY" : "";
  return [...drop, `CREATE DATABASE ${copy} TEMPLATE ${template}${how}`];
}

/**
 * A transaction gets a number when it first writes, so that the next number counts those that have
 * written, rolled back ones included. Statistics are off (SETTINGS).
 */
export const WRITING_TRANSACTIONS = "SELECT txid_snapshot_xmax(txid_current_snapshot())";

/** `postgres (PostgreSQL) 15.14 (Debian 15.14-0+deb12u1)` -> 15.14; null for anything else. */
export function parseServerVersion(text: string): { version: string; major: number } | null {
  const version = /\(PostgreSQL\) (\d+(?:\.\d+)*)/.exec(text)?.[1];
  return version === undefined ? null : { version, major: Number.parseInt(version, 10) };
}
