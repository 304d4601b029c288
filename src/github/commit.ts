// One commit made of whole files through GitHub's Git database: no clone, no git, and no branch
// until it is complete. Only unreachable objects are left behind by a failure, so every step may be
// sent again.
import { assertInvariant } from "../core/base/errors.ts";
import { commitAnswer, refAnswer, shaAnswer } from "./answers.ts";
import type { Task } from "./connection.ts";
import { createOnce } from "./create-once.ts";
import { type CommitRequest, GitHubError } from "./port.ts";

const REGULAR_FILE = "100644";

interface TreeEntry {
  path: string;
  mode: string;
  type: "blob";
  /** Text of the file; absent on deletion. */
  content?: string;
  /** null deletes. */
  sha?: null;
}

export async function commitFiles(
  task: Task,
  { parent, rootless = false, message, files }: CommitRequest,
): Promise<string> {
  assertInvariant(files.size > 0 || parent !== null, "a commit without files");
  const base =
    parent === null
      ? null
      : await task.get(commitAnswer, `git/commits/${encodeURIComponent(parent)}`);
  const entries = [...files].map(([path, content]): TreeEntry => {
    const entry = { path, mode: REGULAR_FILE, type: "blob" } as const;
    return content === null ? { ...entry, sha: null } : { ...entry, content };
  });
  const tree =
    entries.length === 0 && base !== null
      ? base.tree
      : await task.send(shaAnswer, "POST", "git/trees", {
          ...(base === null ? {} : { base_tree: base.tree.sha }),
          tree: entries,
        });
  // No author and no date: GitHub then signs the commit as the token's owner.
  const commit = await task.send(commitAnswer, "POST", "git/commits", {
    message,
    tree: tree.sha,
    parents: parent === null || rootless ? [] : [parent],
  });
  return commit.sha;
}

const REFS = "refs/";

/** A branch, or whatever is named whole, below `refs/`. */
export function belowRefs(name: string): string {
  return name.startsWith(REFS) ? name.slice(REFS.length) : `heads/${name}`;
}

/** The commit of a branch, null where there is none. */
export async function branchSha(task: Task, name: string): Promise<string | null> {
  const ref = await task.getOrNull(refAnswer, `git/ref/${refPath(belowRefs(name))}`);
  return ref?.object.sha ?? null;
}

export async function pushBranch(
  task: Task,
  name: string,
  sha: string,
  { force }: { force: boolean },
): Promise<void> {
  const current = await branchSha(task, name);
  if (current === sha) return;
  if (current === null) {
    await createOnce(task, {
      create: async () => {
        const ref = `${REFS}${belowRefs(name)}`;
        await task.send(refAnswer, "POST", "git/refs", { ref, sha }, "once");
        return sha;
      },
      find: async () => ((await branchSha(task, name)) === sha ? sha : null),
    });
    return;
  }
  const moved = await task.send(refAnswer, "PATCH", `git/refs/${refPath(belowRefs(name))}`, {
    sha,
    force,
  });
  if (moved.object.sha !== sha) {
    throw new GitHubError("conflict", `the branch ${name} was moved by something else meanwhile`);
  }
}

/** Slashes of a branch's name are slashes of the address; everything else is escaped. */
export function refPath(name: string): string {
  return name.split("/").map(encodeURIComponent).join("/");
}
