// Whom a server runs as that refuses root.
import { UserError } from "../../../core/base/errors.ts";
import { runCommand } from "../../sys/process.ts";

const USERS = ["postgres", "nobody"] as const;

interface UnprivilegedUser {
  uid: number;
  gid: number;
}

/** Null when we are not root: then no other user is needed, nor could be had. */
export async function findUnprivilegedUser(): Promise<UnprivilegedUser | null> {
  if (process.getuid?.() !== 0) return null;
  for (const user of USERS) {
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

/**
 * setpriv replaces itself with the program: the process, its group and its CPUs stay what they are.
 */
export function asUser(user: UnprivilegedUser | null, argv: readonly string[]): string[] {
  return user === null
    ? [...argv]
    : ["setpriv", `--reuid=${user.uid}`, `--regid=${user.gid}`, "--clear-groups", ...argv];
}
