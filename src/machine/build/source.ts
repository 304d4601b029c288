// Which code the two arms are: the working tree as it is, and the commit it is held against. Reads
// the repository and never changes it: the objects that describe uncommitted files go into a
// temporary folder.
import { copyFileSync, existsSync, mkdirSync, statSync, utimesSync } from "node:fs";
import { join, resolve } from "node:path";
import { UserError } from "../../core/base/errors.ts";
import { nearest } from "../../core/base/nearest.ts";
import type { Source } from "../../core/model/samples.ts";
import { makeTemporaryFolder, unwritable } from "../sys/files.ts";
import { janitor } from "../sys/janitor.ts";
import type { Git, GitCommand } from "./git.ts";
import { listSubmodules } from "./gitmodules.ts";

/**
 * One state of the whole repository, fixed: what is hashed is what is built, whatever is edited
 * meanwhile.
 */
export interface Revision {
  source: Source;
  /** Id of the root tree. */
  tree: string;
  /** What git needs to find objects that only a temporary folder has; empty for a commit. */
  objects: Record<string, string>;
}

const SOUGHT = "main or master, here or of origin or upstream";

/** The working tree as it is: uncommitted changes and new files that are not ignored included. */
export async function resolveCandidate(git: Git): Promise<Revision> {
  const commit = await resolveCommit(git, "HEAD");
  if (commit === null) {
    throw new UserError(`the repository ${git.root} has no commit yet`, {
      next: "Commit something first: every measurement names the commit it was made of.",
    });
  }
  const snapshot = await snapshotWorkingTree(git, commit);
  const branch = await git.tryRead(["symbolic-ref", "--quiet", "--short", "HEAD"]);
  // A workflow checks out the merge of a pull request that GitHub made.
  const merged = await git.tryRead(["rev-parse", "--quiet", "--verify", "HEAD^2"]);
  const label = branch ?? (merged === null ? "detached HEAD" : "merge commit");
  const { tree, dirty, objects } = snapshot;
  return { source: { commit, label, dirty, subject: await subjectOf(git, commit) }, tree, objects };
}

/**
 * What the candidate is held against: `spec` when given; else the merge base of HEAD with the
 * default branch, of `origin` or, if that is later, of `upstream`; else, where that is HEAD itself or
 * there is no such branch, the commit before. The label says which. Never HEAD because history is
 * missing: that would hold the change against itself.
 */
export async function resolveReference(
  git: Git,
  spec: string | null,
  candidate: Revision,
): Promise<Revision> {
  if (spec !== null) {
    const commit = await resolveCommit(git, spec);
    if (commit === null) throw await unknownRevision(git, spec);
    return revisionOf(git, commit, labelOf(commit, spec, candidate));
  }
  const head = candidate.source.commit;
  const branches = await defaultBranches(git);
  const found = await mergeBase(git, head, branches);
  if (found !== undefined) {
    const { base, branch } = found;
    return base === head
      ? commitBefore(git, candidate, `HEAD is on ${namesOf([branch])}`)
      : revisionOf(git, base, `merge base with ${namesOf([branch])}`);
  }
  if (await isShallow(git)) {
    throw new UserError("this clone has too little history to find what the change started from", {
      detail: `it holds no common ancestor of HEAD and ${namesOf(branches) || SOUGHT}`,
      next: DEEPEN,
    });
  }
  if (branches.length > 0) {
    throw new UserError(`HEAD has no commit in common with ${namesOf(branches)}`, {
      next: "Name the commit to compare with as the reference.",
    });
  }
  if ((await git.read(["for-each-ref", "--count=1", "refs/remotes"])) !== "") {
    throw new UserError("cannot tell which branch changes are merged into", {
      detail: `there is no ${SOUGHT}`,
      next: "Name the reference, or run `git remote set-head origin --auto`.",
    });
  }
  return commitBefore(git, candidate, "there is no default branch");
}

