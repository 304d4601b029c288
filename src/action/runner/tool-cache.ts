// The runner's tool cache: `<cache>/oha/<version>/<architecture>/`, complete when a marker of the
// same name stands beside it. Whoever prepares a runner may put the load generator there; it comes
// after what is on PATH already.
import { existsSync, readdirSync } from "node:fs";
import { delimiter, join } from "node:path";

/**
 * PATH with the folders of the tool cache that have an oha, newest first. Whether it can be used is
 * looked at later.
 */
export function toolPath(env: NodeJS.ProcessEnv): string {
  const path = env.PATH ?? "";
  const root = env.RUNNER_TOOL_CACHE;
  if (root === undefined || root === "") return path;
  return [path, ...cachedOha(join(root, "oha"))].filter((part) => part !== "").join(delimiter);
}

function cachedOha(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .sort((a, b) => b.localeCompare(a, "en", { numeric: true }))
    .map((version) => join(folder, version, process.arch))
    .filter((place) => existsSync(`${place}.complete`) && existsSync(join(place, "oha")));
}
