// Which stored baselines a pull request changes: who looks at its verdict should look at those too.
import { posix } from "node:path";
import type { Report } from "../../core/model/report.ts";
import type { GitHub } from "../../github/port.ts";

/** `<runner class>/<service>@<machine>.json`; a runner's profile begins with an underscore. */
const BASELINE = /^[^/]+\/[^/_][^/]*\.json$/;

/** Paths whose content in the measured commit is not that of `base`, of any runner and service. */
export async function changedBaselines(
  github: Pick<GitHub, "tree">,
  { config, sources }: Report,
  base: string,
): Promise<string[]> {
  const { dir } = config.baselines;
  const stored = async (commit: string): Promise<Map<string, string>> => {
    const files = await github.tree(commit, dir);
    return new Map(
      files
        .filter(({ path }) => BASELINE.test(path))
        .map(({ path, sha }) => [posix.join(dir, path), sha]),
    );
  };
  const [ours, theirs] = [await stored(sources.candidate.commit), await stored(base)];
  const paths = [...new Set([...ours.keys(), ...theirs.keys()])].sort();
  return paths.filter((path) => ours.get(path) !== theirs.get(path));
}
