// What a change started from, when an event says which commits it is made of. The merge base with
// the default branch, which is the gate's own guess, is wrong for a pull request into another
// branch.
import { UserError } from "../../core/base/errors.ts";
import type { Git } from "../../machine/build/git.ts";
import { startsFromItself as isItsOwnBase, resolveCommit } from "../../machine/build/source.ts";
import type { Project } from "./project.ts";

export interface Change {
  /** For messages: `pull request #12`. */
  name: string;
  /** The commit under test; its merge with the base may be checked out in its place. */
  head: string;
  /** A commit of the branch that it goes into; null: not known. */
  base: string | null;
}

const HISTORY = `Write:
- uses: actions/checkout@v7
  with:
    fetch-depth: 0`;

/**
 * Id of the commit to hold the checkout against; null when only the usual merge base is left.
 * Refuses a checkout of anything but the change: its verdict would be about something else.
 */
export async function findBaseOfChange(
  { name, head, base }: Change,
  { git }: Pick<Project, "git">,
): Promise<string | null> {
  const checkedOut = await resolveCommit(git, "HEAD");
  const parents = await parentsOf(git);
  const merged = parents.length === 2 && parents[1] === head;
  if (!merged && checkedOut !== head) {
    throw new UserError(
      `the checkout is of ${checkedOut?.slice(0, 10) ?? "no commit"}, which is neither ${head.slice(0, 10)}, the head of ${name}, nor its merge with the base`,
      {
        next: `Check out what the event is about: leave out \`ref:\`. If it is, the history is missing. ${HISTORY}`,
      },
    );
  }
  // GitHub's merge commit: its first parent is exactly what the change was merged into.
  if (merged) return parents[0] ?? null;
  if (base === null) return null;
  const common =
    (await resolveCommit(git, base)) === null
      ? null
      : await git.tryRead(["merge-base", base, head]);
  if (common !== null) return common;
  throw new UserError(`this clone has too little history to find what ${name} started from`, {
    detail: `it has no common ancestor of ${head.slice(0, 10)} and ${base.slice(0, 10)}`,
    next: HISTORY,
  });
}

async function parentsOf(git: Git): Promise<string[]> {
  const line = await git.read(["rev-list", "--parents", "--max-count=1", "HEAD"]);
  return line.trim().split(" ").slice(1);
}

/** Whether the checkout is a plain commit of the default branch, which is its own merge base. */
export async function startsFromItself(
  project: Pick<Project, "git" | "candidate">,
): Promise<boolean> {
  return isItsOwnBase(project.git, await project.candidate());
}