/** As people call them: `origin/main, main`. */
const namesOf = (branches: readonly string[]): string =>
  branches.map((ref) => ref.replace(/^refs\/(remotes|heads)\//, "")).join(", ");

/** Whether HEAD is a commit of the default branch, as it stands there. */
export async function startsFromItself(git: Git, { source }: Revision): Promise<boolean> {
  if (source.dirty) return false;
  const found = await mergeBase(git, source.commit, await defaultBranches(git));
  return found?.base === source.commit;
}

/**
 * With the first that has one, or with one of `upstream`, if that is later: a fork may lag behind. Of
 * two branches together git names the later base.
 */
async function mergeBase(git: Git, head: string, branches: readonly string[]) {
  let found: { base: string; branch: string } | undefined;
  for (const branch of branches) {
    if (found !== undefined && !branch.startsWith("refs/remotes/upstream/")) continue;
    const { base: known, branch: first = branch } = found ?? {};
    const base = await git.tryRead(["merge-base", head, first, branch]);
    if (base !== null && base !== known) found = { base, branch };
  }
  return found;
}

/**
 * What a commit that is its own merge base is held against: uncommitted changes against HEAD, a
 * commit against its first parent. The first commit of a repository has none.
 */
async function commitBefore(git: Git, candidate: Revision, why: string): Promise<Revision> {
  const { commit, dirty } = candidate.source;
  if (dirty) return revisionOf(git, commit, "HEAD without the uncommitted changes");
  const parent = await resolveCommit(git, `${commit}^`);
  if (parent !== null) return revisionOf(git, parent, `HEAD^, as ${why}`);
  if (await isShallow(git)) {
    throw new UserError(`${why}, and this clone does not hold the commit before it`, {
      next: "Fetch it: `git fetch --deepen=1`. Or name the commit to compare with as the reference.",
    });
  }
  return revisionOf(git, commit, labelOf(commit, "HEAD, the first commit", candidate));
}

const DEEPEN =
  "Fetch the history: `git fetch --unshallow origin`, or in a workflow `fetch-depth: 0` for actions/checkout.";

/** In what the working tree differs from its commit: paths from the root, new and removed ones too. */
export async function uncommittedPaths(git: Git, candidate: Revision): Promise<string[]> {
  const { source, tree, objects } = candidate;
  const args = ["diff-tree", "-r", "-z", "--name-only", "--no-renames", source.commit, tree];
  const changed = await git.read(args, { env: objects });
  return changed.split("\0").filter((path) => path !== "");
}

/** A commit of the repository as a revision, for instance the one that a baseline names. */
export async function revisionOf(git: Git, commit: string, label: string): Promise<Revision> {
  return {
    source: { commit, label, dirty: false, subject: await subjectOf(git, commit) },
    tree: await git.read(["rev-parse", "--verify", `${commit}^{tree}`]),
    objects: {},
  };
}

/** Full id of the commit that `spec` names; null when there is none. */
export async function resolveCommit(git: Git, spec: string): Promise<string | null> {
  if (spec === "" || spec.startsWith("-") || spec.includes("\0")) return null;
  return git.tryRead(["rev-parse", "--verify", "--quiet", "--end-of-options", `${spec}^{commit}`]);
}

/**
 * A file of a revision, for instance its own tailgate.yml; null when it has none. `path` is
 * relative to the root.
 */
export async function readFileAt(
  git: Git,
  revision: Revision,
  path: string,
): Promise<string | null> {
  const command = { env: revision.objects };
  const id = await objectAt(git, revision, path);
  if (id === null || (await git.read(["cat-file", "-t", id], command)) !== "blob") return null;
  return git.read(["cat-file", "blob", id], command);
}

/**
 * Id of a folder or file of a revision, null when it has none. Equal ids are equal contents. `.` is
 * the root.
 */
export async function objectAt(
  git: Git,
  revision: Pick<Revision, "tree" | "objects">,
  path: string,
): Promise<string | null> {
  if (path === "." || path === "") return revision.tree;
  return git.tryRead(["rev-parse", "--verify", "--quiet", `${revision.tree}:${path}`], {
    env: revision.objects,
  });
}

export interface Entry {
  mode: string;
  /** Equal ids are equal contents. */
  id: string;
  /** From the root. */
  path: string;
  /** The same with one character for each byte: names need not be UTF-8. */
  bytes: string;
}

/**
 * `all`: every file below the folder. `files`: those in the folder itself. None when there is no
 * such folder.
 */
export async function listEntries(
  git: Git,
  revision: Pick<Revision, "tree" | "objects">,
  folder: string,
  which: "all" | "files",
): Promise<Entry[]> {
  const tree = await objectAt(git, revision, folder);
  if (tree === null) return [];
  const args = ["ls-tree", "-z", ...(which === "all" ? ["-r"] : []), tree];
  const listed = await git.read(args, { env: revision.objects, bytes: true });
  return listed.split("\0").flatMap((line) => {
    const [, mode, type, id, name] = /^(\d+) (\w+) (\w+)\t([\s\S]*)$/.exec(line) ?? [];
    if (mode === undefined || id === undefined || name === undefined || type === "tree") return [];
    const bytes = folder === "." ? name : `${Buffer.from(folder).toString("latin1")}/${name}`;
    return [{ mode, id, path: Buffer.from(bytes, "latin1").toString(), bytes }];
  });
}

function labelOf(commit: string, chosen: string, candidate: Revision): string {
  if (commit !== candidate.source.commit) return chosen;
  return candidate.source.dirty
    ? `${chosen}: HEAD without the uncommitted changes`
    : `${chosen}: same commit, A/A`;
}

function subjectOf(git: Git, commit: string): Promise<string> {
  return git.read(["log", "-1", "--no-show-signature", "--format=%s", commit]);
}

/**
 * The branch that changes are merged into, best guess first, if the clone knows it. By its full name:
 * a tag, or a local branch called origin/main, may have the short one.
 */
async function defaultBranches(git: Git): Promise<string[]> {
  const found: string[] = [];
  for (const place of ["remotes/origin/", "remotes/upstream/", "heads/"]) {
    const own = await git.tryRead(["symbolic-ref", "--quiet", `refs/${place}HEAD`]);
    for (const ref of [own ?? "", `refs/${place}main`, `refs/${place}master`]) {
      if (!found.includes(ref) && (await resolveCommit(git, ref)) !== null) found.push(ref);
    }
  }
  return found;
}

async function isShallow(git: Git): Promise<boolean> {
  return (await git.read(["rev-parse", "--is-shallow-repository"])) === "true";
}

async function unknownRevision(git: Git, spec: string): Promise<UserError> {
  const kinds = ["refs/heads", "refs/tags", "refs/remotes"];
  const listed = await git.read(["for-each-ref", "--format=%(refname:short)", ...kinds]);
  const names = listed.split("\n");
  const meant = names.find((name) => name.endsWith(`/${spec}`)) ?? nearest(spec, names);
  const next = meant !== null ? `Did you mean ${meant}?` : (await isShallow(git)) ? DEEPEN : null;
  return new UserError(`no commit is named '${spec}' in ${git.root}`, { next: next ?? undefined });
}

/**
 * The tree that `git add --all` and a commit would make now, made without touching the index or the
 * object store.
 */
async function snapshotWorkingTree(
  git: Git,
  commit: string,
): Promise<{ tree: string; dirty: boolean; objects: Record<string, string> }> {
  const folder = makeTemporaryFolder();
  const objects = {
    GIT_OBJECT_DIRECTORY: join(folder, "objects"),
    GIT_ALTERNATE_OBJECT_DIRECTORIES: quotedListItem(await gitPath(git, "objects")),
  };
  const index = join(folder, "index");
  const env = { ...objects, GIT_INDEX_FILE: index };
  const ownIndex = await gitPath(git, "index");
  try {
    mkdirSync(objects.GIT_OBJECT_DIRECTORY);
    if (existsSync(ownIndex)) copyFileSync(ownIndex, index);
  } catch (error) {
    throw unwritable(index, error, "Free space there, or set TMPDIR to another folder.");
  }
  if (existsSync(index)) {
    // git trusts a file's time stamp when it is older than the index: the copy must not look newer
    // than its original.
    const seconds = Math.floor(statSync(ownIndex).mtimeMs / 1000);
    utimesSync(index, seconds, seconds);
  } else {
    await git.read(["read-tree", commit], { env });
  }
  await git.read(["add", "--all"], { env });
  if (existsSync(join(git.root, ".gitmodules"))) await refuseChangedSubmodules(git, env);
  const tree = await git.read(["write-tree"], { env });
  if (tree === (await git.read(["rev-parse", "--verify", `${commit}^{tree}`]))) {
    janitor.removePath(folder);
    return { tree, dirty: false, objects: {} };
  }
  return { tree, dirty: true, objects };
}

/** `env`: of an index that is the working tree as it is, which has a commit of each submodule. */
async function refuseChangedSubmodules(git: Git, env: GitCommand["env"] = {}): Promise<void> {
  const words = ["diff-files", "--raw", "-z", "--ignore-submodules=untracked"];
  const listed = (await git.read(words, { env })).split("\0");
  const named = await listSubmodules(git, ["--file", join(git.root, ".gitmodules")]);
  const changed = listed.filter(
    (path, at) => named.has(path) && listed[at - 1]?.startsWith(":160000 "),
  );
  if (changed.length === 0) return;
  throw new UserError(`submodules have uncommitted changes: ${changed.join(", ")}`, {
    next: "Commit them there: of a submodule a version has a commit.",
  });
}

/** Where git keeps it. `env`: of another repository. */
export async function gitPath(git: Git, name: string, env = {}): Promise<string> {
  return resolve(git.root, await git.read(["rev-parse", "--git-path", name], { env }));
}

/** One folder of a colon-separated list as git reads it: quoted as in C when it holds a colon. */
function quotedListItem(path: string): string {
  return /[:"]/.test(path) ? `"${path.replaceAll(/[\\"]/g, "\\$&")}"` : path;
}
