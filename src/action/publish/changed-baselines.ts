// Which stored baselines a pull request changes: who looks at its verdict should look at those too.
import { posix } from "node:path";
import type { Report } from "../../core/model/report.ts";
import type { GitHub } from "../../github/port.ts";

/** `<runner class>/<service>@<machine>.json`; a runner's profile begins with an underscore. */
const BASELINE = /^[^/]+\/[^/_][^/]*\.json$/;

/**
 * Paths whose content in `head` is neither that of `base` nor that of where it left `base`, of any
 * runner and service. What was measured may be a merge, in which anybody may write any files.
 */
export async function changedBaselines(
  github: Pick<GitHub, "compare" | "tree">,
  { config }: Report,
  { head, base }: Record<"head" | "base", string>,
): Promise<string[]> {
  const { dir } = config.baselines;
  const stored = async (commit: string) => {
    const files = (await github.tree(commit, dir)).filter(({ path }) => BASELINE.test(path));
    return new Map(files.map(({ path, sha }) => [posix.join(dir, path), sha]));
  };
  const left = (await github.compare(base, head))?.mergeBase ?? base;
  const [ours, theirs, before] = [await stored(head), await stored(base), await stored(left)];
  const paths = [...new Set([...ours.keys(), ...before.keys()])].sort();
  return paths.filter((path) => [theirs, before].every((one) => one.get(path) !== ours.get(path)));
}
