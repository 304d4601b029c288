// Whom a server runs as that refuses root.
import { UserError } from "../../../core/base/errors.ts";
import { readOrEmpty } from "../../sys/files.ts";

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
    {
      next: "Run the gate as another user.",
    },
  );
}
