// Finds the programs of database servers, which Debian keeps off the PATH, and whom one runs as that
// refuses root.
import { delimiter, join } from "node:path";
import { UserError } from "../../../core/base/errors.ts";
import { isExecutable, tryFindProgram } from "../../sys/find-program.ts";
import { listOrEmpty, readOrEmpty } from "../../sys/or-null.ts";

/** Folders of versions, such as /usr/lib/postgresql/15/bin. */
const VERSIONED = "/usr/lib/postgresql";

/** The newest installed PostgreSQL: its folder of programs. */
export function findPostgresFolder(path = process.env.PATH ?? "", versioned = VERSIONED): string {
  const folders = [...versionsIn(versioned), ...path.split(delimiter)];
  const found = folders.find((folder) =>
    ["initdb", "postgres", "psql"].every((name) => isExecutable(join(folder, name))),
  );
  if (found !== undefined) return found;
  throw new UserError("PostgreSQL is not installed: no folder has initdb, postgres and psql", {
    detail: `looked in ${join(versioned, "*/bin")} and on the PATH`,
    next: "Install it: apt-get install postgresql",
  });
}

export function findRedis(path = process.env.PATH ?? ""): string {
  const found = tryFindProgram("redis-server", path);
  if (found !== null) return found;
  throw new UserError("Redis is not installed: redis-server is not on the PATH", {
    next: "Install it: apt-get install redis-server",
  });
}

/** Newest first: 17 before 9.6. */
function versionsIn(folder: string): string[] {
  return listOrEmpty(folder)
    .filter((name) => /^\d+(\.\d+)?$/.test(name))
    .sort((a, b) => Number(b) - Number(a))
    .map((name) => join(folder, name, "bin"));
}

export interface UnprivilegedUser {
  uid: number;
  gid: number;
}

/** Null when we are not root: then no other user is needed, nor could be had. */
export function findUnprivilegedUser(): UnprivilegedUser | null {
  if (process.getuid?.() !== 0) return null;
  const users = readOrEmpty("/etc/passwd");
  const found =
    /^postgres:[^:]*:(\d+):(\d+):/m.exec(users) ?? /^nobody:[^:]*:(\d+):(\d+):/m.exec(users);
  if (found !== null) return { uid: Number(found[1]), gid: Number(found[2]) };
  throw new UserError(
    "PostgreSQL refuses to run as root, and there is no user postgres or nobody",
    { next: "Run the gate as another user." },
  );
}
