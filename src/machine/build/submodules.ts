// What lies in submodules. Where this checkout has them (`submodules: true`), each version gets its own
// commit of them; where one is empty here, it is empty in both versions.
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { UserError } from "../../core/base/errors.ts";
import type { Git, GitCommand } from "./git.ts";
import { type Entry, listEntries } from "./source.ts";

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
  files: readonly Entry[],
  { from, to, index }: Folders,
  settings: GitCommand["settings"],
): Promise<boolean> {
  let hasEmpty = false;
  for (const { id, path } of files.filter(({ mode }) => mode === "160000")) {
    const inner = { from: join(from, path), to: join(to, path), index };
    const place = { GIT_DIR: join(inner.from, ".git"), GIT_WORK_TREE: inner.to };
    if (!existsSync(place.GIT_DIR)) {
      hasEmpty = true;
      continue;
    }
    await assertHas(git, id, inner.from, place);
    mkdirSync(inner.to, { recursive: true });
    const env = { ...place, GIT_INDEX_FILE: index };
    await git.read(["read-tree", "--reset", "-u", id], { cwd: inner.to, env, settings });
    rmSync(index);
    const below = await listEntries(git, { tree: id, objects: place }, ".", "all");
    if (await layOutSubmodules(git, below, inner, settings)) hasEmpty = true;
  }
  return hasEmpty;
}

async function assertHas(git: Git, id: string, folder: string, env: GitCommand["env"] = {}) {
  const words = ["rev-parse", "--verify", "--quiet", `${id}^{commit}`];
  if ((await git.tryRead(words, { env })) !== null) return;
  const message = `${folder} lacks commit ${id.slice(0, 12)}, which a version has of this submodule`;
  throw new UserError(message, {
    next: `Fetch it: \`git -C '${folder}' fetch origin ${id}\`, or in a workflow \`fetch-depth: 0\` beside \`submodules\` of actions/checkout.`,
  });
}
