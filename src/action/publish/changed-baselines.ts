// Which stored baselines a pull request changes: who looks at its verdict should look at those too.
import { baselinePath } from "../../app/documents/baselines.ts";
import type { Report } from "../../core/model/report.ts";
import type { GitHub } from "../../github/port.ts";

/**
 * Paths whose content in the measured commit is not that of `base`; none of a dirty tree, nor where
 * the report knows no stored value.
 */
export async function changedBaselines(
  github: Pick<GitHub, "file">,
  { config, sources, run, verdict }: Report,
  base: string,
): Promise<string[]> {
  const { commit, dirty } = sources.candidate;
  if (run.compare === "base" && verdict.stored.length === 0) return [];
  if (dirty || !/^[0-9a-f]{40,64}$/.test(commit)) return [];
  const changed: string[] = [];
  for (const { name } of config.services) {
    const path = baselinePath(config.baselines.dir, config.runner.class, name);
    const [ours, theirs] = [await github.file(path, commit), await github.file(path, base)];
    const isSame =
      ours === null || theirs === null ? ours === theirs : Buffer.compare(ours, theirs) === 0;
    if (!isSame) changed.push(path);
  }
  return changed;
}
