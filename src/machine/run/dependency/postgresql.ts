// A PostgreSQL server in a folder of its own, for one run: tuned to do the same work every time,
// not to keep data.
import { chownSync } from "node:fs";
import { join } from "node:path";
import { throwIfStopped, UserError } from "../../../core/base/errors.ts";
import type { Places } from "../../../core/config/fill-places.ts";
import type { Isolation } from "../../../core/model/config.ts";
import { makeTemporaryFolder, readOrEmpty } from "../../sys/files.ts";
import { janitor } from "../../sys/janitor.ts";
import { runCommand } from "../../sys/process.ts";
import { findFreePort } from "../service/free-port.ts";
import { contentsOf, type DataSeeds, placesAt, type RunningDependency } from "./dependency.ts";
import { makeDatabases } from "./postgresql-databases.ts";
import {
  initdbArguments,
  OWNER,
  parseServerVersion,
  SETTINGS,
  serverArguments,
} from "./postgresql-plan.ts";
import { findPostgresFolder } from "./server-program.ts";
import { type DependencyStart, startServer } from "./start.ts";
import { findUnprivilegedUser } from "./unprivileged-user.ts";

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
  const user = findUnprivilegedUser();
  // Not the memory folder: containers keep that small.
  const folder = makeTemporaryFolder();
  if (user !== null) chownSync(folder, user.uid, user.gid);
  const data = join(folder, "data");
  const port = await findFreePort();
  const program = `PostgreSQL ${version}`;
  let stop = async (): Promise<void> => janitor.removePath(folder);
  try {
    const made = await runCommand([join(programs, "initdb"), ...initdbArguments(data)], {
      ...user,
      cwd: folder,
      timeoutMs: SERVER.timeoutMs,
      abort: start.abort,
    });
    throwIfStopped(start.abort);
    if (made.code !== 0) {
      throw new UserError(`${name}: initdb failed`, { detail: made.tail.join("\n") });
    }
    const words = serverArguments({ data, sockets: folder, port });
    const argv = [join(programs, "postgres"), ...words];
    const own = { ...SERVER, program, startedMs, argv, user, folder, port };
    const running = await startServer(name, own, start);
    stop = running.stop;
    await forgetSharedMemory(data);
    const server = { name, port, psql: join(programs, "psql"), major, start };
    const databases = await makeDatabases(server, seeds, isolation);
    const places = (database: string): Places =>
      placesAt(port, { scheme: "postgresql", user: OWNER, database });
    return {
      ...running,
      facts: () => ({ program, contents: contentsOf(seeds), isolation, settings: SETTINGS }),
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
 * The server's System V segment, which only guards its folder against a second server, would
 * outlive a SIGKILL. Marked as removed it lives as long as the server's processes. Its number is
 * the last in the seventh line of postmaster.pid.
 */
async function forgetSharedMemory(data: string): Promise<void> {
  const line = readOrEmpty(join(data, "postmaster.pid")).split("\n")[6] ?? "";
  const id = /\d+$/.exec(line.trim())?.[0];
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
