// The files of one revision, laid out in a folder of their own: a git worktree outside the
// checkout. Both arms are built and run from such folders, whose paths are equally long, because
// paths end up in binaries and environments and shift memory layout. The working tree is laid out
// too, not built in place: what is built is then exactly what was hashed, the user's own build
// folder is left alone, and nothing ignored by git can leak into one arm only.
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, relative } from "node:path";
import type { Clock } from "../sys/clock.ts";
import {
  isWritable,
  makeCacheFolder,
  makeTemporaryFolder,
  removeOlder,
  TEMPORARY,
} from "../sys/files.ts";
import { janitor } from "../sys/janitor.ts";
import { orNull } from "../sys/or-null.ts";
import type { Git, GitCommand } from "./git.ts";
import { hasOnlyPointers, LEAVE_POINTERS } from "./lfs.ts";
import { linkRepository } from "./linked-repository.ts";
import { refuseSettingsOfOthers } from "./obeyed-above.ts";
import { type Entry, listEntries, objectAt, type Revision } from "./source.ts";
import { layOutSubmodules } from "./submodules.ts";

export interface Checkout {
  /** Absolute path of the repository's root in it. */
  readonly root: string;
  /** What is missing in it, as in the checkout that we stand in. */
  readonly lacks: readonly Lack[];
  /**
   * Removes the folder and the record that git keeps of it. The janitor does so at the latest when
   * we end.
   */
  remove(): void;
}

export type Lack = "git-lfs=pointers" | "submodules=empty";

export interface CheckoutPorts {
  git: Git;
  /** The cache folder; the worktrees stand in its folder `build`. */
  cache: string;
  clock: Clock;
}

/**
 * Folders of this age were left by a run that died together with its janitor, as in a power cut.
 */
const FORGOTTEN_MS = 7 * 24 * 3600 * 1000;

/**
 * `only`: these files of the revision, at least one, and no repository around them: what is built of
 * them can hang on nothing else, the commit included. Null: all, as a git worktree.
 */
export async function checkOut(
  revision: Revision,
  ports: CheckoutPorts,
  only: readonly Entry[] | null = null,
): Promise<Checkout> {
  const { git } = ports;
  const parent = checkoutParent(git, ports.cache);
  const sinceMs = Date.parse(ports.clock.wallTime()) - FORGOTTEN_MS;
  if (basename(parent) === "build") removeOlder(parent, sinceMs, TEMPORARY);
  // One level down: a service that writes beside its folder would write where the other arm's does.
  const folder = makeTemporaryFolder(parent);
  const root = join(folder, basename(folder));
  // git names the record after the folder, whose name is random. Guarded by name and not by `git
  // worktree prune`, which skips a record that is locked (as it is while being made) and drops
  // records of the user's that are merely out of reach.
  const record = join(git.commonFolder, "worktrees", basename(root));
  janitor.guardPath(record);
  const forget = (): void => {
    janitor.removePath(record);
    // Other worktrees may have their records there.
    orNull(() => fs.rmdirSync(join(git.commonFolder, "worktrees")));
  };
  const remove = (): void => {
    janitor.removePath(folder);
    forget();
  };
  try {
    const { commit } = revision.source;
    if (isWritable(git.commonFolder)) {
      // It reads the records of all worktrees, and fails on one that another is in the middle of making.
      await oneAtATime(git.commonFolder, () =>
        git.read(["worktree", "add", "--detach", "--no-checkout", root, commit]),
      );
    } else {
      linkRepository(git.commonFolder, join(root, ".git"), commit);
    }
    const lacks: Lack[] = (await hasOnlyPointers(git)) ? ["git-lfs=pointers"] : [];
    const settings = lacks.length > 0 ? LEAVE_POINTERS : [];
    const command = { cwd: root, env: revision.objects, settings };
    if (only === null) {
      await git.read(["read-tree", "--reset", "-u", revision.tree], command);
    } else {
      await git.read(["read-tree", "--reset", revision.tree], command);
      await layOut(only, git, command);
      fs.rmSync(join(root, ".git"), { recursive: true });
      forget();
    }
    const hasSubmodules = (await objectAt(git, revision, ".gitmodules")) !== null;
    const files = hasSubmodules ? (only ?? (await listEntries(git, revision, ".", "all"))) : [];
    const folders = { from: git.root, to: root, index: join(folder, "index") };
    if (await layOutSubmodules(git, revision, files, folders, settings))
      lacks.push("submodules=empty");
    return { root, lacks, remove };
  } catch (error) {
    remove();
    throw error;
  }
}

/** Through git, so that line ends and filters are those of a full checkout. */
async function layOut(files: readonly Entry[], git: Git, command: GitCommand): Promise<void> {
  const folder = makeTemporaryFolder();
  try {
    const list = join(folder, "files");
    fs.writeFileSync(list, files.map(({ bytes }) => bytes).join("\0"), "latin1");
    const from = [`--pathspec-from-file=${list}`, "--pathspec-file-nul"];
    await git.read(["--literal-pathspecs", "checkout", "--quiet", ...from], command);
  } finally {
    janitor.removePath(folder);
  }
}

const underway = new Map<string, Promise<unknown>>();

/** Of what goes by one name in this process. */
export function oneAtATime<T>(name: string, work: () => Promise<T>): Promise<T> {
  const before = underway.get(name) ?? Promise.resolve();
  const result = before.then(work, work);
  underway.set(name, result);
  return result;
}

/**
 * In the cache, so that build folders can be moved in and out; not below the repository, whose
 * files tools would find.
 */
function checkoutParent(git: Git, cache: string): string {
  makeCacheFolder(join(cache, "build"));
  const inCache = fs.realpathSync(join(cache, "build"));
  const parent = relative(git.root, inCache).startsWith("..") ? inCache : fs.realpathSync(tmpdir());
  refuseSettingsOfOthers(parent);
  return parent;
}
