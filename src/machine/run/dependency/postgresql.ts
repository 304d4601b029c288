// A PostgreSQL server in a folder of its own, for one run: tuned to do the same work every time,
// not to keep data.
import { chownSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { UserError } from "../../../core/base/errors.ts";
import type { Places } from "../../../core/config/fill-places.ts";
import { makeTemporaryFolder } from "../../sys/files.ts";
import { janitor } from "../../sys/janitor.ts";
import { type ChildGroup, runCommand, spawnGroup } from "../../sys/process.ts";
import { findFreePort } from "../service/free-port.ts";
import { describeExit } from "../service/running-service.ts";
import { placesAt, type RunningDependency } from "./dependency.ts";
import { type DatabasesWanted, makeDatabases } from "./postgresql-databases.ts";
import {
  initdbArguments,
  OWNER,
  parseServerVersion,
  SETTINGS,
  serverArguments,
} from "./postgresql-plan.ts";
import { findPostgresFolder } from "./server-program.ts";
import { type DependencyStart, secondsSince, throwIfStopped } from "./start.ts";
import { stopChild } from "./stop-child.ts";
import { asUser, findUnprivilegedUser } from "./unprivileged-user.ts";

const READY = /database system is ready to accept connections/;
const START_TIMEOUT_MS = 60_000;
const STOP_GRACE_MS = 10_000;

export async function startPostgresql(
  name: string,
  { schemas, isolation }: DatabasesWanted,
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
    await waitUntil(() => ready, { name, child, start });
    await forgetSharedMemory(data);
    start.progress.note(
      `${name}: PostgreSQL ${version} on port ${port}, started in ${secondsSince(startedMs, start)}`,
    );

    const server = { name, port, psql: join(programs, "psql"), major, start };
    const databases = await makeDatabases(server, { schemas, isolation });
    const { pid, exit, tail } = child;
    const places = (database: string): Places =>
      placesAt(port, { scheme: "postgresql", user: OWNER, database });
    return {
      name,
      facts: () => ({
        program: `PostgreSQL ${version}`,
        contents: {
          candidate: schemas.candidate?.identity ?? null,
          reference: schemas.reference?.identity ?? null,
        },
        ...databases.isolationFacts(),
        settings: SETTINGS,
      }),
      pid: pid ?? 0,
      places: (arm) => places(databases.nameFor(arm)),
      reset: (arm) => databases.reset(arm),
      exit,
      tail: () => tail().join("\n"),
      stop,
      template: {
        places: () => places(databases.templateName()),
        settle: () => databases.settle(),
      },
      ...(isolation === undefined ? { undecided: databases } : {}),
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
  { name, child, start }: { name: string; child: ChildGroup; start: DependencyStart },
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
