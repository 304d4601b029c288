// Whether a service is what its job says, unchanged by its sources: by GitHub's trees of both commits.
// A build may read more than its folder, which only the job has looked at.
import { posix } from "node:path";
import { isOwnSource } from "../../app/gate/unchanged.ts";
import type { Config } from "../../core/model/config.ts";
import { referenceOf, type Samples } from "../../core/model/samples.ts";
import { type GitHub, GitHubError } from "../../github/port.ts";

/** What differs, in a sentence; null: nothing that GitHub shows. `configPath` counts otherwise. */
export async function differingSource(
  github: Pick<GitHub, "tree">,
  { sources, unchanged = [] }: Samples,
  { services }: Config,
  configPath: string,
): Promise<string | null> {
  const trees = new Map<string, Promise<Map<string, string> | null>>();
  const treeOf = (commit: string) => {
    const tree = trees.get(commit) ?? filesOf(github, commit);
    trees.set(commit, tree);
    return tree;
  };
  for (const { service } of unchanged.filter(({ by }) => by === "sources")) {
    const recipe = services.find(({ name }) => name === service)?.recipe;
    const commits = [sources.candidate.commit, referenceOf(sources, service)?.commit ?? ""];
    const [ours, theirs] = await Promise.all(commits.map(treeOf));
    if (recipe === undefined || ours == null || theirs == null) continue;
    const differing = [...ours.keys(), ...theirs.keys()].find(
      (path) =>
        ours.get(path) !== theirs.get(path) &&
        path !== posix.normalize(configPath) &&
        isOwnSource(path, recipe),
    );
    if (differing !== undefined) {
      return `${service} is said to be unchanged, and ${differing} differs between ${commits.map((one) => one.slice(0, 10)).join(" and ")}`;
    }
  }
  return null;
}

/** Null: there are more than GitHub lists. */
async function filesOf(github: Pick<GitHub, "tree">, commit: string) {
  try {
    return new Map((await github.tree(commit)).map(({ path, sha }) => [path, sha]));
  } catch (thrown) {
    if (thrown instanceof GitHubError && thrown.reason === "too-large") return null;
    throw thrown;
  }
}
