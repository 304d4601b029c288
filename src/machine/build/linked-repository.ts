// A repository that is read-only takes no record of a worktree. What stands in for one is a
// repository of links to it, as git's own contrib/workdir makes them.
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** `from`, `to`: `.git` folders; the latter is made, and stands at `commit`. */
export function linkRepository(from: string, to: string, commit: string): void {
  mkdirSync(to, { recursive: true });
  for (const name of ["config", "info", "objects", "packed-refs", "refs", "shallow"]) {
    symlinkSync(join(from, name), join(to, name));
  }
  writeFileSync(join(to, "HEAD"), `${commit}\n`);
}
