// What lies in submodules. Where this checkout has them (`submodules: true`), each version gets its own
// commit of them, wherever it has them; where one is empty here, it is empty in both versions. One
// that is not even empty here, since the change removed it or has its files itself, and that cannot be
// had, is told.
import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { UserError } from "../../core/base/errors.ts";
import { orNull } from "../sys/or-null.ts";
import type { Git, GitCommand } from "./git.ts";
import { listSubmodules } from "./gitmodules.ts";
import { type Entry, gitPath, listEntries, objectAt, type Revision } from "./source.ts";

/** What they lie in: our checkout, and the one that is made. */
interface Folders {
  from: string;
  to: string;
  /** A file that may be made for the time being. */
  index: string;
}

/** Of the files of a revision those that are submodules. True: some of them are empty. */
export async function layOutSubmodules(
  git: Git,
  revision: Pick<Revision, "tree" | "objects">,
  files: readonly Entry[],
  { from, to, index }: Folders,
  settings: GitCommand["settings"],
): Promise<boolean> {
  const { objects } = revision;
  const blob = await objectAt(git, revision, ".gitmodules");
  const links = files.filter(({ mode }) => mode === "160000");
  if (blob === null || links.length === 0) return false;
  const names = await listSubmodules(git, ["--blob", blob], objects);
  const ours = await listSubmodules(git, ["--file", join(from, ".gitmodules")]);
  const here = new Map([...ours].map(([path, name]) => [name, join(from, path)]));
  const kept = await gitPath(git, "modules", objects);
  let hasEmpty = false;
  for (const { id, path } of links) {
    const name = names.get(path);
    if (name === undefined) continue;
    const own = here.get(name);
    if (own !== undefined && orNull(() => readdirSync(own))?.length === 0) {
      hasEmpty = true;
      continue;
    }
    // A commit is the same in whichever repository has it.
    const folder = own ?? join(from, path);
    const repository = join(kept, name);
    const GIT_DIR = await holderOf(git, id, folder, repository);
    const inner = { from: folder, to: join(to, path), index };
    const place = { GIT_DIR, GIT_WORK_TREE: inner.to };
    mkdirSync(inner.to, { recursive: true });
    const env = { ...place, GIT_INDEX_FILE: index };
    await git.read(["read-tree", "--reset", "-u", id], { cwd: inner.to, env, settings });
    rmSync(index);
    const commit = { tree: id, objects: place };
    const below = await listEntries(git, commit, ".", "all");
    if (await layOutSubmodules(git, commit, below, inner, settings)) hasEmpty = true;
  }
  return hasEmpty;
}

/** `repository`: where git keeps that of a submodule, also of one that is laid out nowhere. */
async function holderOf(git: Git, id: string, folder: string, repository: string): Promise<string> {
  const words = ["rev-parse", "--verify", "--quiet", `${id}^{commit}`];
  const own = join(folder, ".git");
  for (const place of [own, repository].filter((one) => existsSync(one))) {
    if ((await git.tryRead(words, { env: { GIT_DIR: place } })) !== null) return place;
  }
  const message = `${folder} lacks commit ${id.slice(0, 12)}, which a version has of this submodule`;
  throw new UserError(message, {
    next: existsSync(own)
      ? `Fetch it: \`git -C '${folder}' fetch origin ${id}\`, or in a workflow \`fetch-depth: 0\` beside \`submodules\` of actions/checkout.`
      : `Fetch it: \`git clone --bare <url of the submodule> '${repository}'\`, in a workflow after actions/checkout.`,
  });
}
