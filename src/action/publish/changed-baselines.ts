// Which stored baselines a pull request changes: who looks at its verdict should look at those too.
import { posix } from "node:path";
import type { GitHub } from "../../github/port.ts";

/** `<runner class>/<service>@<machine>.json`; a runner's profile begins with an underscore. */
const BASELINE = /^[^/]+\/[^/_][^/]*\.json$/;

/**
 * Paths in `dir` whose content in `head` is neither that of `base` nor that of where it left `base`,
 * of any runner and service. What was measured may be a merge, in which anybody may write any files.
 */
export async function changedBaselines(
  github: Pick<GitHub, "compare" | "tree">,
  dir: string,
  { head, base }: Record<"head" | "base", string>,
): Promise<string[]> {
  const stored = async (commit: string) => {
    const files = (await github.tree(commit, dir)).filter(({ path }) => BASELINE.test(path));
    return new Map(files.map(({ path, sha }) => [posix.join(dir, path), sha]));
  };
  const [ours, theirs] = [await stored(head), await stored(base)];
  const paths = [...new Set([...ours.keys(), ...theirs.keys()])].sort();
  const differing = paths.filter((path) => ours.get(path) !== theirs.get(path));
  if (differing.length === 0) return [];
  const before = await stored((await github.compare(base, head))?.mergeBase ?? base);
  return differing.filter((path) => ours.get(path) !== before.get(path));
}
