// Whether a service is what its job says, unchanged by its sources: by GitHub's trees of both commits.
// A build may read more than its folder, which only the job has looked at.
import { posix } from "node:path";
import { ownSources } from "../../app/gate/unchanged.ts";
import type { Config } from "../../core/model/config.ts";
import { referenceOf, type Samples } from "../../core/model/samples.ts";
import { type GitHub, GitHubError } from "../../github/port.ts";

/**
 * What differs, in a sentence; null: nothing that GitHub shows. Of a commit with more files than it
 * lists, the service's own folder is looked at. `configPath` counts otherwise.
 */
export async function differingSource(
  github: Pick<GitHub, "tree">,
  { sources, unchanged = [] }: Pick<Samples, "sources" | "unchanged">,
  { services }: Config,
  configPath: string,
): Promise<string | null> {
  const trees = new Map<string, Promise<Map<string, string> | null>>();
  const treeOf = (commit: string, folder: string) => {
    const key = `${commit}:${folder}`;
    const tree = trees.get(key) ?? filesOf(github, commit, folder);
    trees.set(key, tree);
    return tree;
  };
  for (const { service } of unchanged.filter(({ by }) => by === "sources")) {
    const recipe = services.find(({ name }) => name === service)?.recipe;
    const reference = referenceOf(sources, service);
    if (recipe === undefined) continue;
    if (reference === null) return `${service} is said to be unchanged, and has no reference`;
    const commits = [sources.candidate.commit, reference.commit];
    const both = (folder: string) => Promise.all(commits.map((one) => treeOf(one, folder)));
    let [ours, theirs] = await both(".");
    if (ours == null || theirs == null) [ours, theirs] = await both(recipe.dir);
    if (ours == null || theirs == null) continue;
    const isOwn = ownSources(recipe);
    const differing = [...ours.keys(), ...theirs.keys()].find(
      (path) =>
        ours.get(path) !== theirs.get(path) && path !== posix.normalize(configPath) && isOwn(path),
    );
    if (differing !== undefined) {
      return `${service} is said to be unchanged, and ${differing} differs between ${commits.map((one) => one.slice(0, 10)).join(" and ")}`;
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
