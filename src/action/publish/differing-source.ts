// Whether a service is what its job says, unchanged by its sources: by GitHub's trees of both commits.
// A build may read more than its folder, which only the job has looked at.
import { posix } from "node:path";
import { ownSources } from "../../app/gate/unchanged.ts";
import type { Config } from "../../core/model/config.ts";
import { referenceOf, type Samples } from "../../core/model/samples.ts";
import { type GitHub, GitHubError } from "../../github/port.ts";

/**
 * What differs, in a sentence; null: nothing that GitHub shows. Of a commit with more files than it
 * lists, the service's own folder is looked at. `configPath` counts otherwise. Whoever wrote a merge
 * of the head chose its files: those of the head must be as where it left the base, or as compared with.
 */
export async function differingSource(
  github: Pick<GitHub, "tree" | "compare">,
  { sources, unchanged = [] }: Pick<Samples, "sources" | "unchanged">,
  { services }: Config,
  { configPath, head, base }: Record<"configPath" | "head" | "base", string>,
): Promise<string | null> {
  const trees = new Map<string, Promise<Map<string, string> | null>>();
  const treeOf = (commit: string, folder: string) => {
    const key = `${commit}:${folder}`;
    const tree = trees.get(key) ?? filesOf(github, commit, folder);
    trees.set(key, tree);
    return tree;
  };
  const { commit } = sources.candidate;
  const claimed = unchanged.filter(({ by }) => by === "sources");
  const isMerge = claimed.length > 0 && commit !== head;
  const left = isMerge ? (await github.compare(base, head))?.mergeBase : undefined;
  for (const { service } of claimed) {
    const recipe = services.find(({ name }) => name === service)?.recipe;
    const reference = referenceOf(sources, service)?.commit;
    if (recipe === undefined) continue;
    if (reference === undefined) return `${service} is said to be unchanged, and has no reference`;
    const commits = [reference, commit, head, left ?? reference];
    const all = (folder: string) => Promise.all(commits.map((one) => treeOf(one, folder)));
    const found = await all(".");
    const [theirs, ours, own, before] = found.includes(null) ? await all(recipe.dir) : found;
    if (theirs == null || ours == null || own == null || before == null) continue;
    const isOwn = ownSources(recipe);
    const isSame = (path: string): boolean =>
      ours.get(path) === theirs.get(path) &&
      [theirs, before].some((one) => one.get(path) === own.get(path));
    const differing = [theirs, ours, own]
      .flatMap((one) => [...one.keys()])
      .find((path) => !isSame(path) && path !== posix.normalize(configPath) && isOwn(path));
    if (differing !== undefined) {
      return `${service} is said to be unchanged, and ${differing} differs from that of ${reference.slice(0, 10)}`;
    }
  }
  return null;
}

/** Paths from the root. Null: there are more than GitHub lists. */
async function filesOf(github: Pick<GitHub, "tree">, commit: string, folder: string) {
  try {
    const files = await github.tree(commit, folder);
    return new Map(files.map(({ path, sha }) => [posix.join(folder, path), sha]));
  } catch (thrown) {
    if (thrown instanceof GitHubError && thrown.reason === "too-large") return null;
    throw thrown;
  }
}
