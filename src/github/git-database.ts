// Commits and refs through GitHub's Git database: no clone, no git, and no branch until a commit is
// complete. Only unreachable objects are left behind by a failure, so every step may be sent again.
import { assertInvariant } from "../core/base/errors.ts";
import { commitAnswer, mutationAnswer, nodeAnswer, refAnswer, shaAnswer } from "./answers.ts";
import type { Task } from "./connection.ts";
import { type CommitRequest, GitHubError } from "./port.ts";

const REGULAR_FILE = { mode: "100644", type: "blob" };

export async function commitFiles(
  task: Task,
  { parent, rootless = false, message, files }: CommitRequest,
): Promise<string> {
  assertInvariant(files.size > 0 || parent !== null, "a commit without files");
  const base =
    parent === null
      ? null
      : await task.get(commitAnswer, `git/commits/${encodeURIComponent(parent)}`);
  const tree =
    files.size === 0 && base !== null
      ? base.tree
      : await task.send(shaAnswer, "POST", "git/trees", {
          base_tree: base?.tree.sha,
          tree: [...files].map(([path, content]) => ({
            path,
            ...REGULAR_FILE,
            ...(content === null ? { sha: null } : { content }),
          })),
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
function belowRefs(name: string): string {
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
    const made = { ref: `${REFS}${belowRefs(name)}`, sha };
    await task.create(refAnswer, "git/refs", made, async () =>
      (await branchSha(task, name)) === sha ? { object: { sha } } : null,
    );
    return;
  }
  const path = `git/refs/${refPath(belowRefs(name))}`;
  const moved = await task.send(refAnswer, "PATCH", path, { sha, force });
  if (moved.object.sha !== sha) throw movedMeanwhile(name);
}

const UPDATE_REFS =
  "mutation($input: UpdateRefsInput!) { updateRefs(input: $input) { clientMutationId } }";
/** As a value before: the ref is not there. */
const NOTHING = "0".repeat(40);
const MAY_NOT = new Set(["FORBIDDEN", "INSUFFICIENT_SCOPES"]);

/**
 * Compare and swap of a ref. REST has none: with force it moves a ref wherever it is by now, and
 * without force it asks for a move forward on branches only. GraphQL's updateRefs asks where it was.
 */
export async function swapBranch(
  task: Task,
  name: string,
  { from, to }: { from: string | null; to: string },
): Promise<void> {
  const { node_id: repositoryId } = await task.get(nodeAnswer, "");
  const update = {
    name: `${REFS}${belowRefs(name)}`,
    beforeOid: from ?? NOTHING,
    afterOid: to,
    force: true,
  };
  const { errors } = await task.send(mutationAnswer, "POST", "/graphql", {
    query: UPDATE_REFS,
    variables: { input: { repositoryId, refUpdates: [update] } },
  });
  if (errors.length === 0) return;
  const said = errors.map(({ message }) => message).join("; ");
  if (errors.some(({ type = "" }) => MAY_NOT.has(type))) throw task.forbidden(said);
  // A ref that was elsewhere and a fault within GitHub are answered in the same words, and a request
  // that was sent twice finds its own work.
  const now = await branchSha(task, name);
  if (now === to) return;
  throw now === from ? task.fail(said) : movedMeanwhile(name);
}

function movedMeanwhile(name: string): GitHubError {
  return new GitHubError("conflict", `${name} was moved by something else meanwhile`);
}

/** Slashes of a branch's name are slashes of the address; everything else is escaped. */
export function refPath(name: string): string {
  return name.split("/").map(encodeURIComponent).join("/");
}
